/* GICv2 driven as an operating system drives it; expectations from IHI 0048B. */
#include "tests/dev/gic_bench.h"

#include <string.h>

static void make_edge(struct bench *b, unsigned id)
{
    uint64_t offset = GICD_ICFGR + id / 16 * 4;

    set_dist(b, 0, offset, dist(b, 0, offset) | 2u << (id % 16 * 2));
}

static void test_identification(void **state)
{
    struct bench *b = *state;

    assert_int_equal(dist(b, 0, GICD_TYPER) & 0x1f, 15); /* 32 * 16 interrupts */
    assert_int_equal(dist(b, 0, GICD_TYPER) >> 5 & 7, 3);
    assert_int_equal(dist(b, 0, 0xfe8) >> 4 & 0xf, 2); /* architecture version */
    assert_int_equal(cpuif(b, 0, 0xfc) >> 16 & 0xf, 2);
    /* how software finds its CPU's number */
    assert_int_equal(dist(b, 2, GICD_ITARGETSR), 0x04040404);
}

static void test_level_interrupt(void **state)
{
    struct bench *b = *state;

    use_spi(b, 40, 1, 0xa0);
    drive(b, 40, 0, true);
    assert_true(b->cpu_level[0]);
    assert_false(b->cpu_level[1]);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 40);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 40);
    assert_false(b->cpu_level[0]); /* active: not signalled again */
    assert_int_equal(dist(b, 0, GICD_ISACTIVER + 4), 1u << 8);
    /* the line is still up, so it is pending */
    assert_int_equal(dist(b, 0, GICD_ISPENDR + 4), 1u << 8);
    set_cpuif(b, 0, GICC_EOIR, 40);
    assert_true(b->cpu_level[0]); /* signalled again */
    assert_int_equal(cpuif(b, 0, GICC_IAR), 40);
    drive(b, 40, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 40);
    assert_false(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_IAR), SPURIOUS);
}

static void test_level_dropped_before_acknowledge(void **state)
{
    struct bench *b = *state;

    use_spi(b, 40, 1, 0xa0);
    drive(b, 40, 0, true);
    drive(b, 40, 0, false);
    assert_false(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_IAR), SPURIOUS);
    set_cpuif(b, 0, GICC_EOIR, SPURIOUS);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
}

static void test_edge_interrupt(void **state)
{
    struct bench *b = *state;

    use_spi(b, 41, 1, 0xa0);
    make_edge(b, 41);
    assert_int_equal(dist(b, 0, GICD_ICFGR + 8), 2u << 18);
    drive(b, 41, 0, true);
    drive(b, 41, 0, false);
    assert_true(b->cpu_level[0]); /* the edge is remembered */
    assert_int_equal(cpuif(b, 0, GICC_IAR), 41);
    drive(b, 41, 0, true); /* a second edge while active */
    assert_false(b->cpu_level[0]);
    set_cpuif(b, 0, GICC_EOIR, 41);
    assert_true(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 41);
    set_cpuif(b, 0, GICC_EOIR, 41);
    assert_false(b->cpu_level[0]); /* a line that stays up makes no second edge */
}

static void test_priority_and_id_order(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    use_spi(b, 45, 1, 0xa0);
    use_spi(b, 60, 1, 0x80);
    drive(b, 50, 0, true);
    drive(b, 45, 0, true);
    drive(b, 60, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 60); /* the lower value is the higher priority */
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0x80);
    assert_false(b->cpu_level[0]); /* the others have too low a priority to preempt */
    drive(b, 60, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 60);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 45); /* equal priorities: the lower ID */
    drive(b, 45, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 45);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
}

static void test_preemption(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    use_spi(b, 51, 1, 0x90);
    use_spi(b, 52, 1, 0x10);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    drive(b, 51, 0, true);
    assert_true(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 51);
    drive(b, 52, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 52);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0x10);
    drive(b, 52, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 52);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0x90);
    drive(b, 51, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 51);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xa0);
    drive(b, 50, 0, false);
    set_cpuif(b, 0, GICC_EOIR, 50);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
}

/* With a binary point of 5, bits 7:6 of the priority decide on preemption. */
static void test_binary_point(void **state)
{
    struct bench *b = *state;

    set_cpuif(b, 0, GICC_BPR, 5);
    use_spi(b, 50, 1, 0xb0);
    use_spi(b, 51, 1, 0x80);
    use_spi(b, 52, 1, 0x70);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0x80);
    drive(b, 51, 0, true);
    assert_false(b->cpu_level[0]); /* same preemption group as 0xb0 */
    drive(b, 52, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 52);
    set_cpuif(b, 0, GICC_BPR, 0);
    assert_int_equal(cpuif(b, 0, GICC_BPR), 3); /* the least implemented value */
}

static void test_priority_mask(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    set_cpuif(b, 0, GICC_PMR, 0xa0);
    drive(b, 50, 0, true);
    assert_false(b->cpu_level[0]); /* a priority equal to the mask is masked */
    assert_int_equal(cpuif(b, 0, GICC_IAR), SPURIOUS);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 50);
    set_cpuif(b, 0, GICC_PMR, 0xb0);
    assert_true(b->cpu_level[0]);
    bench_write_as(b, 0, DIST + GICD_IPRIORITYR + 50, 1, 0xff);
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_IPRIORITYR + 50, 1), 0xf0); /* 16 levels */
    assert_false(b->cpu_level[0]);
    set_cpuif(b, 0, GICC_PMR, 0xff);
    assert_int_equal(cpuif(b, 0, GICC_PMR), 0xf0);
}

static void test_enables(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    drive(b, 50, 0, true);
    assert_true(b->cpu_level[0]);
    set_dist(b, 0, GICD_ICENABLER + 4, 1u << 18);
    assert_false(b->cpu_level[0]);
    assert_int_equal(dist(b, 0, GICD_ISPENDR + 4), 1u << 18); /* still pending */
    set_dist(b, 0, GICD_ISENABLER + 4, 1u << 18);
    assert_true(b->cpu_level[0]);
    set_dist(b, 0, GICD_CTLR, 0);
    assert_false(b->cpu_level[0]);
    set_dist(b, 0, GICD_CTLR, 1);
    set_cpuif(b, 0, GICC_CTLR, 0);
    assert_false(b->cpu_level[0]);
    set_cpuif(b, 0, GICC_CTLR, 1);
    assert_true(b->cpu_level[0]);
}

static void test_targets(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 0x6, 0xa0); /* CPUs 1 and 2 */
    drive(b, 50, 0, true);
    assert_false(b->cpu_level[0]);
    assert_true(b->cpu_level[1] && b->cpu_level[2]);
    assert_int_equal(cpuif(b, 2, GICC_IAR), 50); /* the first acknowledgement gets it */
    assert_false(b->cpu_level[1]);
    assert_int_equal(cpuif(b, 1, GICC_IAR), SPURIOUS);
    set_cpuif(b, 2, GICC_EOIR, 50);
    assert_true(b->cpu_level[1]);
    bench_write_as(b, 0, DIST + GICD_ITARGETSR + 50, 1, 0xff);
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_ITARGETSR + 50, 1), 0x0f);
    set_dist(b, 0, GICD_ITARGETSR + 48, 0x01020408);
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_ITARGETSR + 50, 1), 0x02);
    assert_false(b->cpu_level[0]);
    assert_true(b->cpu_level[1]);
}

static void test_private_interrupts_are_banked(void **state)
{
    struct bench *b = *state;

    set_dist(b, 1, GICD_ISENABLER, 1u << 27);
    bench_write_as(b, 1, DIST + GICD_IPRIORITYR + 27, 1, 0x40);
    assert_int_equal(dist(b, 0, GICD_ISENABLER), 0xffff);
    assert_int_equal(dist(b, 1, GICD_ISENABLER), 0x0800ffff);
    assert_int_equal(dist(b, 0, GICD_IPRIORITYR + 24), 0);
    assert_int_equal(dist(b, 1, GICD_IPRIORITYR + 24), 0x40000000);
    drive(b, 27, 0, true);
    drive(b, 27, 1, true);
    assert_false(b->cpu_level[0]);
    assert_true(b->cpu_level[1]);
    assert_int_equal(cpuif(b, 1, GICC_IAR), 27);
    assert_int_equal(dist(b, 0, GICD_ISACTIVER), 0);
    assert_int_equal(dist(b, 1, GICD_ISACTIVER), 1u << 27);
}

static void test_sgi_filters(void **state)
{
    struct bench *b = *state;

    set_dist(b, 1, GICD_SGIR, 0x000d0003); /* target list: CPUs 0, 2, 3 */
    assert_true(b->cpu_level[0] && !b->cpu_level[1] && b->cpu_level[2] && b->cpu_level[3]);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 1u << 10 | 3);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        assert_int_equal(cpuif(b, cpu, GICC_IAR), cpu == 1 ? SPURIOUS : 1u << 10 | 3);
        set_cpuif(b, cpu, GICC_EOIR, 1u << 10 | 3);
    }
    set_dist(b, 2, GICD_SGIR, 0x01000004); /* all CPUs but the sender */
    assert_true(b->cpu_level[0] && b->cpu_level[1] && !b->cpu_level[2] && b->cpu_level[3]);
    set_dist(b, 2, GICD_SGIR, 0x02000005); /* the sender itself */
    assert_int_equal(cpuif(b, 2, GICC_IAR), 2u << 10 | 5);
}

/* An SGI is pending once per sender: sent by two CPUs, it is two interrupts. */
static void test_sgi_from_several_senders(void **state)
{
    struct bench *b = *state;

    set_dist(b, 3, GICD_SGIR, 0x00010007);
    set_dist(b, 1, GICD_SGIR, 0x00010007);
    assert_int_equal(bench_read_as(b, 0, DIST + GICD_SPENDSGIR + 7, 1), 0x0a);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 1u << 10 | 7);
    assert_false(b->cpu_level[0]);
    set_cpuif(b, 0, GICC_EOIR, 1u << 10 | 7);
    assert_true(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 3u << 10 | 7);
    set_cpuif(b, 0, GICC_EOIR, 3u << 10 | 7);
    assert_false(b->cpu_level[0]);
    bench_write_as(b, 0, DIST + GICD_SPENDSGIR + 9, 1, 0x04);
    assert_int_equal(cpuif(b, 0, GICC_HPPIR), 2u << 10 | 9);
    bench_write_as(b, 0, DIST + GICD_CPENDSGIR + 9, 1, 0x04);
    assert_false(b->cpu_level[0]);
}

static void test_sgis_cannot_be_disabled(void **state)
{
    struct bench *b = *state;

    set_dist(b, 0, GICD_ICENABLER, 0xffffffff);
    assert_int_equal(dist(b, 0, GICD_ISENABLER), 0xffff);
    set_dist(b, 0, GICD_ISPENDR, 0xffff); /* SGIs have pending registers of their own */
    assert_int_equal(dist(b, 0, GICD_ISPENDR), 0);
}

static void test_software_pending(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    set_dist(b, 0, GICD_ISPENDR + 4, 1u << 18);
    assert_true(b->cpu_level[0]);
    set_dist(b, 0, GICD_ICPENDR + 4, 1u << 18);
    assert_false(b->cpu_level[0]);
    drive(b, 50, 0, true);
    set_dist(b, 0, GICD_ICPENDR + 4, 1u << 18); /* no effect while the level is asserted */
    assert_true(b->cpu_level[0]);
}

static void test_split_completion(void **state)
{
    struct bench *b = *state;

    set_cpuif(b, 0, GICC_CTLR, 1 | 1u << 9);
    use_spi(b, 50, 1, 0xa0);
    use_spi(b, 51, 1, 0xa0);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    set_cpuif(b, 0, GICC_EOIR, 50); /* EOImode: drops the priority only */
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xff);
    assert_int_equal(dist(b, 0, GICD_ISACTIVER + 4), 1u << 18);
    assert_false(b->cpu_level[0]);
    drive(b, 51, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR),
                     51); /* the running priority is idle, so 51 can be acknowledged */
    set_cpuif(b, 0, GICC_EOIR, 51);
    set_cpuif(b, 0, GICC_DIR, 50);
    assert_true(b->cpu_level[0]);
}

static void test_clearing_active(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    set_dist(b, 0, GICD_ISACTIVER + 4, 1u << 18);
    drive(b, 50, 0, true);
    assert_false(b->cpu_level[0]);
    set_dist(b, 0, GICD_ICACTIVER + 4, 1u << 18);
    assert_true(b->cpu_level[0]);
}

static void test_specifiers(void **state)
{
    struct bench *b = *state;
    static const uint32_t bad[][3] = {{0, 480, 4}, {1, 16, 4}, {2, 0, 4}};
    uint32_t good[3] = {0, 479, 4};
    struct irq_line l;
    struct error err;

    for (unsigned i = 0; i < 3; i++)
        assert_false(b->cls->irq_input(b->dev, bad[i], 3, 0, &l, &err));
    assert_false(b->cls->irq_input(b->dev, good, 1, 0, &l, &err));
    assert_false(b->cls->irq_input(b->dev, good, 3, 4, &l, &err));
    assert_true(b->cls->irq_input(b->dev, good, 3, 0, &l, &err));
    use_spi(b, 511, 8, 0);
    irq_set(&l, true);
    assert_int_equal(cpuif(b, 3, GICC_IAR), 511);
}

static void test_debugger_does_not_acknowledge(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    drive(b, 50, 0, true);
    bench_read_as(b, BUS_NO_CPU, CPUIF + GICC_IAR, 4);
    assert_true(b->cpu_level[0]);
}

static void test_snapshot(void **state)
{
    struct bench *b = *state;

    use_spi(b, 50, 1, 0xa0);
    use_spi(b, 51, 1, 0x20);
    drive(b, 50, 0, true);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 50);
    drive(b, 51, 0, true);
    bench_save_and_load(b);
    assert_true(b->cpu_level[0]);
    assert_int_equal(cpuif(b, 0, GICC_RPR), 0xa0);
    assert_int_equal(cpuif(b, 0, GICC_IAR), 51);
    b->cls->reset(b->dev);
    assert_false(b->cpu_level[0]);
    assert_int_equal(dist(b, 0, GICD_CTLR), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gic_setup, gic_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_identification),
        TEST(test_level_interrupt),
        TEST(test_level_dropped_before_acknowledge),
        TEST(test_edge_interrupt),
        TEST(test_priority_and_id_order),
        TEST(test_preemption),
        TEST(test_binary_point),
        TEST(test_priority_mask),
        TEST(test_enables),
        TEST(test_targets),
        TEST(test_private_interrupts_are_banked),
        TEST(test_sgi_filters),
        TEST(test_sgi_from_several_senders),
        TEST(test_sgis_cannot_be_disabled),
        TEST(test_software_pending),
        TEST(test_split_completion),
        TEST(test_clearing_active),
        TEST(test_specifiers),
        TEST(test_debugger_does_not_acknowledge),
        TEST(test_snapshot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
