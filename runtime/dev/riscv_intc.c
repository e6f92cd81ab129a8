/*
 * The local interrupt controller of a RISC-V hart or a MIPS CPU, as device trees describe it: the
 * inputs that mip or Cause shows. The controller is part of the CPU; this file connects the lines
 * of other devices to it.
 *
 * Regions     none
 * Interrupts  none of its own; its inputs have the numbers of the bits in mip (riscv_board.h)
 *             or Cause.IP (mips_board.h)
 * Clocks      none
 * Bounds      no state: an input is the hart's own
 * Manual      The RISC-V Instruction Set Manual, volume II, section "Machine Interrupt (mip and
 *             mie) Registers"; Linux
 *             Documentation/devicetree/bindings/interrupt-controller/riscv,cpu-intc.yaml,
 *             mti,cpu-interrupt-controller.yaml
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

#define INPUTS 32 /* inputs of a CPU: cpu_set_line() */

struct riscv_intc {
    const struct device_env *env;
};

static bool irq_input(void *dev, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err)
{
    const struct riscv_intc *intc = dev;

    (void)cpu; /* the hart is that of the node, whatever CPU the caller names */
    if (!count || cells[0] >= INPUTS)
        return error_set(err, "a hart has no interrupt %u", count ? cells[0] : 0);
    *line = device_cpu_input(intc->env, intc->env->cpu, cells[0]);
    return true;
}

static void *create_riscv_intc(const struct device_env *env, struct error *err)
{
    struct riscv_intc *intc;

    if (env->cpu >= env->cpu_count)
        return device_error(env, err, "the interrupt controller stands in no CPU's node");
    intc = xcalloc(1, sizeof(*intc));
    intc->env = env;
    return intc;
}

static const char *const compatible[] = {"riscv,cpu-intc", "mti,cpu-interrupt-controller", NULL};

const struct device_class riscv_intc_class = {
    .name = "riscv_intc",
    .summary = "interrupt inputs of a RISC-V hart or a MIPS CPU",
    .compatible = compatible,
    .create = create_riscv_intc,
    .destroy = free,
    .irq_input = irq_input,
};
