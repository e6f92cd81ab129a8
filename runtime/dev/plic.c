/*
 * RISC-V platform-level interrupt controller.
 *
 * Regions     reg[0]: priorities, pending bits, enables of each context, thresholds and claims; up
 *             to 64 MB
 * Interrupts  [n] the output of context n, to a hart's machine or supervisor external interrupt;
 *             inputs are the sources, 1 to the property riscv,ndev
 * Clocks      none
 * Bounds      1023 sources, 2 contexts per CPU: an access or an input looks at the pending words of
 *             all contexts, and at the sources that are pending and enabled there
 * Manual      RISC-V Platform-Level Interrupt Controller Specification, version 1.0.0; SiFive
 *             U54-MC Core Complex Manual for the places of the registers
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/device.h"

enum {
    PLIC_PRIORITY = 0,
    PLIC_PENDING = 0x1000,
    PLIC_ENABLE = 0x2000,
    PLIC_CONTEXT = 0x200000, /* threshold, then claim and complete */

    ENABLE_STRIDE = 0x80,
    CONTEXT_STRIDE = 0x1000,
    CONTEXT_THRESHOLD = 0,
    CONTEXT_CLAIM = 4,
};

#define SOURCES      1024u /* source 0 does not exist */
#define WORDS        (SOURCES / 32)
#define CONTEXTS     (2u * DEVICE_MAX_CPUS)
#define PRIORITY_MAX 7u

struct plic {
    uint32_t priority[SOURCES];
    uint32_t level[WORDS];   /* levels of the sources' lines */
    uint32_t pending[WORDS]; /* requests not yet claimed */
    uint32_t claimed[WORDS]; /* between claim and completion: the gateway blocks requests */
    uint32_t enable[CONTEXTS][WORDS];
    uint32_t threshold[CONTEXTS];

    const struct device_env *env;
    struct device_seen seen;
    unsigned last; /* number of the last source */
    unsigned contexts;
};

static bool test_bit(const uint32_t *words, unsigned source)
{
    return words[source / 32] >> source % 32 & 1;
}

static void put_bit(uint32_t *words, unsigned source, bool value)
{
    uint32_t bit = UINT32_C(1) << source % 32;

    words[source / 32] = value ? words[source / 32] | bit : words[source / 32] & ~bit;
}

/* ---- which interrupt, and whether ------------------------------------------------------------ */

/* The source that a context would claim, or 0: the highest priority, then the lowest number. */
static unsigned best_source(const struct plic *plic, unsigned context)
{
    uint32_t priority = 0;
    unsigned found = 0;

    for (unsigned w = 0; w <= plic->last / 32; w++) {
        uint32_t bits = plic->pending[w] & plic->enable[context][w];

        for (; bits; bits &= bits - 1) {
            unsigned source = w * 32 + (unsigned)__builtin_ctz(bits);

            if (plic->priority[source] > priority) {
                priority = plic->priority[source];
                found = source;
            }
        }
    }
    return found;
}

static void update_irqs(struct plic *plic)
{
    for (unsigned context = 0; context < plic->contexts; context++) {
        unsigned source = best_source(plic, context);
        struct irq_line line = device_irq(plic->env, context);

        irq_set(&line, source && plic->priority[source] > plic->threshold[context]);
    }
}

/* The gateway of a source: a high level makes one request at a time. */
static void request_interrupt(struct plic *plic, unsigned source)
{
    if (test_bit(plic->level, source) && !test_bit(plic->claimed, source))
        put_bit(plic->pending, source, true);
}

static void set_input(void *opaque, unsigned source, bool level)
{
    struct plic *plic = opaque;

    if (test_bit(plic->level, source) == level)
        return;
    put_bit(plic->level, source, level);
    request_interrupt(plic, source);
    update_irqs(plic);
}

static uint32_t claim_interrupt(struct plic *plic, unsigned context)
{
    unsigned source = best_source(plic, context);

    if (source) {
        put_bit(plic->pending, source, false);
        put_bit(plic->claimed, source, true);
        update_irqs(plic);
    }
    return source;
}

/* A completion of a source that the context has not enabled is ignored: section 9. */
static void complete_interrupt(struct plic *plic, unsigned context, uint32_t source)
{
    if (!source || source > plic->last || !test_bit(plic->enable[context], source))
        return;
    put_bit(plic->claimed, source, false);
    request_interrupt(plic, source);
    update_irqs(plic);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Bits of a word that sources have. */
static uint32_t existing_sources(const struct plic *plic, unsigned w)
{
    uint32_t bits = UINT32_MAX;

    if (w * 32 > plic->last)
        return 0;
    if (plic->last - w * 32 < 31)
        bits = (UINT32_C(2) << (plic->last - w * 32)) - 1;
    return w ? bits : bits & ~UINT32_C(1);
}

/* Number of the 32-bit word in the range that begins at `base`. */
static unsigned word_of(uint64_t offset, unsigned base)
{
    return (unsigned)(offset - base) / 4 % WORDS;
}

static uint64_t read_context(struct plic *plic, uint64_t offset, unsigned cpu)
{
    unsigned context = (unsigned)((offset - PLIC_CONTEXT) / CONTEXT_STRIDE);

    if (context < plic->contexts && offset % CONTEXT_STRIDE == CONTEXT_THRESHOLD)
        return plic->threshold[context];
    if (context < plic->contexts && offset % CONTEXT_STRIDE == CONTEXT_CLAIM)
        return cpu == BUS_NO_CPU ? best_source(plic, context) : claim_interrupt(plic, context);
    device_log_unimp(plic->env, &plic->seen, "plic", offset, false, 0);
    return 0;
}

static uint64_t read_mmio(void *opaque, uint64_t offset, unsigned size, unsigned cpu)
{
    struct plic *plic = opaque;
    uint64_t context = (offset - PLIC_ENABLE) / ENABLE_STRIDE;

    (void)size;
    if (offset >= PLIC_CONTEXT)
        return read_context(plic, offset, cpu);
    if (offset >= PLIC_ENABLE && context < plic->contexts)
        return plic->enable[context][word_of(offset, PLIC_ENABLE)];
    if (offset >= PLIC_PENDING && offset < PLIC_PENDING + SOURCES / 8)
        return plic->pending[word_of(offset, PLIC_PENDING)];
    if (offset < PLIC_PRIORITY + 4 * SOURCES)
        return plic->priority[offset / 4];
    device_log_unimp(plic->env, &plic->seen, "plic", offset, false, 0);
    return 0;
}

static bool write_context(struct plic *plic, uint64_t offset, uint32_t value)
{
    unsigned context = (unsigned)((offset - PLIC_CONTEXT) / CONTEXT_STRIDE);

    if (context < plic->contexts && offset % CONTEXT_STRIDE == CONTEXT_THRESHOLD)
        plic->threshold[context] = value & PRIORITY_MAX;
    else if (context < plic->contexts && offset % CONTEXT_STRIDE == CONTEXT_CLAIM)
        complete_interrupt(plic, context, value);
    else
        return false;
    return true;
}

/* False: there is no writable register. */
static bool write_register(struct plic *plic, uint64_t offset, uint32_t value)
{
    uint64_t context = (offset - PLIC_ENABLE) / ENABLE_STRIDE;
    unsigned w = word_of(offset, PLIC_ENABLE);

    if (offset >= PLIC_CONTEXT)
        return write_context(plic, offset, value);
    if (offset >= PLIC_ENABLE && context < plic->contexts)
        plic->enable[context][w] = value & existing_sources(plic, w);
    else if (offset / 4 && offset / 4 <= plic->last)
        plic->priority[offset / 4] = value & PRIORITY_MAX;
    else
        return false;
    return true;
}

static void write_mmio(void *opaque, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct plic *plic = opaque;

    (void)size, (void)cpu;
    if (!write_register(plic, offset, (uint32_t)value))
        device_log_unimp(plic->env, &plic->seen, "plic", offset, true, value);
    update_irqs(plic);
}

static const struct mmio_ops ops = {read_mmio, write_mmio, 4, 4};

/* ---- the device ------------------------------------------------------------------------------ */

static bool irq_input(void *dev, const uint32_t *cells, unsigned count, unsigned cpu,
                      struct irq_line *line, struct error *err)
{
    struct plic *plic = dev;

    (void)cpu;
    if (!count || !cells[0] || cells[0] > plic->last)
        return error_set(err, "there is no source %u", count ? cells[0] : 0);
    *line = (struct irq_line){set_input, plic, cells[0]};
    return true;
}

static void reset_plic(void *dev)
{
    struct plic *plic = dev;

    for (unsigned source = 0; source < SOURCES; source++)
        plic->priority[source] = 0;
    for (unsigned w = 0; w < WORDS; w++)
        plic->level[w] = plic->pending[w] = plic->claimed[w] = 0;
    for (unsigned context = 0; context < CONTEXTS; context++) {
        plic->threshold[context] = 0;
        for (unsigned w = 0; w < WORDS; w++)
            plic->enable[context][w] = 0;
    }
    update_irqs(plic);
}

static void post_load(void *dev, struct error *err)
{
    struct plic *plic = dev;

    (void)err;
    for (unsigned source = 0; source < SOURCES; source++)
        plic->priority[source] &= PRIORITY_MAX;
    for (unsigned w = 0; w < WORDS; w++) {
        plic->level[w] &= existing_sources(plic, w);
        plic->pending[w] &= existing_sources(plic, w);
        plic->claimed[w] &= existing_sources(plic, w);
        for (unsigned context = 0; context < CONTEXTS; context++)
            plic->enable[context][w] &= existing_sources(plic, w);
    }
    update_irqs(plic);
}

static void *create_plic(const struct device_env *env, struct error *err)
{
    struct plic *plic = xcalloc(1, sizeof(*plic));
    uint32_t last = SOURCES - 1;

    plic->env = env;
    device_prop_u32(env, "riscv,ndev", 0, &last);
    plic->last = last < SOURCES ? last : SOURCES - 1;
    plic->contexts = env->irq_count < CONTEXTS ? env->irq_count : CONTEXTS;
    return device_start(env, 0, &ops, plic, reset_plic, err);
}

static const char *const compatible[] = {"sifive,plic-1.0.0", "riscv,plic0", NULL};

static const struct state_field fields[] = {
    STATE_FIELD(struct plic, priority),
    STATE_FIELD(struct plic, level),
    STATE_FIELD(struct plic, pending),
    STATE_FIELD(struct plic, claimed),
    STATE_FIELD(struct plic, enable),
    STATE_FIELD(struct plic, threshold),
    STATE_END,
};

const struct device_class plic_class = {
    .name = "plic",
    .summary = "RISC-V platform-level interrupt controller",
    .compatible = compatible,
    .fields = fields,
    .create = create_plic,
    .reset = reset_plic,
    .destroy = free,
    .post_load = post_load,
    .irq_input = irq_input,
};
