/* Wired ORs of interrupt lines. */
#include "runtime/mem/irq.h"

static void set_input(void *opaque, unsigned n, bool level)
{
    struct irq_or *gate = opaque;
    uint64_t bit = UINT64_C(1) << n;

    gate->levels = level ? gate->levels | bit : gate->levels & ~bit;
    irq_set(&gate->out, gate->levels != 0);
}

bool irq_or_input(struct irq_or *gate, struct irq_line *in)
{
    if (gate->inputs == 64)
        return false;
    *in = (struct irq_line){set_input, gate, gate->inputs++};
    return true;
}
