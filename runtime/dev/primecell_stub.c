/*
 * Stands in for a PrimeCell that is not modelled: it answers with its real identification
 * registers, so that software recognises it, and otherwise like the stub device.
 *
 * Regions     reg[0], 4 KB at its end hold the identification
 * Interrupts  none is ever raised
 * Clocks      none
 * Bounds      each register is logged once
 * Manual      "Identification registers" of each peripheral's TRM
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

/* Peripheral IDs: part number 11:0, designer 19:12 (0x41, Arm), revision 23:20. */
static const struct {
    const char *compatible;
    uint32_t periph_id;
} known[] = {
    {"arm,pl022", 0x041022}, /* synchronous serial port, DDI 0194 */
    {"arm,pl041", 0x041041}, /* audio codec interface, DDI 0173 */
    {"arm,pl080", 0x041080}, /* DMA controller, DDI 0196 */
    {"arm,pl330", 0x241330}, /* DMA controller, DDI 0424 */
    {"arm,pl341", 0x041341}, /* dynamic memory controller, DDI 0418 */
    {"arm,pl354", 0x041354}, /* static memory controller, DDI 0380 */
    {"arm,sp810", 0x141810}, /* system controller, DDI 0254 */
};

struct primecell_stub {
    const struct device_env *env;
    uint64_t size;
    uint32_t periph_id;
    struct device_seen seen_read, seen_write;
};

static uint64_t read_register(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct primecell_stub *dev = opaque;

    (void)size, (void)cpu;
    if (dev->periph_id && offset >= dev->size - 0x20)
        return primecell_id(dev->periph_id, PRIMECELL_CELL_ID, 0xfe0 + offset - (dev->size - 0x20));
    device_log_unimp(dev->env, &dev->seen_read, "PrimeCell not modelled", offset, false, 0);
    return 0;
}

static void write_register(void *opaque, uint64_t offset, uint64_t value, unsigned size,
                           unsigned cpu)
{
    struct primecell_stub *dev = opaque;

    (void)size, (void)cpu;
    device_log_unimp(dev->env, &dev->seen_write, "PrimeCell not modelled", offset, true, value);
}

static const struct mmio_ops ops = {read_register, write_register, 4, 4};

static uint32_t periph_id(const struct device_env *env)
{
    size_t len = 0;
    const char *names = device_prop(env, "compatible", &len);
    uint32_t id;

    if (device_prop_u32(env, "arm,primecell-periphid", 0, &id))
        return id;
    if (!names) {
        names = env->compatible;
        len = strlen(names) + 1;
    }
    for (size_t pos = 0; pos < len; pos += strnlen(names + pos, len - pos) + 1) {
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
            if (!strncmp(names + pos, known[i].compatible, len - pos))
                return known[i].periph_id;
        }
    }
    return 0;
}

static void *create_primecell_stub(const struct device_env *env, struct error *err)
{
    struct primecell_stub *dev = xcalloc(1, sizeof(*dev));

    dev->env = env;
    dev->periph_id = periph_id(env);
    for (unsigned i = 0; i < env->reg_count; i++) {
        if (!device_map(env, i, 0, &ops, dev, err)) {
            free(dev);
            return NULL;
        }
    }
    if (env->reg_count)
        dev->size = env->reg[0].size;
    if (dev->size < 0x1000)
        dev->periph_id = 0; /* no room for identification registers */
    return dev;
}

static const char *const compatible[] = {
    "arm,pl022", "arm,pl041", "arm,pl080",     "arm,pl330", "arm,pl341",
    "arm,pl354", "arm,sp810", "arm,primecell", NULL,
};

const struct device_class primecell_stub_class = {
    .name = "primecell_stub",
    .summary = "a PrimeCell that is not modelled: real identification, reads as zero, logged",
    .compatible = compatible,
    .create = create_primecell_stub,
    .destroy = free,
};
