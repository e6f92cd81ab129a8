/* The soft TLB, translation, accesses that cross pages, devices, faults. */
#include "tests/cpu/bench.h"

#include <stdlib.h>
#include <string.h>

#define RW      TOY_PTE_WRITE
#define CODE_VA 0x100000 /* where the tests' code page is mapped */

/* A bench with translation on; CODE_VA and the vector page are mapped. */
static struct bench *mapped_bench(unsigned cpus)
{
    struct bench *b = bench_new(cpus);

    bench_map(b, CODE_VA, RAM, TOY_PTE_EXEC | TOY_PTE_USER);
    bench_map(b, CODE_VA + 0x1000, VECTOR, TOY_PTE_EXEC);
    CODE(b, VECTOR, toy_word(TOY_B, 0, 0, 0));
    for (unsigned n = 0; n < cpus; n++) {
        toy_state(b->cpu[n])->special[TOY_TTBR] = TABLE;
        toy_state(b->cpu[n])->special[TOY_VBAR] = CODE_VA + 0x1000;
        b->cpu[n]->pc = CODE_VA;
    }
    return b;
}

/* Executes one instruction at the start of the code page, with the address in r5. */
static bool execute_access(struct bench *b, uint32_t word, uint64_t address)
{
    struct cpu *cpu = b->cpu[0];
    uint32_t before = toy_state(cpu)->exceptions;

    CODE(b, RAM, word, toy_word(TOY_B, 0, 0, 0));
    cpu->pc = CODE_VA;
    X(b, 5) = address;
    cpu_run(cpu, 1);
    return toy_state(cpu)->exceptions == before;
}

static uint64_t fault_of(struct bench *b)
{
    struct toy *s = toy_state(b->cpu[0]);

    assert_int_equal(s->special[TOY_CAUSE], TOY_CAUSE_FAULT);
    return s->special[TOY_FAULT];
}

#define FAULT(access, code) ((uint64_t)(access) << 32 | (code))

static void sizes_and_offsets(void **state)
{
    struct bench *b = bench_new(1);
    struct toy *s = toy_state(b->cpu[0]);

    (void)state;
    CODE(b, RAM, toy_word(TOY_ST64, 1, 5, 0), toy_word(TOY_ST8, 2, 5, 9),
         toy_word(TOY_LD8, 6, 5, 7), toy_word(TOY_LD16, 7, 5, 6), toy_word(TOY_LD32, 8, 5, 3),
         toy_word(TOY_LD64, 9, 5, 2), toy_word(TOY_LD128, 10, 5, 1),
         toy_word(TOY_ST128, 10, 5, 33));
    s->x[1] = UINT64_C(0x1122334455667788);
    s->x[2] = 0xabcd;
    s->x[5] = DATA + 3;
    cpu_run(b->cpu[0], 8);
    assert_int_equal(s->x[6], 0x11);
    assert_int_equal(s->x[7], 0x1122);
    assert_int_equal(s->x[8], 0x22334455);
    assert_int_equal(s->x[9], UINT64_C(0xcd00112233445566));
    assert_int_equal(s->x[10], UINT64_C(0x0011223344556677));
    assert_int_equal(s->high[10], 0xcd);
    assert_int_equal(bench_get(b, DATA + 36), s->x[10]);
    assert_int_equal(bench_get(b, DATA + 44), s->high[10]);
    bench_free(b);
}

/* Accesses of every size at every offset around a page boundary; the second page is elsewhere. */
static void page_crossing(void **state)
{
    static const uint8_t loads[] = {TOY_LD8, TOY_LD16, TOY_LD32, TOY_LD64, TOY_LD128};
    struct bench *b = mapped_bench(1);
    uint8_t bytes[32];

    (void)state;
    bench_map(b, 0x10000, DATA + 0x3000, RW);
    bench_map(b, 0x11000, DATA, RW);
    for (unsigned op = 0; op < 5; op++) {
        unsigned size = 1u << op;

        for (unsigned back = 0; back <= size; back++) {
            uint64_t va = 0x11000 - back;
            uint64_t in[2] = {UINT64_C(0x0807060504030201), UINT64_C(0x100f0e0d0c0b0a09)};

            bench_put(b, DATA + 0x3ff0, 0);
            bench_put(b, DATA + 0x3ff8, 0);
            bench_put(b, DATA, 0);
            bench_put(b, DATA + 8, 0);
            X(b, 6) = in[0];
            toy_state(b->cpu[0])->high[6] = in[1];
            assert_true(execute_access(b, toy_word(loads[op] + 8, 6, 5, 0), va));
            bus_copy_from(b->bus, DATA + 0x3ff0, bytes, 16);
            bus_copy_from(b->bus, DATA, bytes + 16, 16);
            for (unsigned n = 0; n < 32; n++)
                assert_int_equal(bytes[n],
                                 n >= 16 - back && n < 16 - back + size ? n - 15 + back : 0);
            assert_true(execute_access(b, toy_word(loads[op], 7, 5, 0), va));
            assert_memory_equal(&X(b, 7), in, size < 8 ? size : 8);
            if (size == 16)
                assert_int_equal(toy_state(b->cpu[0])->high[7], in[1]);
        }
    }
    bench_free(b);
}

/* A store whose second page faults changes nothing, and the fault reports the second page. */
static void crossing_faults_change_nothing(void **state)
{
    static const struct {
        uint64_t pa;
        unsigned flags, code;
    } second[] = {
        {DATA, 0, 13},
        {NOWHERE, RW, CPU_FAULT_EXTERNAL},
        {DEVICE, RW | TOY_PTE_DEVICE, CPU_FAULT_ALIGNMENT},
    };

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(second); n++) {
        struct bench *b = mapped_bench(1);

        bench_map(b, 0x10000, DATA + 0x3000, RW);
        bench_map(b, 0x11000, second[n].pa, second[n].flags);
        X(b, 6) = UINT64_MAX;
        assert_false(execute_access(b, toy_word(TOY_ST64, 6, 5, 0), 0x10ffd));
        assert_int_equal(fault_of(b), FAULT(CPU_WRITE, second[n].code));
        assert_int_equal(toy_state(b->cpu[0])->special[TOY_FAULT_VA], 0x11000);
        assert_int_equal(bench_get(b, DATA + 0x3ff8), 0);
        bench_free(b);
    }
}

static void permissions_per_ring(void **state)
{
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DATA, RW);
    bench_map(b, 0x11000, DATA + 0x1000, TOY_PTE_USER);
    bench_put(b, DATA + 0x1000, 11);
    assert_true(execute_access(b, toy_word(TOY_ST64, 6, 5, 0), 0x10000));
    assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), 0x11000));
    assert_false(execute_access(b, toy_word(TOY_ST64, 6, 5, 0), 0x11000));
    assert_int_equal(fault_of(b), FAULT(CPU_WRITE, 13));
    /* Ring 1 with the permissions of ring 0, also if ring 1 has an entry already. */
    assert_false(execute_access(b, toy_word(TOY_LDU, 6, 5, 0), 0x10000));
    assert_int_equal(fault_of(b), FAULT(CPU_READ, 13));
    assert_true(execute_access(b, toy_word(TOY_LDU, 6, 5, 0), 0x11000));
    assert_int_equal(X(b, 6), 11);
    cpu_set_ring(b->cpu[0], 0);
    assert_false(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), 0x10000));
    assert_int_equal(b->cpu[0]->ring, 1);
    cpu_set_ring(b->cpu[0], 0);
    assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), 0x11000));
    /* Code that ring 0 may not execute, though ring 1 just did. */
    b->cpu[0]->pc = CODE_VA + 0x1000;
    cpu_set_ring(b->cpu[0], 1);
    assert_int_equal(cpu_run(b->cpu[0], 5), 5);
    cpu_set_ring(b->cpu[0], 0);
    b->cpu[0]->pc = CODE_VA + 0x1000;
    cpu_run(b->cpu[0], 1);
    assert_int_equal(fault_of(b), FAULT(CPU_FETCH, 13));
    bench_free(b);
}

/* Entries stay until flushed; each kind of flush removes exactly its entries. */
static void flushes_remove_entries(void **state)
{
    static const uint64_t pages[] = {0x10000, 0x11000, 0x14000, 0x15000};

    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct bench *b = mapped_bench(1);
        /* kind: 0 all, 1 not global, 2 the page 0x11000, 3 a page of the large one */
        static const bool gone[4][4] = {{true, true, true, true},
                                        {false, true, false, false},
                                        {false, true, false, false},
                                        {false, false, true, true}};

        bench_map(b, 0x10000, DATA, RW);
        bench_map(b, 0x11000, DATA + 0x1000, RW | TOY_PTE_NOT_GLOBAL);
        bench_map(b, 0x14000, DATA + 0x4000, RW | TOY_PTE_LARGE);
        bench_map(b, 0x15000, DATA + 0x5000, RW | TOY_PTE_LARGE);
        for (unsigned n = 0; n < 4; n++) {
            bench_put(b, DATA + 0x8000 + n * 0x1000, 9);
            assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), pages[n]));
            assert_int_equal(X(b, 6), 0);
        }
        for (unsigned n = 0; n < 4; n++)
            bench_map(b, pages[n], DATA + 0x8000 + n * 0x1000, RW);
        for (unsigned n = 0; n < 4; n++) {
            assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), pages[n]));
            assert_int_equal(X(b, 6), 0);
        }
        assert_true(execute_access(b, toy_word(TOY_TLBI, 0, 5, kind < 2 ? (int)kind : 2),
                                   kind == 2   ? 0x11008
                                   : kind == 3 ? 0x17000
                                               : 0));
        for (unsigned n = 0; n < 4; n++) {
            assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), pages[n]));
            assert_int_equal(X(b, 6), gone[kind][n] ? 9 : 0);
        }
        bench_free(b);
    }
}

/* All kinds of flush also clear the jump cache: everything, address space, page, large page. */
static void flushes_reach_the_jump_cache(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        struct bench *b = mapped_bench(1);
        unsigned flags =
            TOY_PTE_EXEC | (kind == 1 ? TOY_PTE_NOT_GLOBAL : 0) | (kind == 3 ? TOY_PTE_LARGE : 0);
        uint64_t va = 0x14000;

        CODE(b, DATA, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_JR, 0, 4, 0));
        CODE(b, DATA + 0x1000, toy_word(TOY_ADDI, 1, 1, 100), toy_word(TOY_JR, 0, 4, 0));
        CODE(b, RAM, toy_word(TOY_JR, 0, 3, 0), toy_word(TOY_TLBI, 0, 5, kind < 2 ? (int)kind : 2),
             toy_word(TOY_JR, 0, 3, 0));
        bench_map(b, va, DATA, flags);
        X(b, 3) = va;
        X(b, 4) = CODE_VA + 4;
        X(b, 5) = kind == 3 ? va + 0x3000 : va;
        cpu_run(b->cpu[0], 3);
        assert_int_equal(X(b, 1), 1);
        bench_map(b, va, DATA + 0x1000, flags);
        b->cpu[0]->pc = CODE_VA;
        cpu_run(b->cpu[0], 3);
        assert_int_equal(X(b, 1), 2); /* the old code, since nothing was flushed */
        cpu_run(b->cpu[0], 3);
        assert_int_equal(X(b, 1), 102);
        bench_free(b);
    }
}

/* Pages that share a slot of the table replace each other, and are found again. */
static void conflicts_replace_entries(void **state)
{
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DATA, RW);
    bench_map(b, 0x10000 + TLB_SIZE * 0x1000, DATA + 0x1000, RW);
    bench_put(b, DATA + 8, 1);
    bench_put(b, DATA + 0x1008, 2);
    for (unsigned n = 0; n < 6; n++) {
        assert_true(
            execute_access(b, toy_word(TOY_LD64, 6, 5, 8), 0x10000 + (n & 1) * TLB_SIZE * 0x1000));
        assert_int_equal(X(b, 6), 1 + (n & 1));
    }
    bench_free(b);
}

static void devices_are_accessed(void **state)
{
    static const uint8_t loads[] = {TOY_LD8, TOY_LD16, TOY_LD32, TOY_LD64};
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DEVICE, RW | TOY_PTE_DEVICE);
    bench_map(b, 0x11000, DEVICE + 0x1000, RW); /* mapped with memory's attributes */
    b->device[1] = UINT64_C(0x8877665544332211);
    b->device[2] = 5;
    for (unsigned n = 0; n < 4; n++) {
        assert_true(execute_access(b, toy_word(loads[n], 6, 5, 8), 0x10000));
        assert_int_equal(b->last_size, 1u << n);
        assert_int_equal(b->last_offset, 8);
        assert_int_equal(b->last_cpu, 0);
        assert_int_equal(X(b, 6), b->device[1] & (UINT64_MAX >> (64 - (8u << n))));
        X(b, 6) = 0xf00 + n;
        assert_true(execute_access(b, toy_word(loads[n] + 8, 6, 5, 16), 0x10000));
        assert_int_equal(b->device[2], n ? 0xf00 + n : 0);
    }
    assert_true(execute_access(b, toy_word(TOY_LD128, 6, 5, 0), 0x10000));
    assert_int_equal(toy_state(b->cpu[0])->high[6], b->device[1]);
    assert_int_equal(b->last_size, 8);
    assert_int_equal(b->cpu[0]->counters.mmio_reads, 6);
    assert_int_equal(b->cpu[0]->counters.mmio_writes, 4);
    /* The page was walked once; the soft TLB served the other accesses. */
    assert_in_range(b->cpu[0]->counters.walks, 2, 4);

    b->accesses = 0;
    assert_false(execute_access(b, toy_word(TOY_LD32, 6, 5, 2), 0x10000));
    assert_int_equal(fault_of(b), FAULT(CPU_READ, CPU_FAULT_ALIGNMENT));
    assert_false(execute_access(b, toy_word(TOY_ST32, 6, 5, 2), 0x11000));
    assert_int_equal(fault_of(b), FAULT(CPU_WRITE, CPU_FAULT_EXTERNAL));
    assert_false(execute_access(b, toy_word(TOY_LD32, 6, 5, -2), 0x12000));
    assert_int_equal(b->accesses, 0);
    bench_free(b);
}

/* Memory mapped with device attributes works, but misaligned accesses to it fault. */
static void device_attribute_on_memory(void **state)
{
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DATA, RW | TOY_PTE_DEVICE);
    X(b, 6) = 7;
    assert_true(execute_access(b, toy_word(TOY_ST32, 6, 5, 4), 0x10000));
    assert_true(execute_access(b, toy_word(TOY_LD32, 7, 5, 4), 0x10000));
    assert_int_equal(X(b, 7), 7);
    assert_false(execute_access(b, toy_word(TOY_LD32, 7, 5, 1), 0x10000));
    assert_int_equal(fault_of(b), FAULT(CPU_READ, CPU_FAULT_ALIGNMENT));
    bench_free(b);
}

static void rom_and_nothing(void **state)
{
    struct bench *b = bench_new(1);
    uint64_t value = 99;

    (void)state;
    bus_load(b->bus, ROM, &value, 8);
    CODE(b, RAM, toy_word(TOY_LD64, 1, 5, 0), toy_word(TOY_ST64, 2, 5, 0),
         toy_word(TOY_LD64, 3, 5, 0), toy_word(TOY_ST64, 2, 6, 0));
    X(b, 5) = ROM;
    X(b, 6) = NOWHERE;
    cpu_run(b->cpu[0], 4);
    assert_int_equal(X(b, 1), 99);
    assert_int_equal(X(b, 3), 99);
    assert_int_equal(fault_of(b), FAULT(CPU_WRITE, CPU_FAULT_EXTERNAL));
    bench_free(b);
}

static void probes_find_faults(void **state)
{
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DATA, RW);
    bench_map(b, 0x11000, DATA, 0);
    X(b, 6) = 64;
    assert_true(execute_access(b, toy_word(TOY_PROBE, 6, 5, 0), 0x10fc0));
    assert_false(execute_access(b, toy_word(TOY_PROBE, 6, 5, 0), 0x10fc1));
    assert_int_equal(toy_state(b->cpu[0])->special[TOY_FAULT_VA], 0x11000);
    assert_int_equal(fault_of(b), FAULT(CPU_WRITE, 13));
    X(b, 6) = 1;
    assert_false(execute_access(b, toy_word(TOY_PROBE, 6, 5, 0), 0x12345));
    assert_int_equal(fault_of(b), FAULT(CPU_WRITE, 7));
    bench_free(b);
}

/*
 * A device page mapped as memory: accesses that cross into it come byte by byte, and accesses of 16
 * bytes as two. A device's own pages refuse misaligned accesses, but may be probed.
 */
static void devices_in_parts(void **state)
{
    struct bench *b = mapped_bench(1);

    (void)state;
    bench_map(b, 0x10000, DEVICE, RW);
    bench_map(b, 0x11000, DEVICE + 0x1000, RW);
    bench_map(b, 0x12000, DEVICE, RW | TOY_PTE_DEVICE);
    bench_map(b, 0x13000, DATA, RW);
    assert_true(execute_access(b, toy_word(TOY_ST64, 6, 5, 0), 0x10ffd));
    assert_int_equal(b->accesses, 8);
    assert_int_equal(b->last_offset, 0x1004);
    assert_int_equal(b->last_size, 1);
    assert_true(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), 0x10ffd));
    assert_int_equal(b->accesses, 16);
    X(b, 6) = 0x1111;
    toy_state(b->cpu[0])->high[6] = 0x2222;
    assert_true(execute_access(b, toy_word(TOY_ST128, 6, 5, 0), 0x10010));
    assert_int_equal(b->accesses, 18);
    assert_int_equal(b->device[2], 0x1111);
    assert_int_equal(b->device[3], 0x2222);
    assert_true(execute_access(b, toy_word(TOY_LD128, 7, 5, 0), 0x10010));
    assert_int_equal(b->accesses, 20);
    assert_int_equal(toy_state(b->cpu[0])->high[7], 0x2222);
    assert_false(execute_access(b, toy_word(TOY_LD64, 6, 5, 0), 0x12ffd));
    assert_int_equal(fault_of(b), FAULT(CPU_READ, CPU_FAULT_ALIGNMENT));
    assert_int_equal(toy_state(b->cpu[0])->special[TOY_FAULT_VA], 0x12ffd);
    X(b, 6) = 8;
    assert_true(execute_access(b, toy_word(TOY_PROBE, 6, 5, 0), 0x11ffd));
    assert_int_equal(b->accesses, 20);
    bench_free(b);
}

/* Page tables of the description must lie in RAM as a whole. */
static void physical_accesses(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = b->cpu[0];
    const uint64_t last = RAM + RAM_SIZE - 8;
    uint64_t value = 0;

    (void)state;
    assert_true(cpu_phys_write64(cpu, last, UINT64_C(0x8877665544332211)));
    assert_int_equal(bench_get(b, last), UINT64_C(0x8877665544332211));
    assert_true(cpu_phys_read(cpu, last + 4, 4, &value));
    assert_int_equal(value, 0x88776655);
    assert_false(cpu_phys_read(cpu, last + 4, 8, &value));
    assert_false(cpu_phys_write64(cpu, last + 4, 0));
    assert_int_equal(bench_get(b, last), UINT64_C(0x8877665544332211));
    assert_false(cpu_phys_write64(cpu, ROM, 1));
    assert_false(cpu_phys_write64(cpu, DEVICE, 1));
    assert_false(cpu_phys_write64(cpu, NOWHERE, 1));
    assert_int_equal(b->accesses, 0);
    assert_true(cpu_phys_read(cpu, DEVICE, 8, &value));
    assert_int_equal(b->accesses, 1);
    bench_free(b);
}

/* The debugger's copies are translated, and change neither devices nor state. */
static void copies_for_the_debugger(void **state)
{
    struct bench *b = mapped_bench(1);
    char text[] = "across two pages";
    char back[sizeof(text)] = "";

    (void)state;
    bench_map(b, 0x10000, DATA + 0x5000, 0);
    bench_map(b, 0x11000, DATA, 0);
    bench_map(b, 0x12000, DEVICE, RW);
    cpu_set_ring(b->cpu[0], 0); /* may not read them itself */
    assert_true(cpu_memory_write(b->cpu[0], 0x10ff8, text, sizeof(text)));
    assert_true(cpu_memory_read(b->cpu[0], 0x10ff8, back, sizeof(back)));
    assert_string_equal(text, back);
    bus_copy_from(b->bus, DATA, back, 8);
    assert_memory_equal(back, text + 8, 8);
    assert_false(cpu_memory_read(b->cpu[0], 0x13000, back, 1));
    assert_false(cpu_memory_read(b->cpu[0], 0x12000, back, 4));
    assert_false(cpu_memory_write(b->cpu[0], 0x11ffc, text, 8));
    assert_int_equal(b->accesses, 0);
    assert_int_equal(toy_state(b->cpu[0])->exceptions, 0);
    bench_free(b);
}

/* Accesses at both ends of the address space, without translation. */
static void ends_of_the_address_space(void **state)
{
    static const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX - 14};
    static const uint8_t ops[] = {TOY_LD8, TOY_LD64, TOY_LD128, TOY_ST32, TOY_ST128};

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(ends); n++) {
        for (unsigned op = 0; op < ARRAY_SIZE(ops); op++) {
            struct bench *b = bench_new(1);

            CODE(b, RAM, toy_word(ops[op], 6, 5, 0));
            X(b, 5) = ends[n];
            assert_int_equal(cpu_run(b->cpu[0], 1), 1);
            assert_int_equal((uint32_t)fault_of(b), CPU_FAULT_EXTERNAL);
            bench_free(b);
        }
    }
}

/* Walks as if page tables were in memory, in a device and where nothing is; marks its entry. */
static uint32_t marking_walk(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                             uint64_t *pa, uint32_t *flags)
{
    uint64_t value;

    (void)access, (void)ring;
    if ((va == 0x5000 && !cpu_phys_read(cpu, DEVICE, 4, &value)) ||
        (va == 0x6000 && !cpu_phys_read(cpu, NOWHERE, 8, &value)) ||
        !cpu_phys_write64(cpu, DATA, 1))
        return 1;
    *pa = DATA;
    *flags = TRANSLATE_READ | 12u << TRANSLATE_SIZE_SHIFT;
    return 0;
}

/* Who looks from outside changes neither page tables nor devices, and is not counted. */
static void look_ups_change_nothing(void **state)
{
    struct bench *b = bench_new(1);
    uint64_t pa = 0;
    uint8_t byte;

    (void)state;
    b->cpu[0]->hooks.translate = marking_walk;
    assert_true(cpu_memory_find(b->cpu[0], 0x7123, &pa));
    assert_int_equal(pa, DATA + 0x123);
    assert_false(cpu_memory_read(b->cpu[0], 0x5000, &byte, 1));
    assert_false(cpu_memory_read(b->cpu[0], 0x6000, &byte, 1));
    assert_int_equal(bench_get(b, DATA), 0);
    assert_int_equal(b->accesses, 0);
    assert_int_equal(b->bus->faults, 0);
    bench_free(b);
}

/* Every address translates to DATA's first page, or to its second if device register 15 is set. */
static uint32_t one_of_two_pages(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                 uint64_t *pa, uint32_t *flags)
{
    (void)ring;
    *pa = access == CPU_FETCH ? va : DATA + (toy_state(cpu)->x[15] ? 0x1000 : 0);
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | 12u << TRANSLATE_SIZE_SHIFT;
    return 0;
}

/* Flushing an address ignores bits above the ISA's address width: tags. */
static void flushes_reach_tagged_names(void **state)
{
    (void)state;
    for (unsigned bits = 48; bits <= 64; bits += 16) {
        struct bench *b = bench_new(1);
        struct cpu_isa isa = toy_isa;
        struct error err;
        struct cpu *cpu;

        isa.address_bits = bits;
        cpu = cpu_new(&isa, 1, b->bus, &b->clock, &b->log, &err);
        cpu->hooks.translate = one_of_two_pages;
        bench_put(b, DATA, 1);
        bench_put(b, DATA + 0x1000, 2);
        CODE(b, RAM, toy_word(TOY_LD64, 6, 5, 0), toy_word(TOY_TLBI, 0, 4, 2),
             toy_word(TOY_LD64, 7, 5, 0), toy_word(TOY_B, 0, 0, 0));
        toy_state(cpu)->x[4] = 0x5000;
        toy_state(cpu)->x[5] = UINT64_C(0xab00000000005000);
        cpu->pc = RAM;
        cpu_set_power(cpu, true);
        cpu_run(cpu, 1);
        toy_state(cpu)->x[15] = 1;
        cpu_run(cpu, 2);
        assert_int_equal(toy_state(cpu)->x[6], 1);
        assert_int_equal(toy_state(cpu)->x[7], bits == 48 ? 2 : 1);
        cpu_free(cpu);
        bench_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_offsets),
        cmocka_unit_test(page_crossing),
        cmocka_unit_test(crossing_faults_change_nothing),
        cmocka_unit_test(permissions_per_ring),
        cmocka_unit_test(flushes_remove_entries),
        cmocka_unit_test(flushes_reach_the_jump_cache),
        cmocka_unit_test(conflicts_replace_entries),
        cmocka_unit_test(devices_are_accessed),
        cmocka_unit_test(device_attribute_on_memory),
        cmocka_unit_test(rom_and_nothing),
        cmocka_unit_test(probes_find_faults),
        cmocka_unit_test(devices_in_parts),
        cmocka_unit_test(physical_accesses),
        cmocka_unit_test(copies_for_the_debugger),
        cmocka_unit_test(look_ups_change_nothing),
        cmocka_unit_test(ends_of_the_address_space),
        cmocka_unit_test(flushes_reach_tagged_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
