/*
 * The Arm generic timer of each CPU, reached through system registers.
 * Source: Arm ARM DDI 0487, chapter D12 "The Generic Timer in AArch64 state".
 *
 * The CPU room decodes the system register, checks access rights (CNTKCTL, CNTHCTL stay there) and
 * calls here. The machine finds the device by its class `arch_timer_class`.
 */
#ifndef RUNTIME_DEV_ARCH_TIMER_H
#define RUNTIME_DEV_ARCH_TIMER_H

#include <stdint.h>

struct arch_timer;
struct device_class;

extern const struct device_class arch_timer_class;

enum arch_timer_reg {
    ARCH_TIMER_CNTFRQ,
    ARCH_TIMER_CNTPCT,
    ARCH_TIMER_CNTVCT,
    ARCH_TIMER_CNTVOFF,
    ARCH_TIMER_CNTP_CTL, /* non-secure physical timer (EL1) */
    ARCH_TIMER_CNTP_CVAL,
    ARCH_TIMER_CNTP_TVAL,
    ARCH_TIMER_CNTV_CTL, /* virtual timer (EL1) */
    ARCH_TIMER_CNTV_CVAL,
    ARCH_TIMER_CNTV_TVAL,
    ARCH_TIMER_CNTHP_CTL, /* hypervisor physical timer (EL2) */
    ARCH_TIMER_CNTHP_CVAL,
    ARCH_TIMER_CNTHP_TVAL,
    ARCH_TIMER_CNTPS_CTL, /* secure physical timer */
    ARCH_TIMER_CNTPS_CVAL,
    ARCH_TIMER_CNTPS_TVAL,
};

/* Reads a register of CPU `cpu`; CTL and TVAL (32-bit) come zero-extended. */
uint64_t arch_timer_read(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg);

/* Writes a register of CPU `cpu`; the counters are read-only and ignore it. */
void arch_timer_write(struct arch_timer *timer, unsigned cpu, enum arch_timer_reg reg,
                      uint64_t value);

/* Counter frequency in Hz: `clock-frequency` of the node, else 50 MHz. */
uint64_t arch_timer_hz(const struct arch_timer *timer);

#endif
