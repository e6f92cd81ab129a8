/*
 * Interrupt lines: a wire from a device's output to a receiver's input. Levels are logical: true is
 * asserted, whatever the polarity on the board. A zeroed line is connected to nothing.
 */
#ifndef RUNTIME_MEM_IRQ_H
#define RUNTIME_MEM_IRQ_H

#include <stdbool.h>
#include <stdint.h>

struct irq_line {
    void (*set)(void *opaque, unsigned n, bool level); /* may be called with an unchanged level */
    void *opaque;
    unsigned n; /* the receiver's input number */
};

/* Drives the line to `level`. */
static inline void irq_set(const struct irq_line *line, bool level)
{
    if (line->set)
        line->set(line->opaque, line->n, level);
}

/* Raises and lowers the line: one edge. */
static inline void irq_pulse(const struct irq_line *line)
{
    irq_set(line, true);
    irq_set(line, false);
}

/*
 * A wired OR: several devices share one input of an interrupt controller (Juno's two KMIs, its two
 * SP804s). The output is asserted while any input is. It has no saved state: after a load every
 * device drives its outputs again.
 */
struct irq_or {
    struct irq_line out;
    uint64_t levels; /* bit n: input n is asserted */
    unsigned inputs;
};

/*
 * Adds an input to the gate and stores it in `*in`; false when all 64 are used. `gate->out` must be
 * set, and the gate must stay at its address.
 */
bool irq_or_input(struct irq_or *gate, struct irq_line *in);

#endif
