/*
 * Kernel, initial RAM disk and device tree: their addresses, and the first CPU's registers, which
 * the boot protocol defines (loaders.h).
 */
#include <inttypes.h>

#include "runtime/base/bits.h"
#include "runtime/machine/machine.h"

/* Distance of an initial RAM disk from the bank's start, if there is room: behind any kernel. */
#define INITRD_OFFSET (UINT64_C(128) << 20)
#define TWO_MB        (UINT64_C(2) << 20) /* alignment that all kernel versions accept */

bool machine_read_boot(struct machine *m, struct error *err)
{
    const struct options *o = m->options;

    if (!o->kernel)
        return error_set(err, "-kernel FILE is needed: the kernel to start");
    if (!kernel_read(o->kernel, m->info.boot, m->platform->isa->big_endian, &m->boot.kernel, err))
        return false;
    return !o->initrd || file_read(o->initrd, LOADER_MAX_FILE, &m->boot.initrd, err);
}

void machine_free_boot(struct machine *m)
{
    kernel_free(&m->boot.kernel);
    file_free(&m->boot.initrd);
}

/* The first free address for `len` bytes at or after `from` in the kernel's bank; 0: none. */
static uint64_t free_address(const struct machine *m, uint64_t from, uint64_t len)
{
    const struct dt_bank *bank = &m->banks[0];
    uint64_t at = align_up(from, TWO_MB);

    return at >= bank->base && len <= bank->size && at - bank->base <= bank->size - len ? at : 0;
}

static bool place_initrd(struct machine *m, uint64_t after, struct error *err)
{
    uint64_t half = m->banks[0].size / 2;
    uint64_t usual = m->banks[0].base + (half < INITRD_OFFSET ? half : INITRD_OFFSET);

    m->boot.initrd_at = free_address(m, usual > after ? usual : after, m->boot.initrd.len);
    if (!m->boot.initrd_at)
        m->boot.initrd_at = free_address(m, after, m->boot.initrd.len);
    return m->boot.initrd_at ||
           error_set(err, "%s: no room for %zu MB beside the kernel; try a larger -m",
                     m->options->initrd, m->boot.initrd.len >> 20);
}

bool machine_place_boot(struct machine *m, struct error *err)
{
    uint64_t end;

    if (!kernel_place(&m->boot.kernel, m->banks[0].base, m->banks[0].size, err)) {
        error_prefix(err, "%s: ", m->options->kernel);
        return false;
    }
    end = m->boot.kernel.end;
    if (m->boot.initrd.len) {
        if (!place_initrd(m, end, err))
            return false;
        end = m->boot.initrd_at + m->boot.initrd.len;
    }
    m->boot.dtb_at = free_address(m, end, DT_MAX_BLOB);
    return m->boot.dtb_at ||
           error_set(err, "no room for the device tree behind the kernel; try a larger -m");
}

bool machine_load_boot(struct machine *m, struct error *err)
{
    const struct machine_boot *b = &m->boot;
    const struct boot_protocol *protocol = m->info.boot;
    const char *command = m->options->append;
    struct boot_entry entry = {
        .dtb_at = b->dtb_at,
        .initrd_at = b->initrd_at,
        .initrd_len = b->initrd.len,
        .memory = m->banks[0].size,
        .big_endian = m->platform->isa->big_endian,
        .command = command ? command : "",
    };
    uint64_t args[PLATFORM_ARGS] = {0};

    dt_raw_address(m->dt, m->cpu_nodes[0], 0, &entry.cpu_id);
    if (!kernel_load(&b->kernel, m->bus, err))
        return false;
    if (b->initrd.len && !bus_load(m->bus, b->initrd_at, b->initrd.data, b->initrd.len))
        return error_set(err, "the initial RAM disk does not fit into memory");
    if (!bus_load(m->bus, b->dtb_at, m->dt->blob, dt_size(m->dt)))
        return error_set(err, "the device tree does not fit into memory");
    if (protocol->prepare && !protocol->prepare(&entry, m->bus, err))
        return false;
    platform_set_args(&m->info, m->cpus[0], args, protocol->arguments(&entry, args));
    cpu_set_pc(m->cpus[0], b->kernel.entry);
    return true;
}
