/*
 * Every register of the GICv2: reset values, writable bits, banks, bounds, other access sizes.
 * Expectations from IHI 0048B chapter 4 and, for identification, from DDI 0471 (GIC-400).
 */
#include "tests/dev/gic_bench.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/dev/gicv2.h"

#define CPUS 4

static uint32_t read_hyp(struct bench *b, unsigned cpu, uint64_t offset)
{
    return (uint32_t)bench_read_as(b, cpu, HYP + offset, 4);
}

static void set_hyp(struct bench *b, unsigned cpu, uint64_t offset, uint32_t value)
{
    bench_write_as(b, cpu, HYP + offset, 4, value);
}

/* ---- all of the state ------------------------------------------------------------------------ */

enum { DIST_WORDS = 0x1000 / 4, CPU_WORDS = 0x100 / 4, HYP_WORDS = 0x200 / 4 };

/* All registers that are readable without a side effect, as each CPU reads them. */
struct dump {
    uint32_t dist[CPUS][DIST_WORDS], cpu[CPUS][CPU_WORDS], hyp[CPUS][HYP_WORDS];
};

static struct dump *dump_of(struct bench *b)
{
    struct dump *d = test_calloc(1, sizeof(*d));

    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        for (unsigned n = 0; n < DIST_WORDS; n++)
            d->dist[cpu][n] = dist(b, cpu, 4 * n);
        for (unsigned n = 0; n < CPU_WORDS; n++) {
            if (4 * n != GICC_IAR)
                d->cpu[cpu][n] = cpuif(b, cpu, 4 * n);
        }
        for (unsigned n = 0; n < HYP_WORDS; n++)
            d->hyp[cpu][n] = read_hyp(b, cpu, 4 * n);
    }
    return d;
}

/* Writes a different value per CPU to every register with writable bits. */
static void scramble_registers(struct bench *b)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        for (uint64_t offset = 0; offset < 0x1000; offset += 4) {
            if (offset < GICD_ICENABLER || (offset >= GICD_ISPENDR && offset < GICD_ICPENDR) ||
                (offset >= GICD_ISACTIVER && offset < GICD_ICACTIVER) ||
                (offset >= GICD_IPRIORITYR && offset < GICD_SGIR) || offset >= GICD_SPENDSGIR)
                set_dist(b, cpu, offset, (uint32_t)offset * 0x9e3779b1 + cpu * 0x85ebca6b);
        }
        set_dist(b, cpu, GICD_SPENDSGIR, 0x0f0f0f0f);
        set_cpuif(b, cpu, GICC_CTLR, 0x200);
        set_cpuif(b, cpu, GICC_PMR, 0x40 + 16 * cpu);
        set_cpuif(b, cpu, GICC_BPR, 4 + cpu % 4);
        set_cpuif(b, cpu, GICC_APR0, 0x1000u << cpu);
        for (uint64_t offset = 0; offset < 4 * HYP_WORDS; offset += 4)
            set_hyp(b, cpu, offset, (uint32_t)offset + cpu + 1);
    }
    set_dist(b, 0, GICD_CTLR, 1);
}

static void test_reset_values(void **state)
{
    struct bench *b = gic_bench(CPUS);

    (void)state;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        assert_int_equal(dist(b, cpu, GICD_CTLR), 0);
        for (uint64_t offset = GICD_IGROUPR; offset < GICD_ITARGETSR; offset += 4) {
            bool enables = offset == GICD_ISENABLER || offset == GICD_ICENABLER;

            assert_int_equal(dist(b, cpu, offset), enables ? 0xffff : 0);
        }
        for (uint64_t offset = 0; offset < 0x200; offset += 4)
            assert_int_equal(dist(b, cpu, GICD_ITARGETSR + offset),
                             offset < 32 ? 0x01010101u << cpu : 0);
        for (uint64_t offset = 0; offset < 0x80; offset += 4)
            assert_int_equal(dist(b, cpu, GICD_ICFGR + offset), offset ? 0 : 0xaaaaaaaa);
        assert_int_equal(cpuif(b, cpu, GICC_CTLR), 0);
        assert_int_equal(cpuif(b, cpu, GICC_PMR), 0);
        assert_int_equal(cpuif(b, cpu, GICC_BPR), 3);
        assert_int_equal(cpuif(b, cpu, GICC_IAR), 1023);
        assert_int_equal(cpuif(b, cpu, GICC_RPR), 0xff);
        assert_int_equal(cpuif(b, cpu, GICC_HPPIR), 1023);
        assert_int_equal(cpuif(b, cpu, GICC_APR0), 0);
    }
    bench_free(b);
}

static void test_reset_brings_all_back(void **state)
{
    struct bench *b = gic_bench(CPUS);
    struct dump *before = dump_of(b), *between, *after;

    (void)state;
    scramble_registers(b);
    between = dump_of(b);
    assert_memory_not_equal(before, between, sizeof(*before));
    b->cls->reset(b->dev);
    after = dump_of(b);
    assert_memory_equal(before, after, sizeof(*before));
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_false(b->cpu_level[cpu]);
    test_free(before), test_free(between), test_free(after);
    bench_free(b);
}

static void test_snapshot_keeps_all(void **state)
{
    struct bench *b = gic_bench(CPUS);
    struct dump *before, *after;

    (void)state;
    drive(b, 100, 0, true);
    drive(b, 20, 2, true);
    scramble_registers(b);
    before = dump_of(b);
    bench_save_and_load(b);
    after = dump_of(b);
    assert_memory_equal(before, after, sizeof(*before));
    test_free(before), test_free(after);
    bench_free(b);
}

/* Loading a snapshot drives the CPUs' lines, since their levels are not part of it. */
static void test_loading_drives_the_lines(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 0xf, 0xa0);
    drive(b, 50, 0, true);
    set_cpuif(b, 3, GICC_CTLR, 0);
    b->cpu_level[0] = b->cpu_level[2] = false;
    b->cpu_level[3] = true;
    b->cls->post_load(b->dev, NULL);
    assert_true(b->cpu_level[0] && b->cpu_level[1] && b->cpu_level[2]);
    assert_false(b->cpu_level[3]);
}

/* A snapshot may contain states that no hardware reaches. */
static void test_loading_what_no_hardware_holds(void **state)
{
    struct bench *b = *state;
    struct gicv2 *gic = b->dev;
    static const uint32_t loaded[CPUS] = {0, 2, 7, 8}, kept[CPUS] = {3, 3, 7, 3};

    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        gic->cpu[cpu].bpr = loaded[cpu];
        gic->cpu[cpu].active = cpu == 1 ? 0xffff8000 : 0x10000;
    }
    gic->cpu[DEVICE_MAX_CPUS - 1].bpr = UINT32_MAX;
    b->cls->post_load(b->dev, NULL);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        assert_int_equal(cpuif(b, cpu, GICC_BPR), kept[cpu]);
        assert_int_equal(cpuif(b, cpu, GICC_RPR), cpu == 1 ? 0xf0 : 0xff);
    }
    assert_int_equal(cpuif(b, 1, GICC_APR0), 0x8000);
    assert_int_equal(gic->cpu[DEVICE_MAX_CPUS - 1].bpr, 3);
}

/* ---- the distributor ------------------------------------------------------------------------- */

static void test_identification(void **state)
{
    static const uint8_t id[] = {/* PIDR4..7 */ 0x04, 0,    0,    0,
                                 /* PIDR0..3 */ 0x90, 0xb4, 0x2b, 0,
                                 /* CIDR0..3 */ 0x0d, 0xf0, 0x05, 0xb1};
    struct bench *b = *state;

    assert_int_equal(dist(b, 0, GICD_TYPER), 15 | 3 << 5 | 1 << 10);
    assert_int_equal(dist(b, 0, GICD_IIDR), 0x0200143b);
    assert_int_equal(cpuif(b, 0, GICC_IIDR), 0x0202143b);
    for (unsigned n = 0; n < sizeof(id); n++)
        assert_int_equal(dist(b, 0, 0xfd0 + 4 * n), id[n]);
}

/* The registers of the last interrupts, and the offsets after them. */
static void test_ends_of_the_arrays(void **state)
{
    static const uint64_t set[] = {GICD_ISENABLER, GICD_ISPENDR, GICD_ISACTIVER};
    struct bench *b = *state;

    for (unsigned i = 0; i < 3; i++) {
        set_dist(b, 0, set[i] + 0x3c, 0x80000001);
        assert_int_equal(dist(b, 0, set[i] + 0x3c), 0x80000001);
        /* the clear register at this place */
        assert_int_equal(dist(b, 0, set[i] + 0xbc), 0x80000001);
        set_dist(b, 0, set[i] + 0xbc, 0x80000000);
        assert_int_equal(dist(b, 0, set[i] + 0x3c), 1);
        for (uint64_t offset = 0x40; offset < 0x80;
             offset += 4) { /* interrupts that do not exist */
            set_dist(b, 0, set[i] + offset, UINT32_MAX);
            assert_int_equal(dist(b, 0, set[i] + offset), 0);
        }
    }
    set_dist(b, 0, GICD_IPRIORITYR + 0x1fc, 0xf0000010);
    assert_int_equal(dist(b, 0, GICD_IPRIORITYR + 0x1fc), 0xf0000010);
    set_dist(b, 0, GICD_ITARGETSR + 0x1fc, 0x08000001);
    assert_int_equal(dist(b, 0, GICD_ITARGETSR + 0x1fc), 0x08000001);
    set_dist(b, 0, GICD_ICFGR + 0x7c, 0xffffffff); /* only the upper bit of each pair is writable */
    assert_int_equal(dist(b, 0, GICD_ICFGR + 0x7c), 0xaaaaaaaa);
    assert_int_equal(dist(b, 0, GICD_ICFGR + 0x78), 0);
    assert_int_equal(dist(b, 1, GICD_ISENABLER), 0xffff); /* other registers are unchanged */
    for (uint64_t end = 0x200; end < 0x400; end += 4) {
        set_dist(b, 0, GICD_IPRIORITYR + end, UINT32_MAX);
        set_dist(b, 0, GICD_ITARGETSR + end, UINT32_MAX);
        assert_int_equal(dist(b, 0, GICD_IPRIORITYR + end), 0);
        assert_int_equal(dist(b, 0, GICD_ITARGETSR + end), 0);
    }
    set_dist(b, 0, GICD_ICFGR + 0x80, UINT32_MAX);
    assert_int_equal(dist(b, 0, GICD_ICFGR + 0x80), 0);
}

/* Non-secure software cannot change groups; SGIs and PPIs keep their trigger and their CPU. */
static void test_what_cannot_be_written(void **state)
{
    struct bench *b = *state;

    for (uint64_t offset = 0; offset < 0x40; offset += 4) {
        set_dist(b, 0, GICD_IGROUPR + offset, UINT32_MAX);
        assert_int_equal(dist(b, 0, GICD_IGROUPR + offset), 0);
    }
    set_dist(b, 0, GICD_ICFGR, 0);
    set_dist(b, 0, GICD_ICFGR + 4, UINT32_MAX);
    assert_int_equal(dist(b, 0, GICD_ICFGR), 0xaaaaaaaa);
    assert_int_equal(dist(b, 0, GICD_ICFGR + 4), 0);
    for (uint64_t offset = 0; offset < 32; offset += 4) {
        set_dist(b, 2, GICD_ITARGETSR + offset, 0);
        assert_int_equal(dist(b, 2, GICD_ITARGETSR + offset), 0x04040404);
    }
    set_dist(b, 2, GICD_ITARGETSR + 32, 0x01010101);
    assert_int_equal(dist(b, 2, GICD_ITARGETSR + 32), 0x01010101);
    set_dist(b, 0, GICD_TYPER, 0);
    assert_int_equal(dist(b, 0, GICD_TYPER), 0x46f);
    set_dist(b, 0, GICD_CTLR, 0xffffffff);
    assert_int_equal(dist(b, 0, GICD_CTLR), 1);
    assert_int_equal(dist(b, 0, GICD_SGIR), 0); /* write only */
}

/* GIC-400's own registers show the lines' levels, whether pending or not. */
static void test_line_status(void **state)
{
    struct bench *b = *state;

    drive(b, 16, 1, true);
    drive(b, 31, 1, true);
    drive(b, 32, 0, true);
    drive(b, 64, 0, true);
    drive(b, 511, 0, true);
    assert_int_equal(dist(b, 0, GICD_PPISR), 0);
    assert_int_equal(dist(b, 1, GICD_PPISR), 0x8001);
    assert_int_equal(dist(b, 0, GICD_SPISR), 1);
    assert_int_equal(dist(b, 0, GICD_SPISR + 4), 1);
    for (unsigned n = 2; n < 14; n++)
        assert_int_equal(dist(b, 0, GICD_SPISR + 4 * n), 0);
    assert_int_equal(dist(b, 0, GICD_SPISR + 4 * 14), 0x80000000);
    assert_int_equal(dist(b, 0, GICD_SPISR + 4 * 15), 0);
}

/* Registers with one byte per interrupt accept bytes and halfwords, all others words only. */
static void test_other_sizes(void **state)
{
    struct bench *b = *state;
    uint64_t priority = DIST + GICD_IPRIORITYR + 64, pending = DIST + GICD_SPENDSGIR;

    bench_write_as(b, 0, priority, 4, 0x40302010);
    bench_write_as(b, 0, priority + 2, 2, 0x8070);
    assert_int_equal(bench_read_as(b, 0, priority, 4), 0x80702010);
    assert_int_equal(bench_read_as(b, 0, priority + 1, 1), 0x20);
    assert_int_equal(bench_read_as(b, 0, priority + 2, 2), 0x8070);
    assert_int_equal(bench_read_as(b, 0, priority, 8), 0x80702010);
    bench_write_as(b, 0, priority, 8, UINT64_C(0xd0c0b0a090807060));
    assert_true(bench_read_as(b, 0, priority, 8) == UINT64_C(0xd0c0b0a090807060));
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_TYPER + 1, 1), 0x04);
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_TYPER, 2), 0x046f);
    bench_write_as(b, 0, DIST + GICD_CTLR, 1, 0);
    assert_int_equal(dist(b, 0, GICD_CTLR), 1);
    bench_write_as(b, 0, DIST + GICD_ISENABLER + 4, 2, 0xffff);
    assert_int_equal(dist(b, 0, GICD_ISENABLER + 4), 0);
    bench_write_as(b, 0, pending, 1, 0x02);
    bench_write_as(b, 0, pending + 15, 1, 0x01);
    assert_int_equal(bench_read_as(b, 0, pending, 1), 0x02);
    assert_int_equal(dist(b, 0, GICD_CPENDSGIR), 0x02);
    assert_int_equal(dist(b, 0, GICD_SPENDSGIR + 12), 0x01000000);
    assert_int_equal(dist(b, 0, GICD_ISPENDR), 0x8001);
    assert_int_equal(dist(b, 0, GICD_SPENDSGIR + 16), 0);
    assert_int_equal(bench_read_as(b, 0, CPUIF + GICC_PMR, 1), 0xf0);
    assert_int_equal(bench_read_as(b, 0, CPUIF + GICC_CTLR, 8), UINT64_C(0xf000000001));
    bench_write_as(b, 0, CPUIF + GICC_CTLR, 8, UINT64_C(0x3000000000));
    assert_int_equal(cpuif(b, 0, GICC_CTLR), 0);
    assert_int_equal(cpuif(b, 0, GICC_PMR), 0x30);
}

/* An access without a CPU, such as a debugger's, uses CPU 0's bank. */
static void test_access_by_no_cpu(void **state)
{
    struct bench *b = *state;

    for (unsigned cpu = CPUS; cpu < CPUS + 2; cpu++) {
        unsigned nobody = cpu == CPUS ? cpu : BUS_NO_CPU;

        set_dist(b, nobody, GICD_ISENABLER, 1u << (16 + cpu));
        assert_true(dist(b, 0, GICD_ISENABLER) & 1u << (16 + cpu));
        assert_int_equal(dist(b, nobody, GICD_ISENABLER), dist(b, 0, GICD_ISENABLER));
        assert_int_equal(dist(b, 1, GICD_ISENABLER), 0xffff);
        set_hyp(b, nobody, 0x100, cpu);
        assert_int_equal(read_hyp(b, 0, 0x100), cpu);
        assert_int_equal(read_hyp(b, nobody, 0x100), cpu);
        assert_int_equal(read_hyp(b, 1, 0x100), 0);
        set_cpuif(b, nobody, GICC_PMR, 0x10);
        assert_int_equal(cpuif(b, nobody, GICC_PMR), 0);
        assert_int_equal(cpuif(b, 0, GICC_PMR), 0xf0);
    }
}

static void test_sgi_targets(void **state)
{
    struct bench *b = *state;

    set_dist(b, 0, GICD_SGIR, 0x03ff0002); /* filter 3 is reserved */
    set_dist(b, 0, GICD_SGIR, 0x00f00002); /* CPUs that do not exist */
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(dist(b, cpu, GICD_ISPENDR), 0);
    set_dist(b, 3, GICD_SGIR, 0x02ff0002); /* the sender itself, whatever the list says */
    assert_int_equal(dist(b, 3, GICD_ISPENDR), 4);
    set_dist(b, 3, GICD_SGIR, 0x01ff0001); /* all CPUs but the sender */
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(dist(b, cpu, GICD_ISPENDR), cpu == 3 ? 4 : 2);
    assert_int_equal(stats_get(b->stats, "gic", "sgis"), 4);
    bench_write_as(b, 1, DIST + GICD_SPENDSGIR + 8, 1, 0xff);
    assert_int_equal(bench_read_as(b, 1, DIST + GICD_SPENDSGIR + 8, 1), 0x0f);
    bench_write_as(b, 1, DIST + GICD_CPENDSGIR + 8, 1, 0x0e);
    assert_int_equal(bench_read_as(b, 1, DIST + GICD_CPENDSGIR + 8, 1), 0x01);
    assert_int_equal(dist(b, 1, GICD_ISPENDR), 1 << 8 | 2);
    bench_write_as(b, 1, DIST + GICD_CPENDSGIR + 8, 1, 0x01);
    assert_int_equal(dist(b, 1, GICD_ISPENDR), 2);
}

/* With one CPU the target registers do not exist, and that CPU gets all interrupts. */
static void test_one_cpu(void **state)
{
    struct bench *b = gic_bench(1);

    (void)state;
    set_dist(b, 0, GICD_CTLR, 1);
    set_cpuif(b, 0, GICC_CTLR, 1);
    set_cpuif(b, 0, GICC_PMR, 0xf0);
    assert_int_equal(dist(b, 0, GICD_TYPER) >> 5 & 7, 0);
    assert_int_equal(dist(b, 0, GICD_ITARGETSR), 0);
    use_spi(b, 50, 1, 0x80);
    assert_int_equal(dist(b, 0, GICD_ITARGETSR + 48), 0);
    bench_write_as(b, 0, DIST + GICD_ITARGETSR + 50, 1, 0);
    drive(b, 50, 0, true);
    assert_true(b->cpu_level[0]);
    bench_free(b);
}

/* ---- the CPU interface ----------------------------------------------------------------------- */

static void test_cpu_interface_bits(void **state)
{
    struct bench *b = *state;

    set_cpuif(b, 0, GICC_CTLR, UINT32_MAX);
    assert_int_equal(cpuif(b, 0, GICC_CTLR), 0x261); /* enable, bypass of FIQ and IRQ, EOImode */
    set_cpuif(b, 0, GICC_PMR, UINT32_MAX);
    assert_int_equal(cpuif(b, 0, GICC_PMR), 0xf0);
    for (unsigned bpr = 0; bpr < 8; bpr++) {
        set_cpuif(b, 0, GICC_BPR, 0xf8 | bpr);
        assert_int_equal(cpuif(b, 0, GICC_BPR), bpr < 3 ? 3 : bpr);
    }
    for (uint64_t offset = 0x1c; offset < 0x1000; offset += 4) { /* RAZ/WI or reserved */
        if (offset == GICC_APR0 || offset == GICC_IIDR)
            continue;
        set_cpuif(b, 0, offset, UINT32_MAX);
        assert_int_equal(cpuif(b, 0, offset), 0);
    }
    assert_int_equal(cpuif(b, 0, GICC_APR0), 0);
    assert_int_equal(cpuif(b, 0, GICC_EOIR), 0);
    assert_int_equal(cpuif(b, 0, GICC_DIR), 0);
}

/* A kernel saves and restores the active priorities. */
static void test_active_priorities(void **state)
{
    struct bench *b = *state;

    set_cpuif(b, 0, GICC_APR0, 0xffff0400);
    assert_int_equal(cpuif(b, 0, GICC_APR0), 0x0400);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xa0);
    use_spi(b, 50, 1, 0xa0);
    use_spi(b, 51, 1, 0x90);
    drive(b, 50, 0, true);
    assert_false(b->cpu_level[0]);
    drive(b, 51, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 51);
    assert_int_equal(cpuif(b, 0, GICC_APR0), 0x0600);
    set_cpuif(b, 0, GICC_APR0, 0); /* takes effect at once */
    assert_true(b->cpu_level[0]);
    for (unsigned n = 1; n < 4; n++) {
        set_cpuif(b, 0, GICC_APR0 + 4 * n, UINT32_MAX);
        assert_int_equal(cpuif(b, 0, GICC_APR0 + 4 * n), 0);
    }
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
}

/* Bits 7 to BPR + 1 decide on preemption (IHI 0048B table 3-2, one higher in this view). */
static void test_each_binary_point(void **state)
{
    static const uint8_t group[8] = {0xf0, 0xf0, 0xf0, 0xf0, 0xe0, 0xc0, 0x80, 0x00};
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xf0);
    set_cpuif(b, 0, GICC_PMR, 0xff);
    bench_write_as(b, 0, DIST + GICD_IPRIORITYR + 50, 1, 0xe0);
    for (unsigned bpr = 0; bpr < 8; bpr++) {
        set_cpuif(b, 0, GICC_BPR, bpr);
        drive(b, 50, 0, true);
        assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
        assert_int_equal(cpuif(b, 0, GICC_RPR), 0xe0 & group[bpr]);
        drive(b, 50, 0, false);
        set_cpuif(b, 0, GICC_EOIR, 50);
        assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
    }
}

/* End-of-interrupt for IDs without an interrupt has no effect. */
static void test_completing_strange_ids(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    for (unsigned id = 1020; id < 1024; id++)
        set_cpuif(b, 0, GICC_EOIR, id);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xa0);
    for (unsigned id = 512; id < 1024; id++)
        set_cpuif(b, 0, GICC_DIR, id);
    assert_int_equal(dist(b, 0, GICD_ISACTIVER + 4), 1u << 18);
    for (unsigned n = 2; n < 16; n++)
        assert_int_equal(dist(b, 0, GICD_ISACTIVER + 4 * n), 0);
    set_cpuif(b, 0, GICC_EOIR, 0xfffffc00 | 50); /* bits 9:0; the rest is an SGI's sender */
    assert_int_equal(dist(b, 0, GICD_ISACTIVER + 4), 0);
    set_cpuif(b, 0, GICC_EOIR, 700); /* priority drop only: no such interrupt is active */
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
}

static void test_counters(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cpuif(b, 0, GICC_IAR), 1023);
    assert_int_equal(stats_get(b->stats, "gic", "acknowledged"), 1);
    assert_int_equal(stats_get(b->stats, "gic", "spurious"), 3);
}

/* ISPENDR cannot make an SGI pending, since it names no sender; the lowest ID is PPI 16. */
static void test_lowest_private_interrupts(void **state)
{
    struct bench *b = *state;

    set_dist(b, 0, GICD_ISENABLER, 1u << 16);
    drive(b, 16, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 16);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 16); /* no sender in bits 12:10 */
    set_dist(b, 3, GICD_SGIR, 0x0001000f);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 3 << 10 | 15);
    set_dist(b, 0, GICD_CTLR, 0);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 1023); /* nothing is forwarded to CPUs */
}

/* ---- virtualisation, which is storage only --------------------------------------------------- */

static void test_hypervisor_registers(void **state)
{
    struct bench *b = *state;

    assert_int_equal(read_hyp(b, 0, 0x04),
                     0x90000003); /* GICH_VTR: 5 bits of priority, 4 list registers */
    assert_int_equal(read_hyp(b, 0, 0x30), 0xf); /* GICH_ELSR0: all of them are empty */
    assert_int_equal(read_hyp(b, 0, 0x00), 0);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        set_hyp(b, cpu, 0x100, 0x10 + cpu);
        set_hyp(b, cpu, 0x104, 0x20 + cpu);
        set_hyp(b, cpu, 0x1fc, 0x30 + cpu);
        set_hyp(b, cpu, 0x200, UINT32_MAX);
        set_hyp(b, cpu, 0x04, 0);
    }
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        assert_int_equal(read_hyp(b, cpu, 0x04), 0x90000003);
        assert_int_equal(read_hyp(b, cpu, 0x100), 0x10 + cpu);
        assert_int_equal(read_hyp(b, cpu, 0x104), 0x20 + cpu);
        assert_int_equal(read_hyp(b, cpu, 0x1fc), 0x30 + cpu);
        assert_int_equal(read_hyp(b, cpu, 0x200), 0);
        assert_int_equal(read_hyp(b, cpu, 0), 0);
    }
    assert_int_equal(bench_read_as(b, 0, HYP + 0x07, 1), 0x90);
    bench_write_as(b, 0, HYP + 0x100, 8, UINT64_C(0x2200000011));
    assert_true(bench_read_as(b, 0, HYP + 0x100, 8) == UINT64_C(0x2200000011));
}

static void test_virtual_interface(void **state)
{
    struct bench *b = *state;

    for (uint64_t offset = 0; offset < 0x2000; offset += 4) {
        bool interrupt = offset == GICC_IAR || offset == GICC_HPPIR;

        bench_write_as(b, 0, VCPU + offset, 4, UINT32_MAX);
        assert_int_equal(bench_read_as(b, 0, VCPU + offset, 4), interrupt ? 1023 : 0);
    }
    assert_int_equal(bench_read_as(b, 0, VCPU + 0x0d, 1), 0x03);
    assert_true(bench_read_as(b, 0, VCPU + 0x08, 8) == UINT64_C(0x3ff00000000));
}

/* ---- the device ------------------------------------------------------------------------------ */

static void test_regions(void **state)
{
    static const uint64_t sizes[4] = {0x1000, 0x2000, 0x2000, 0x2000};
    struct bench *b = bench_new();
    uint64_t value;

    (void)state;
    b->env.reg_count = 4;
    for (unsigned i = 0; i < 4; i++) /* some boards' nodes have more regions than the device uses */
        b->reg[i] = (struct device_reg){BENCH_BASE + 0x10000 * i, 0x10000};
    bench_create(b, "gicv2");
    for (unsigned i = 0; i < 4; i++) {
        assert_true(bus_read(b->bus, b->reg[i].base + sizes[i] - 1, 1, &value, 0));
        assert_false(bus_read(b->bus, b->reg[i].base + sizes[i], 1, &value, 0));
    }
    bench_free(b);
}

/*
 * Without virtualisation a node has two or three regions; fewer, or two at one place, are errors.
 */
static void test_missing_regions(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= 4; count++) {
        for (unsigned twice = 0; twice <= count; twice++) {
            struct bench *b = bench_new();
            const struct device_class *cls = device_class_by_name("gicv2");
            struct error err = {""};
            void *dev;

            b->env.reg_count = count;
            for (unsigned i = 0; i < 4; i++)
                b->reg[i] =
                    (struct device_reg){BENCH_BASE + 0x10000 * (i && i == twice ? 0 : i), 0x2000};
            dev = cls->create(&b->env, &err);
            if (count < 2 || (twice && twice < count)) {
                assert_null(dev);
                assert_true(err.text[0]);
            } else {
                assert_non_null(dev);
                cls->destroy(dev);
            }
            bench_free(b);
        }
    }
}

static void test_numbers_of_cpus(void **state)
{
    const struct device_class *cls = device_class_by_name("gicv2");

    (void)state;
    for (unsigned cpus = 0; cpus <= 9; cpus++) {
        struct bench *b = cpus && cpus < 9 ? gic_bench(cpus) : bench_new();
        struct error err = {""};

        if (b->dev) {
            assert_int_equal(dist(b, cpus - 1, GICD_TYPER) >> 5 & 7, cpus - 1);
        } else {
            b->env.cpu_count = cpus;
            b->env.reg_count = 2;
            b->reg[1] = (struct device_reg){CPUIF, 0x2000};
            assert_null(cls->create(&b->env, &err));
            assert_non_null(strstr(err.text, "CPUs"));
        }
        bench_free(b);
    }
}

static void test_specifiers(void **state)
{
    static const uint32_t spi[] = {0, 480, 4}, ppi[] = {1, 16, 4}, two[] = {0, 7};
    struct bench *b = *state;
    struct irq_line line = {0};
    struct error err;

    assert_false(b->cls->irq_input(b->dev, spi, 3, 0, &line, &err));
    assert_non_null(strstr(err.text, "no SPI 480"));
    assert_false(b->cls->irq_input(b->dev, ppi, 3, 0, &line, &err));
    assert_non_null(strstr(err.text, "no PPI 16"));
    assert_true(
        b->cls->irq_input(b->dev, two, 2, 0, &line, &err)); /* the cell of flags may be missing */
    irq_set(&line, true);
    assert_int_equal(dist(b, 0, GICD_SPISR), 1 << 7);
    for (unsigned count = 0; count < 2; count++)
        assert_false(b->cls->irq_input(b->dev, two, count, 0, &line, &err));
}

/* Number of times a CPU's line was driven. */
static unsigned driven;

static void count_driven(void *opaque, unsigned n, bool level)
{
    (void)opaque, (void)n, (void)level;
    driven++;
}

static void test_lines_are_driven_on_change_only(void **state)
{
    struct bench *b = *state;

    for (unsigned cpu = 0; cpu < DEVICE_MAX_CPUS; cpu++)
        b->cpu_irq[cpu] = (struct irq_line){count_driven, b, cpu};
    driven = 0;
    use_spi(b, 50, 1, 0xa0);
    drive(b, 50, 0, true);
    drive(b, 51, 0, true);
    set_cpuif(b, 0, GICC_PMR, 0xe0);
    assert_int_equal(driven, 1);
    drive(b, 50, 0, false);
    assert_int_equal(driven, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gic_setup, gic_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset_values),
        cmocka_unit_test(test_reset_brings_all_back),
        cmocka_unit_test(test_snapshot_keeps_all),
        TEST(test_loading_drives_the_lines),
        TEST(test_loading_what_no_hardware_holds),
        TEST(test_identification),
        TEST(test_ends_of_the_arrays),
        TEST(test_what_cannot_be_written),
        TEST(test_line_status),
        TEST(test_other_sizes),
        TEST(test_access_by_no_cpu),
        TEST(test_sgi_targets),
        cmocka_unit_test(test_one_cpu),
        TEST(test_cpu_interface_bits),
        TEST(test_active_priorities),
        TEST(test_each_binary_point),
        TEST(test_completing_strange_ids),
        TEST(test_counters),
        TEST(test_lowest_private_interrupts),
        TEST(test_hypervisor_registers),
        TEST(test_virtual_interface),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_missing_regions),
        cmocka_unit_test(test_numbers_of_cpus),
        TEST(test_specifiers),
        TEST(test_lines_are_driven_on_change_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
