/*
 * A test bench for one device: a bus, a clock, a log that is off, interrupt lines that record their
 * level, and a device tree node made of arrays.
 */
#ifndef TESTS_DEV_BENCH_H
#define TESTS_DEV_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/dev/device.h"

#define BENCH_BASE  UINT64_C(0x10000000)
#define BENCH_LINES 32
#define BENCH_PROPS 24

struct bench_prop {
    const char *name;
    const void *bytes;
    size_t len;
};

struct bench {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct stats *stats;

    struct device_env env;
    struct device_reg reg[8];
    struct irq_line irq[BENCH_LINES];
    bool level[BENCH_LINES];     /* levels of irq[] */
    unsigned edges[BENCH_LINES]; /* rising edges of irq[] */
    struct irq_line irq_cpu[BENCH_LINES];
    struct irq_line cpu_irq[DEVICE_MAX_CPUS];
    bool cpu_level[DEVICE_MAX_CPUS];
    uint32_t cpu_inputs[DEVICE_MAX_CPUS]; /* levels of the CPUs' other inputs, one bit per input */
    struct bench_prop props[BENCH_PROPS];
    unsigned prop_count;
    unsigned power_off, power_reset; /* number of calls of env.power */
    int power_status;                /* status of the last call */
    uint64_t told;                   /* last argument of env.tell_firmware */

    const struct device_class *cls;
    void *dev;

    char *heard; /* text of the log since bench_listen() */
    size_t heard_len, heard_before;
};

/* Makes a bench whose node has one reg of 4 KB at BENCH_BASE, one interrupt and one CPU. */
struct bench *bench_new(void);

/* Adds a property to the node; the bytes are borrowed. */
void bench_prop(struct bench *b, const char *name, const void *bytes, size_t len);

/* Makes the device from bench->env. The test fails if this fails. */
void bench_create(struct bench *b, const char *class_name);

/* Destroys the device, env.chardev and everything else. */
void bench_free(struct bench *b);

/*
 * Access a register of 4 (or `size`) bytes at BENCH_BASE + offset (or at pa), as CPU 0 (or `cpu`).
 */
uint32_t bench_read(struct bench *b, uint64_t offset);
void bench_write(struct bench *b, uint64_t offset, uint32_t value);
uint64_t bench_read_as(struct bench *b, unsigned cpu, uint64_t pa, unsigned size);
void bench_write_as(struct bench *b, unsigned cpu, uint64_t pa, unsigned size, uint64_t value);

/* Advances virtual time to `ns` since power-on. */
void bench_run_to(struct bench *b, uint64_t ns);

/* Makes the log keep the devices' messages about guest errors and missing registers. */
void bench_listen(struct bench *b);

/*
 * Returns the log's text since the last call, or since bench_listen(); valid until the next
 * message.
 */
const char *bench_heard(struct bench *b);

/* Saves the device, resets it, and loads it again: what a snapshot does. */
void bench_save_and_load(struct bench *b);

#endif
