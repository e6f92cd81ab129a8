/*
 * Secondary CPUs of the Versatile boards: firmware holds them until software writes an address to
 * the system registers' flags (SYS_FLAGSSET), and then starts them at that address.
 *
 * A board's firmware waits for an interrupt before it reads the flags; here the CPUs start when the
 * flags are written. So software must be ready for all of them at that time, as Linux is.
 *
 * Source: Motherboard Express uATX TRM (DUI 0447), section 4.3.7; Linux
 * arch/arm/mach-versatile/platsmp-vexpress.c.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/firmware.h"

struct versatile {
    struct machine *m;
};

static void wake_cpus(void *fw, uint64_t value)
{
    struct machine *m = ((struct versatile *)fw)->m;

    if (!value)
        return;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        struct cpu *cpu = m->cpus[i];

        if (cpu_is_powered(cpu))
            continue;
        log_printf(&m->log, LOG_FIRMWARE, "firmware: cpu %u starts at %#" PRIx64 "\n", i, value);
        cpu_reset(cpu);
        cpu_set_pc(cpu, value);
        cpu_set_power(cpu, true);
    }
}

static void *create_versatile(struct machine *m, const struct dt_node *node, struct error *err)
{
    struct versatile *fw = xcalloc(1, sizeof(*fw));

    (void)node, (void)err;
    fw->m = m;
    return fw;
}

static const char *describe_versatile(const void *fw)
{
    (void)fw;
    return "secondary CPUs by SYS_FLAGS";
}

static const char *const compatible[] = {"arm,vexpress-sysreg", NULL};

const struct firmware_class firmware_versatile = {
    .compatible = compatible,
    .create = create_versatile,
    .destroy = free,
    .receive_value = wake_cpus,
    .describe = describe_versatile,
};
