/*
 * SiFive's test finisher: a word that ends or restarts the machine, as syscon-poweroff and
 * syscon-reboot write it.
 *
 * Regions     reg[0], one register
 * Interrupts  none
 * Clocks      none
 * Bounds      no state
 * Status      a code of FINISHER_FAIL, modulo 256, is the process's, as QEMU's
 * Manual      none is published; QEMU docs/system/riscv/virt.rst names the device, Linux
 *             Documentation/devicetree/bindings/power/reset/syscon-{poweroff,reboot}.yaml its use
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

#define FINISHER_FAIL  0x3333u /* bits 31:16 hold a code */
#define FINISHER_PASS  0x5555u
#define FINISHER_RESET 0x7777u

struct sifive_test {
    const struct device_env *env;
};

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)opaque, (void)offset, (void)size, (void)cpu;
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    const struct device_env *env = ((struct sifive_test *)opaque)->env;
    unsigned what = value & 0xffff, code = (uint32_t)value >> 16;

    (void)size, (void)cpu;
    if (offset || (what != FINISHER_FAIL && what != FINISHER_PASS && what != FINISHER_RESET)) {
        device_log_guest(env, "%#llx is no way to end", (unsigned long long)value);
        return;
    }
    if (what == FINISHER_FAIL)
        device_log_guest(env, "the guest failed with code %u", code);
    if (env->power)
        env->power(env->opaque, what == FINISHER_RESET ? DEVICE_POWER_RESET : DEVICE_POWER_OFF,
                   what == FINISHER_FAIL ? (int)(code & 0xff) : 0);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static void *create_sifive_test(const struct device_env *env, struct error *err)
{
    struct sifive_test *finisher = xcalloc(1, sizeof(*finisher));

    finisher->env = env;
    if (device_map(env, 0, 0x1000, &ops, finisher, err))
        return finisher;
    free(finisher);
    return NULL;
}

static const char *const compatible[] = {"sifive,test1", "sifive,test0", NULL};

const struct device_class sifive_test_class = {
    .name = "sifive_test",
    .summary = "SiFive's test finisher: power off and reset",
    .compatible = compatible,
    .create = create_sifive_test,
    .destroy = free,
};
