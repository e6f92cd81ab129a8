/* A GICv2 on the test bench: its registers by name (IHI 0048B), its lines, and four CPUs. */
#ifndef TESTS_DEV_GIC_BENCH_H
#define TESTS_DEV_GIC_BENCH_H

#include "tests/dev/bench.h"

/* The GIC's four regions. */
#define DIST     BENCH_BASE
#define CPUIF    (BENCH_BASE + 0x2000)
#define HYP      (BENCH_BASE + 0x4000)
#define VCPU     (BENCH_BASE + 0x6000)
#define SPURIOUS 1023u

#define GICD_CTLR       0x000
#define GICD_TYPER      0x004
#define GICD_IIDR       0x008
#define GICD_IGROUPR    0x080
#define GICD_ISENABLER  0x100
#define GICD_ICENABLER  0x180
#define GICD_ISPENDR    0x200
#define GICD_ICPENDR    0x280
#define GICD_ISACTIVER  0x300
#define GICD_ICACTIVER  0x380
#define GICD_IPRIORITYR 0x400
#define GICD_ITARGETSR  0x800
#define GICD_ICFGR      0xc00
#define GICD_PPISR      0xd00
#define GICD_SPISR      0xd04
#define GICD_SGIR       0xf00
#define GICD_CPENDSGIR  0xf10
#define GICD_SPENDSGIR  0xf20

#define GICC_CTLR  0x00
#define GICC_PMR   0x04
#define GICC_BPR   0x08
#define GICC_IAR   0x0c
#define GICC_EOIR  0x10
#define GICC_RPR   0x14
#define GICC_HPPIR 0x18
#define GICC_APR0  0xd0
#define GICC_IIDR  0xfc
#define GICC_DIR   0x1000

/* Read and write words of the distributor and of CPU interface `cpu`, as accesses of that CPU. */
uint32_t dist(struct bench *b, unsigned cpu, uint64_t offset);
void set_dist(struct bench *b, unsigned cpu, uint64_t offset, uint32_t value);
uint32_t cpuif(struct bench *b, unsigned cpu, uint64_t offset);
void set_cpuif(struct bench *b, unsigned cpu, uint64_t offset, uint32_t value);

/* Returns interrupt `id`'s line into the controller; `cpu` matters for PPIs (id 16..31). */
struct irq_line gic_line(struct bench *b, unsigned id, unsigned cpu);

/* Drives the line of interrupt `id`. */
void drive(struct bench *b, unsigned id, unsigned cpu, bool level);

/* Enables an SPI for `targets` at a priority. */
void use_spi(struct bench *b, unsigned id, uint8_t targets, uint8_t priority);

/* Makes a bench with a GIC for `cpus` CPUs, in its reset state. */
struct bench *gic_bench(unsigned cpus);

/* cmocka's set-up and teardown: four CPUs, everything enabled, all priorities admitted. */
int gic_setup(void **state);
int gic_teardown(void **state);

#endif
