/* Decoded code and its page: all kinds of self-modifying code, and the cache's bound. */
#include "tests/cpu/bench.h"

#include <stdlib.h>

#define HERE RAM
#define FAR  (RAM + 0x5000) /* not in HERE's page */

/* Puts a routine at `at` that adds the immediate of `r8` to r1 and returns to r4. */
static void put_routine(struct bench *b, uint64_t at)
{
    CODE(b, at, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_JR, 0, 4, 0));
}

/* Calls the routine at r3 and stops: `cpu_run` of 3 instructions. */
static void call_routine(struct bench *b, struct cpu *cpu, uint64_t routine)
{
    CODE(b, HERE, toy_word(TOY_JR, 0, 3, 0), toy_word(TOY_B, 0, 0, 0));
    toy_state(cpu)->x[3] = routine;
    toy_state(cpu)->x[4] = HERE + 4;
    cpu->pc = HERE;
    assert_int_equal(cpu_run(cpu, 3), 3);
}

static void store_to_another_page(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    put_routine(b, FAR);
    call_routine(b, b->cpu[0], FAR);
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 2);
    CODE(b, RAM + 0x2000, toy_word(TOY_ST32, 7, 5, 0), toy_word(TOY_ST32, 7, 5, 16),
         toy_word(TOY_B, 0, 0, 0));
    b->cpu[0]->pc = RAM + 0x2000;
    X(b, 5) = FAR;
    X(b, 7) = toy_word(TOY_ADDI, 1, 1, 10);
    cpu_run(b->cpu[0], 2);
    assert_int_equal(b->cpu[0]->counters.code_writes, 1);
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 12);
    bench_free(b);
}

/* Writing data beside code in a page does not drop the blocks. */
static void data_beside_code(void **state)
{
    struct bench *b = bench_new(1);
    uint64_t decoded;

    (void)state;
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ST64, 1, 5, 0x200),
         toy_word(TOY_LD64, 2, 5, 0x200), toy_word(TOY_B, 0, 0, -3));
    X(b, 5) = RAM;
    cpu_run(b->cpu[0], 8);
    decoded = b->cpu[0]->counters.blocks_decoded;
    cpu_run(b->cpu[0], 4000);
    assert_int_equal(b->cpu[0]->counters.blocks_decoded, decoded);
    assert_int_equal(X(b, 2), 1002);
    assert_int_equal(b->cpu[0]->counters.code_writes, 0);
    bench_free(b);
}

/* A block that rewrites its own start finishes unchanged, and the next time runs as rewritten. */
static void store_into_the_running_block(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ST32, 7, 5, 0),
         toy_word(TOY_ST32, 8, 5, 8), toy_word(TOY_ADDI, 2, 2, 1), toy_word(TOY_B, 0, 0, -4));
    X(b, 5) = RAM;
    X(b, 7) = toy_word(TOY_ADDI, 1, 1, 100);
    X(b, 8) = toy_word(TOY_NOP, 0, 0, 0);
    cpu_run(b->cpu[0], 5);
    assert_int_equal(X(b, 1), 1);
    assert_int_equal(X(b, 2), 1);
    cpu_run(b->cpu[0], 10);
    assert_int_equal(X(b, 1), 201);
    assert_int_equal(cpu_insns(b->cpu[0]), 15);
    bench_free(b);
}

/* A program that generates code: it writes, ends the block and executes, again and again. */
static void store_then_execute_the_next(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    /* r7 is an ADDI whose immediate grows by 1 per round; it is written to RAM + 12. */
    CODE(b, RAM, toy_word(TOY_ADDI, 7, 7, 1), toy_word(TOY_STC, 7, 5, 12),
         toy_word(TOY_NOP, 0, 0, 0), toy_word(TOY_UND, 0, 0, 0), toy_word(TOY_B, 0, 0, -4));
    X(b, 5) = RAM;
    X(b, 7) = toy_word(TOY_ADDI, 1, 1, 0);
    assert_int_equal(cpu_run(b->cpu[0], 5000), 5000);
    assert_int_equal(X(b, 1), 1000 * 1001 / 2);
    assert_int_equal(toy_state(b->cpu[0])->exceptions, 0);
    bench_free(b);
}

static void device_writes_code(void **state)
{
    struct bench *b = bench_new(1);
    uint32_t word = toy_word(TOY_ADDI, 1, 1, 50);

    (void)state;
    put_routine(b, FAR);
    call_routine(b, b->cpu[0], FAR);
    assert_true(bus_copy_to(b->bus, FAR, &word, 4));
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 51);
    /* A device that writes by its own pointer announces it first. */
    word = toy_word(TOY_ADDI, 1, 1, 60);
    bus_touched(b->bus, FAR, 4);
    memcpy(bus_ram_ptr(b->bus, FAR, 4), &word, 4);
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 111);
    assert_true(bus_has_code(b->bus, FAR, 4));
    cpu_code_flush(b->cpu[0]);
    assert_false(bus_has_code(b->bus, FAR, 4));
    bench_free(b);
}

/* CPU 1 has the page in its TLB as writable data before CPU 0 decodes code in it. */
static void another_cpu_writes_code(void **state)
{
    struct bench *b = bench_new(2);
    struct toy *other = toy_state(b->cpu[1]);

    (void)state;
    cpu_set_power(b->cpu[1], true);
    put_routine(b, FAR);
    CODE(b, RAM + 0x2000, toy_word(TOY_ST32, 7, 5, 0), toy_word(TOY_B, 0, 0, -1));
    b->cpu[1]->pc = RAM + 0x2000;
    other->x[5] = FAR;
    other->x[7] = toy_word(TOY_ADDI, 1, 1, 10);
    cpu_run(b->cpu[1], 4);
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 10);
    other->x[7] = toy_word(TOY_ADDI, 1, 1, 20);
    cpu_run(b->cpu[1], 4);
    call_routine(b, b->cpu[0], FAR);
    assert_int_equal(X(b, 1), 30);
    bench_free(b);
}

/* CPUs share blocks: none decodes what another has decoded. */
static void blocks_are_shared(void **state)
{
    struct bench *b = bench_new(2);

    (void)state;
    cpu_set_power(b->cpu[1], true);
    put_routine(b, FAR);
    CODE(b, HERE, toy_word(TOY_JR, 0, 3, 0), toy_word(TOY_B, 0, 0, 0));
    for (unsigned n = 0; n < 2; n++) {
        toy_state(b->cpu[n])->x[3] = FAR;
        toy_state(b->cpu[n])->x[4] = HERE + 4;
        cpu_run(b->cpu[n], 3);
        assert_int_equal(toy_state(b->cpu[n])->x[1], 1);
    }
    assert_int_equal(b->cpu[0]->counters.blocks_decoded, 2);
    assert_int_equal(b->cpu[1]->counters.blocks_decoded, 0);
    bench_free(b);
}

/* Two virtual addresses of a physical page share its blocks, since branches are relative. */
static void aliases_share_blocks(void **state)
{
    struct bench *b = bench_new(1);

    (void)state;
    bench_map(b, 0x10000, FAR, TOY_PTE_EXEC);
    bench_map(b, 0x20000, FAR, TOY_PTE_EXEC | TOY_PTE_WRITE);
    CODE(b, FAR, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_B, 0, 0, 1), toy_word(TOY_ADDI, 1, 1, 1),
         toy_word(TOY_ST32, 7, 5, 0), toy_word(TOY_B, 0, 0, -4));
    toy_state(b->cpu[0])->special[TOY_TTBR] = TABLE;
    X(b, 5) = 0x20000;
    X(b, 7) = toy_word(TOY_ADDI, 1, 1, 5);
    b->cpu[0]->pc = 0x10000;
    cpu_run(b->cpu[0], 3);
    assert_int_equal(b->cpu[0]->pc, 0x1000c);
    b->cpu[0]->pc = 0x20000;
    cpu_run(b->cpu[0], 3);
    assert_int_equal(b->cpu[0]->pc, 0x2000c);
    assert_int_equal(X(b, 1), 4);
    assert_int_equal(b->cpu[0]->counters.blocks_decoded, 2);
    cpu_run(b->cpu[0], 2);
    b->cpu[0]->pc = 0x10000;
    cpu_run(b->cpu[0], 1);
    assert_int_equal(X(b, 1), 9);
    bench_free(b);
}

/* With more code than the budget, all code is dropped from time to time, and results stay right. */
static void the_budget_is_kept(void **state)
{
    struct bench *b = bench_new(1);
    struct stats *stats = stats_new();
    uint32_t words[512];

    (void)state;
    cpu_register_stats(b->cpu[0], stats);
    for (unsigned n = 0; n < 512; n += 2) {
        words[n] = toy_word(TOY_ADDI, 1, 1, 1);
        words[n + 1] = toy_word(TOY_B, 0, 0, 1);
    }
    words[511] = toy_word(TOY_B, 0, 0, -511);
    bench_code(b, RAM, words, 512);
    cpu_code_set_budget(b->cpu[0], 16384);
    cpu_run(b->cpu[0], 512 * 50);
    assert_int_equal(X(b, 1), 256 * 50);
    assert_in_range(b->cpu[0]->counters.blocks_decoded, 256 * 50, 256 * 51);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "branch"), 256 * 50);
    cpu_code_set_budget(b->cpu[0], 1 << 20);
    cpu_run(b->cpu[0], 512 * 50);
    assert_in_range(b->cpu[0]->counters.blocks_decoded, 256 * 50, 256 * 53);
    assert_int_equal(stats_get(stats, "cpu0/instructions/ring1", "alu"), 256 * 100);
    stats_free(stats);
    bench_free(b);
}

/*
 * A client that writes past the bus: pages with code are protected, and their code drops as a
 * whole.
 */
struct protection {
    struct bench *b;
    unsigned on, off;
    uint64_t last;
    bool flush;
};

static void record_protection(void *opaque, uint64_t pa, bool on)
{
    struct protection *p = opaque;

    p->on += on;
    p->off += !on;
    p->last = pa;
    if (p->flush) /* a host that cannot protect a page drops all code */
        cpu_code_flush(p->b->cpu[0]);
}

static void protected_pages(void **state)
{
    struct bench *b = bench_new(1);
    struct protection p = {.b = b};

    (void)state;
    b->bus->protect = record_protection;
    b->bus->protect_opaque = &p;
    put_routine(b, FAR + 0x48);
    call_routine(b, b->cpu[0], FAR + 0x48);
    call_routine(b, b->cpu[0], FAR + 0x48);
    assert_int_equal(p.on, 3); /* call_routine() writes to its own page each time */
    assert_int_equal(p.off, 1);
    bench_put(b, FAR + 0x800, 1);
    assert_int_equal(p.off, 2);
    assert_int_equal(p.last, FAR);
    assert_false(bus_has_code(b->bus, FAR, 4096));
    call_routine(b, b->cpu[0], FAR + 0x48);
    assert_int_equal(X(b, 1), 3);
    /* All code is dropped while the first block of a page is made. */
    p.flush = true;
    put_routine(b, FAR + 0x1000);
    call_routine(b, b->cpu[0], FAR + 0x1000);
    call_routine(b, b->cpu[0], FAR + 0x1000);
    assert_int_equal(X(b, 1), 5);
    b->bus->protect = NULL;
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_to_another_page),
        cmocka_unit_test(protected_pages),
        cmocka_unit_test(data_beside_code),
        cmocka_unit_test(store_into_the_running_block),
        cmocka_unit_test(store_then_execute_the_next),
        cmocka_unit_test(device_writes_code),
        cmocka_unit_test(another_cpu_writes_code),
        cmocka_unit_test(blocks_are_shared),
        cmocka_unit_test(aliases_share_blocks),
        cmocka_unit_test(the_budget_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
