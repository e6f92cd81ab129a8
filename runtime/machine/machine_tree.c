/* The guest's device tree: the board's own, with the platform's additions. */
#include <stdio.h>
#include <string.h>

#include "runtime/dev/virtio.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/seeds.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Sets m->banks to the board's banks, in the order of its tree, up to the bytes of -m. */
static bool find_banks(struct machine *m, struct error *err)
{
    uint64_t wanted = m->options->memory, base, size;

    for (unsigned n = 0; n < m->dt->count && wanted; n++) {
        const struct dt_node *node = &m->dt->nodes[n];

        if (!node->enabled || !dt_is_type(m->dt, node, "memory"))
            continue;
        for (unsigned i = 0; wanted && dt_reg(m->dt, node, i, &base, &size); i++) {
            if (m->bank_count == MACHINE_MAX_BANKS)
                return error_set(err, "the board has more than %d banks of memory",
                                 MACHINE_MAX_BANKS);
            if ((base | size) & (BUS_PAGE_SIZE - 1))
                return error_set(err, "%s: a bank is not made of whole pages", node->path);
            size = size > wanted ? wanted : size;
            m->banks[m->bank_count++] = (struct dt_bank){base, size};
            wanted -= size;
        }
    }
    if (!m->bank_count)
        return error_set(err, "the device tree has no memory");
    if (wanted > m->info.firmware_memory)
        return error_set(err, "-m: the board takes at most %llu MB of memory",
                         (unsigned long long)((m->options->memory - wanted) >> 20));
    return true;
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

static bool is_cpu(const struct dt *dt, const struct dt_node *node)
{
    return node->parent && !strcmp(node->parent->path, "/cpus") && dt_is_type(dt, node, "cpu");
}

/* Sets the status of CPUs beyond -smp to "fail" (section 2.3.4: "not operational"). */
static bool limit_cpus(struct machine *m, struct error *err)
{
    dt_node_list spare = {0};
    unsigned found = 0;
    bool ok;

    for (unsigned n = 0; n < m->dt->count; n++) {
        const struct dt_node *node = &m->dt->nodes[n];

        if (node->enabled && is_cpu(m->dt, node) && found++ >= m->options->cpus)
            vec_push(&spare, node);
    }
    ok = dt_set_status_of(m->dt, &spare, "fail", err);
    vec_free(&spare);
    if (ok && found < m->options->cpus)
        return error_set(err, "-smp: the board has %u CPUs", found);
    return ok;
}

static void find_cpus(struct machine *m)
{
    m->cpu_count = 0;
    for (unsigned n = 0; n < m->dt->count && m->cpu_count < DEVICE_MAX_CPUS; n++) {
        if (m->dt->nodes[n].enabled && is_cpu(m->dt, &m->dt->nodes[n]))
            m->cpu_nodes[m->cpu_count++] = &m->dt->nodes[n];
    }
}

/* ---- virtio slots ---------------------------------------------------------------------------- */

/* Removes the last slots, which have no function, so that the guest does not probe them. */
static bool limit_slots(struct machine *m, struct error *err)
{
    dt_node_list spare = {0};
    size_t needed, found = 0, seen = 0;
    bool ok;

    for (const struct dt_node *slot = NULL;
         (slot = dt_next_compatible(m->dt, slot, VIRTIO_MMIO_COMPATIBLE)) != NULL;)
        found++;
    machine_drop_spare_function(m, found);
    needed = m->functions.len;
    if (found < needed)
        return error_set(err, "the platform has %zu virtio slots, %zu are asked for", found,
                         needed);
    for (const struct dt_node *slot = NULL;
         (slot = dt_next_compatible(m->dt, slot, VIRTIO_MMIO_COMPATIBLE)) != NULL;) {
        if (seen++ >= needed)
            vec_push(&spare, slot);
    }
    ok = dt_remove_nodes(m->dt, &spare, err);
    vec_free(&spare);
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void warn_misfit(const struct machine *m)
{
    const char *board = dt_string(m->dt, m->dt->nodes, "compatible", 0);

    if (m->options->dtb && !platform_fits(&m->info, m->dt))
        fprintf(stderr, "%s: warning: %s is for '%s', not for the %s\n", m->platform->name,
                m->options->dtb, board ? board : "?", m->info.summary);
}

bool machine_load_tree(struct machine *m, struct error *err)
{
    m->dt = m->options->dtb ? dt_load(m->options->dtb, err) : platform_own_tree(&m->info, err);
    if (!m->dt || !dt_index(m->dt, err))
        return false;
    warn_misfit(m);
    if (!dt_overlay(m->dt, m->platform->description, m->platform->description_len, err) ||
        !dt_index(m->dt, err))
        return false;
    return machine_choose_gpu(m, err) && machine_choose_display(m, err) && find_banks(m, err) &&
           limit_cpus(m, err) && limit_slots(m, err);
}

bool machine_finish_tree(struct machine *m, struct error *err)
{
    uint8_t rng[64], kaslr[8];
    struct dt_chosen chosen = {
        .bootargs = m->options->append,
        .initrd_start = m->boot.initrd_at,
        .initrd_end = m->boot.initrd_at + m->boot.initrd.len,
        .rng_seed = rng,
        .rng_seed_len = sizeof(rng),
        .kaslr_seed = m->options->no_kaslr ? NULL : kaslr,
    };

    if (!seed_bytes(m->options, SEED_RNG, rng, sizeof(rng), err) ||
        !seed_bytes(m->options, SEED_KASLR, kaslr, sizeof(kaslr), err))
        return false;
    if (!dt_set_memory(m->dt, m->banks, m->bank_count, err) ||
        !dt_set_chosen(m->dt, &chosen, err) || !dt_index(m->dt, err))
        return false;
    find_cpus(m);
    return true;
}
