/*
 * The Arm generic timer of each CPU, reached through system registers.
 * Source: Arm ARM DDI 0487, chapter D12 "The Generic Timer in AArch64 state".
 *
 * The CPU's description decodes the system register, checks access rights (CNTKCTL, CNTHCTL stay
 * there) and calls here, by the numbers of enum arch_timer_reg, through CPU_PORT_TIMER.
 */
#ifndef RUNTIME_DEV_ARCH_TIMER_H
#define RUNTIME_DEV_ARCH_TIMER_H

#include <stdint.h>

#include "arm_board.h"

struct arch_timer;
struct device_class;

extern const struct device_class arch_timer_class;

/* Reads a register of CPU `cpu`; CTL and TVAL (32-bit) come zero-extended. */
uint64_t arch_timer_read(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg);

/* Writes a register of CPU `cpu`; the counters are read-only and ignore it. */
void arch_timer_write(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg,
                      uint64_t value);

#endif
