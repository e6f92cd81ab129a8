/* Interface of a PC's pair of 8259A interrupt controllers to the bridge of their bus. */
#ifndef RUNTIME_DEV_I8259_H
#define RUNTIME_DEV_I8259_H

#include <stdint.h>

struct i8259;

/*
 * Runs an interrupt acknowledge cycle: puts the pending interrupt of the highest priority in
 * service and returns its vector. If no interrupt is pending, the cycle is spurious and returns the
 * vector of the controller's input 7. With `peek` no state changes, as for a debugger's read.
 */
uint8_t i8259_acknowledge(struct i8259 *pic, int peek);

#endif
