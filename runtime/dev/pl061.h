/* GPIO inputs and outputs of a PL061, for buttons and the devices wired to it. */
#ifndef RUNTIME_DEV_PL061_H
#define RUNTIME_DEV_PL061_H

#include "runtime/mem/irq.h"

struct pl061;
struct device_class;

extern const struct device_class pl061_class;

#define PL061_LINES 8

/* The line that drives pin `pin` (0..7) from outside; false when there is no such pin. */
bool pl061_input(struct pl061 *gpio, unsigned pin, struct irq_line *line);

/* Connects what follows output pin `pin` (0..7). Copied; driven at once. */
void pl061_output(struct pl061 *gpio, unsigned pin, const struct irq_line *line);

#endif
