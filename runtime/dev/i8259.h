/* The pair of 8259A interrupt controllers of a PC, as the bridge of its bus sees it. */
#ifndef RUNTIME_DEV_I8259_H
#define RUNTIME_DEV_I8259_H

#include <stdint.h>

struct i8259;

/*
 * An interrupt acknowledge cycle: the vector of the pending interrupt of the highest priority,
 * which then is in service. A spurious one is the lowest of its controller. With `peek` nothing
 * changes, as for a debugger's read.
 */
uint8_t i8259_acknowledge(struct i8259 *pic, int peek);

#endif
