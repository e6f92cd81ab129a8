/*
 * The interface between the system registers of a Versatile Express and the pins below them
 * (sysreg_gpio.c).
 */
#ifndef RUNTIME_DEV_SYSREG_H
#define RUNTIME_DEV_SYSREG_H

#include "runtime/dev/device.h"

/* Registers whose bits are pins. */
enum sysreg_pins { SYSREG_LED, SYSREG_MCI, SYSREG_FLASH };

extern const struct device_class sysreg_class;

/* Drives a pin (0 to 31) of the system registers `dev`; outputs are not changed. */
void sysreg_set_pin(void *dev, enum sysreg_pins pins, unsigned pin, bool level);

#endif
