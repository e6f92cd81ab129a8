/*
 * Unit tests of the code cache, whose contract is in internal.h and tier.h: lookup and removal of
 * blocks, counters, and the calls to a tier.
 */
#include "tests/cpu/bench.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/internal.h"

#define CODE_AT  (RAM + 0x10000)
#define BIG      UINT64_C(0x90000000) /* additional memory: more pages than the tables start with */
#define BIG_SIZE UINT64_C(0x2000000)

/* A CPU that is ready to look up code. */
static struct cpu *attach_code(struct bench *b, unsigned n)
{
    struct cpu *cpu = b->cpu[n];

    assert_true(code_attach(cpu));
    cpu->key = code_key(cpu);
    return cpu;
}

static struct block *block_at(struct cpu *cpu, uint64_t pc)
{
    struct fetch_fault fault;

    cpu->pc = pc;
    return code_find(cpu, NULL, &fault);
}

/* Adds a block of `insns` instructions, the last of which ends it. */
static struct block *put_block(struct bench *b, uint64_t at, unsigned insns)
{
    uint32_t words[CPU_MAX_BLOCK];

    for (unsigned n = 0; n + 1 < insns; n++)
        words[n] = toy_word(TOY_NOP, 0, 0, 0);
    words[insns - 1] = toy_word(TOY_B, 0, 0, 0);
    bench_code(b, at, words, insns);
    return block_at(b->cpu[0], at);
}

static void count_block(void *opaque, struct block *b)
{
    (void)b;
    *(unsigned *)opaque += 1;
}

static unsigned blocks_of(struct code_cache *code)
{
    unsigned count = 0;

    code_for_each(code, count_block, &count);
    return count;
}

/* ---- finding --------------------------------------------------------------------------------- */

static void a_block_is_decoded_once(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct block *found = put_block(b, CODE_AT, 3);

    (void)state;
    assert_int_equal(found->pa, CODE_AT);
    assert_int_equal(found->count, 3);
    assert_int_equal(found->bytes, 12);
    assert_int_equal(found->key, code_key(cpu));
    assert_int_equal(found->ring, cpu->ring);
    assert_false(found->dead);
    assert_ptr_equal(code_isa_of(found), &toy_isa);
    assert_ptr_equal(block_at(cpu, CODE_AT), found);
    assert_ptr_equal(code_block_at(cpu, CODE_AT, found->key), found);
    assert_null(code_block_at(cpu, CODE_AT + 4, found->key));
    assert_null(code_block_at(cpu, CODE_AT, found->key + 1));
    assert_int_equal(cpu->counters.block_lookups, 2);
    assert_int_equal(cpu->counters.blocks_decoded, 1);
    assert_ptr_equal(cpu->jumps[jump_index(CODE_AT)].block, found);
    assert_int_equal(cpu->jumps[jump_index(CODE_AT)].pc, CODE_AT);
    bench_free(b);
}

/* Entries of the jump cache are valid again once the page is known to be unchanged. */
static void a_block_is_found_again(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct block *found = put_block(b, CODE_AT, 3);
    const struct jump_entry *e = &cpu->jumps[jump_index(CODE_AT)];

    (void)state;
    assert_ptr_equal(block_at(cpu, CODE_AT), found);
    jump_flush(cpu);
    assert_true(e->key != cpu->key);
    assert_null(code_again(cpu, CODE_AT + 4));
    assert_ptr_equal(code_again(cpu, CODE_AT), found);
    assert_true(e->key == cpu->key);
    cpu->key ^= 1; /* a block is found by its own key only */
    assert_null(code_again(cpu, CODE_AT));
    cpu->key ^= 1;
    cpu_tlb_flush(cpu, true);
    assert_null(code_again(cpu, CODE_AT)); /* the page's place is unknown */
    assert_ptr_equal(block_at(cpu, CODE_AT), found);
    found->pa += CPU_PAGE_SIZE; /* as if the page were another one */
    assert_null(code_again(cpu, CODE_AT));
    found->pa -= CPU_PAGE_SIZE;
    code_flush(cpu->code);
    assert_null(code_again(cpu, CODE_AT));
    assert_int_equal(cpu->counters.blocks_decoded, 1);
    jump_forget(cpu);
    assert_null(e->block);
    bench_free(b);
}

/* The last successor of a block is taken for the block at an address only if it is that block. */
static void a_successor_is_checked(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct block *last = put_block(b, CODE_AT, 3), *next = put_block(b, CODE_AT + 0x100, 2);
    struct block *other = put_block(b, CODE_AT + 0x200, 2);
    struct fetch_fault fault;

    (void)state;
    assert_ptr_equal(block_after(last), last);
    for (unsigned n = 0; n < 2; n++) { /* the right successor, and a wrong one */
        const struct block *noted = n ? other : next;

        last->after = (int32_t)(((intptr_t)noted - (intptr_t)last) / HOST_LINE);
        assert_ptr_equal(block_after(last), noted);
        jump_forget(cpu);
        cpu->pc = CODE_AT + 0x100;
        assert_ptr_equal(code_find(cpu, last, &fault), next);
    }
    last->after = (int32_t)(((intptr_t)next - (intptr_t)last) / HOST_LINE);
    for (unsigned n = 0; n < 2; n++) { /* of another key; dead */
        struct block *found;

        jump_forget(cpu);
        cpu->key ^= !n;
        if (n)
            code_flush(cpu->code);
        cpu->pc = CODE_AT + 0x100;
        found = code_find(cpu, last, &fault);
        assert_ptr_not_equal(found, next);
        assert_int_equal(found->pa, CODE_AT + 0x100);
        assert_false(found->dead);
        cpu->key ^= !n;
    }
    bench_free(b);
}

static uint32_t no_translation(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                               uint64_t *pa, uint32_t *flags)
{
    (void)cpu, (void)va, (void)ring, (void)pa, (void)flags;
    return access == CPU_FETCH ? 77 : 78;
}

static void fetches_that_fail(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct fetch_fault fault = {0};

    (void)state;
    for (unsigned off = 1; off < 4; off++) {
        cpu->pc = CODE_AT + off;
        assert_null(code_find(cpu, NULL, &fault));
        assert_int_equal(fault.code, CPU_FAULT_ALIGNMENT);
    }
    cpu->pc = NOWHERE;
    assert_null(code_find(cpu, NULL, &fault));
    assert_int_equal(fault.code, CPU_FAULT_EXTERNAL);
    cpu->hooks.translate = no_translation;
    cpu->pc = CODE_AT;
    assert_null(code_find(cpu, NULL, &fault));
    assert_int_equal(fault.code, 77);
    assert_int_equal(cpu->counters.blocks_decoded, 0);
    bench_free(b);
}

/* A key combines ring, mode and features, and is never 0. */
static void keys_identify_translations(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = attach_code(b, 0), *other = attach_code(b, 1);
    uint16_t plain = code_key(cpu), key;

    (void)state;
    assert_int_not_equal(plain, 0);
    assert_int_equal(code_key(other), plain);
    cpu->ring = 0;
    key = code_key(cpu);
    assert_int_not_equal(key, plain);
    cpu->ring = 1;
    cpu->mode = 3;
    assert_int_not_equal(code_key(cpu), plain);
    assert_int_not_equal(code_key(cpu), key);
    cpu->mode = 0;
    cpu->features[CPU_MAX_FEATURES - 1] = 9;
    assert_int_not_equal(code_key(cpu), plain);
    cpu->features[CPU_MAX_FEATURES - 1] = 0;
    assert_int_equal(code_key(cpu), plain);
    assert_int_equal(cpu->code->keys.len, 4);
    bench_free(b);
}

/* A guest that makes ever new keys costs no further memory, and never runs wrong code. */
static void too_many_identities(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = attach_code(b, 0), *other = attach_code(b, 1);
    uint64_t flushes = cpu->code->flushes;

    (void)state;
    put_block(b, CODE_AT, 2);
    for (unsigned n = 1; n < CODE_MAX_KEYS; n++) {
        cpu->features[CPU_MAX_FEATURES - 1] = n;
        assert_int_equal(code_key(cpu), n + 1);
    }
    assert_int_equal(cpu->code->flushes, flushes);
    assert_int_equal(blocks_of(cpu->code), 1);
    cpu->attention = other->attention = 0;
    cpu->features[CPU_MAX_FEATURES - 1] = CODE_MAX_KEYS;
    assert_int_equal(code_key(cpu), 1);
    assert_int_equal(cpu->code->flushes, flushes + 1);
    assert_int_equal(blocks_of(cpu->code), 0);
    assert_true(cpu->attention & CPU_ATT_KEY);
    assert_true(other->attention & CPU_ATT_KEY);
    assert_true(other->jump_pages.generation > 0); /* the other CPU's jump cache is flushed */
    bench_free(b);
}

/* With more blocks and pages than the tables start with, each is found, and dropped one by one. */
static void many_blocks(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct error err;
    unsigned pages = BIG_SIZE / CPU_PAGE_SIZE;
    struct block **made = test_calloc(pages, sizeof(struct block *));

    (void)state;
    assert_non_null(bus_add_ram(b->bus, "big", BIG, BIG_SIZE, &err));
    assert_true(pages > 4096);
    for (unsigned n = 0; n < pages; n++)
        made[n] = put_block(b, BIG + n * CPU_PAGE_SIZE, 1);
    assert_int_equal(blocks_of(cpu->code), pages);
    assert_int_equal(cpu->code->block_count, pages);
    assert_int_equal(cpu->code->page_count, pages);
    for (unsigned n = 0; n < pages; n++) {
        assert_ptr_equal(code_block_at(cpu, BIG + n * CPU_PAGE_SIZE, made[n]->key), made[n]);
        assert_true(bus_has_code(b->bus, BIG + n * CPU_PAGE_SIZE, 1));
    }
    for (unsigned n = 0; n < pages; n += 2) {
        assert_true(code_written(cpu->code, BIG + n * CPU_PAGE_SIZE, 4));
        assert_true(made[n]->dead);
    }
    for (unsigned n = 0; n < pages; n++)
        assert_ptr_equal(code_block_at(cpu, BIG + n * CPU_PAGE_SIZE, made[n]->key),
                         n & 1 ? made[n] : NULL);
    assert_int_equal(cpu->code->block_count, pages / 2);
    assert_int_equal(cpu->code->page_count, pages / 2);
    test_free(made);
    bench_free(b);
}

/* ---- dropping -------------------------------------------------------------------------------- */

/* A page records which of its bytes hold code in units of 64. */
static void writes_beside_code(void **state)
{
    static const struct {
        unsigned at, len;
        bool hit;
    } writes[] = {
        {0, 1, false},     {0x7f, 1, false},  {0x3c, 8, false},  {0x7c, 8, true},
        {0x80, 1, true},   {0xbf, 1, true},   {0xc0, 4, true},   {0xff, 1, true},
        {0x100, 1, false}, {0xffc, 4, false}, {0, 0x1000, true}, {0x100, 0xf00, false},
    };

    (void)state;
    for (unsigned n = 0; n < ARRAY_SIZE(writes); n++) {
        struct bench *b = bench_new(1);
        struct cpu *cpu = attach_code(b, 0);

        put_block(b, CODE_AT + 0x84, 20); /* 0x84 to 0xd3: two units */
        assert_int_equal(code_written(cpu->code, CODE_AT + writes[n].at, writes[n].len),
                         writes[n].hit);
        assert_int_equal(blocks_of(cpu->code), !writes[n].hit);
        assert_int_equal(bus_has_code(b->bus, CODE_AT, 1), !writes[n].hit);
        assert_false(code_written(cpu->code, CODE_AT + 0x1000, 4)); /* no code in the page */
        bench_free(b);
    }
}

/* Dropping a page drops all of its blocks and none of others. */
static void a_page_is_dropped_as_a_whole(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct block *first = put_block(b, CODE_AT, 2), *second = put_block(b, CODE_AT + 0x800, 3);
    struct block *beside = put_block(b, CODE_AT + 0x1000, 2);
    size_t bytes = cpu->code->bytes;

    (void)state;
    assert_int_equal(bytes, first->allocated + second->allocated + beside->allocated);
    assert_true(code_written(cpu->code, CODE_AT + 0x800, 1));
    assert_true(first->dead && second->dead && !beside->dead);
    assert_null(code_block_at(cpu, CODE_AT, first->key));
    assert_ptr_equal(code_block_at(cpu, CODE_AT + 0x1000, beside->key), beside);
    assert_int_equal(cpu->code->bytes, beside->allocated);
    assert_int_equal(cpu->code->dead_bytes, first->allocated + second->allocated);
    assert_ptr_not_equal(block_at(cpu, CODE_AT), first); /* still allocated, and no longer found */
    bench_free(b);
}

/*
 * A client that writes past the bus: its pages are protected, and their code is dropped as a whole.
 */
static void ignore_protection(void *opaque, uint64_t pa, bool on)
{
    (void)opaque, (void)pa, (void)on;
}

static void a_protected_page_loses_all(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);

    (void)state;
    b->bus->protect = ignore_protection;
    put_block(b, CODE_AT + 0x800, 2);
    assert_true(code_written(cpu->code, CODE_AT, 1));
    assert_int_equal(blocks_of(cpu->code), 0);
    b->bus->protect = NULL;
    bench_free(b);
}

/* The first code in a page removes the page from the inline write path of every CPU. */
static void new_code_is_protected_everywhere(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = attach_code(b, 0), *other = attach_code(b, 1);
    const struct tlb_entry *e = &other->tlbs[1].entry[DATA >> CPU_PAGE_BITS & (TLB_SIZE - 1)];
    uint64_t info;
    uint32_t fault;

    (void)state;
    assert_true(tlb_find(other, 1, DATA, CPU_WRITE, &info, &fault));
    assert_int_equal(e->write_tag, DATA);
    put_block(b, DATA + 0x40, 1);
    assert_int_not_equal(e->write_tag, DATA);
    assert_int_equal(e->read_tag, DATA);
    assert_int_equal(cpu->code->cpus.len, 2);
    bench_free(b);
}

static void a_flush_drops_all(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    uint64_t flushes = cpu->code->flushes;

    (void)state;
    for (unsigned n = 0; n < 10; n++)
        put_block(b, CODE_AT + n * 0x800, 2);
    code_flush(cpu->code);
    assert_int_equal(cpu->code->flushes, flushes + 1);
    assert_int_equal(blocks_of(cpu->code), 0);
    assert_int_equal(cpu->code->bytes, 0);
    for (unsigned n = 0; n < 5; n++)
        assert_false(bus_has_code(b->bus, CODE_AT + n * 0x1000, 1));
    bench_free(b);
}

/* ---- counting -------------------------------------------------------------------------------- */

static unsigned class_of(const struct code_isa *isa, const char *name)
{
    for (unsigned n = 0; n < isa->class_count; n++) {
        if (!strcmp(isa->class_name[n], name))
            return n;
    }
    fail_msg("no class %s", name);
    return 0;
}

/*
 * Executions of the forms of a class are counted together, by slot and ring; dropping blocks loses
 * none.
 */
static void executions_are_counted(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = attach_code(b, 0), *other = attach_code(b, 1);
    struct code_isa *isa = code_isa_find(cpu->code, &toy_isa);
    unsigned alu = class_of(isa, "alu"), branch = class_of(isa, "branch");

    (void)state;
    assert_non_null(isa);
    assert_ptr_equal(isa->isa, &toy_isa);
    assert_string_equal(isa->class_name[0], "other");
    for (unsigned n = 0; n < isa->class_count; n++)
        assert_int_equal(class_of(isa, isa->class_name[n]), n); /* each class once */
    cpu_set_power(other, true);
    CODE(b, CODE_AT, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_MIX, 1, 1, 0),
         toy_word(TOY_B, 0, 0, -2));
    cpu->pc = other->pc = CODE_AT;
    cpu_run(cpu, 30);
    other->ring = 0;
    other->attention |= CPU_ATT_KEY;
    cpu_run(other, 6);
    for (unsigned round = 0; round < 3; round++) {
        assert_int_equal(code_class_total(cpu->code, isa, 0, 1, alu), 20);
        assert_int_equal(code_class_total(cpu->code, isa, 0, 1, branch), 10);
        assert_int_equal(code_class_total(cpu->code, isa, 1, 0, alu), 4);
        assert_int_equal(code_class_total(cpu->code, isa, 1, 0, branch), 2);
        assert_int_equal(code_class_total(cpu->code, isa, 0, 0, alu), 0);
        assert_int_equal(code_class_total(cpu->code, isa, 1, 1, alu), 0);
        if (round == 0)
            code_flush(cpu->code);
        else
            cpu_code_set_budget(cpu, 1), put_block(b, CODE_AT + 0x4000, 1); /* frees dead blocks */
    }
    bench_free(b);
}

static void counting_by_hand(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct code_isa *isa = code_isa_find(cpu->code, &toy_isa);
    struct block *block;

    (void)state;
    CODE(b, CODE_AT, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_MIX, 1, 1, 0),
         toy_word(TOY_LD8, 1, 1, 0), toy_word(TOY_B, 0, 0, -2));
    block = block_at(cpu, CODE_AT);
    code_count(block, 5, 1, 3, 7);
    code_count(block, 5, 0, 4, 0);
    assert_int_equal(code_class_total(cpu->code, isa, 5, 1, class_of(isa, "alu")), 7);
    assert_int_equal(code_class_total(cpu->code, isa, 5, 1, class_of(isa, "memory")), 7);
    assert_int_equal(code_class_total(cpu->code, isa, 5, 1, class_of(isa, "branch")), 0);
    block_insn(block, 0)->form = UINT16_MAX; /* a form that the ISA does not have */
    code_count(block, 5, 0, 1, 3);
    assert_int_equal(code_class_total(cpu->code, isa, 5, 1, 0), 3);
    assert_true(code_counts(cpu->code));
    bench_free(b);
}

/* The first instructions of a block as a block of their own, executed once. */
static void prefixes_of_blocks(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct code_isa *isa = code_isa_find(cpu->code, &toy_isa);
    unsigned alu = class_of(isa, "alu");
    struct block *block, *p;

    (void)state;
    CODE(b, CODE_AT, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ADDI, 2, 2, 1),
         toy_word(TOY_ADDI, 3, 3, 1), toy_word(TOY_B, 0, 0, -3));
    block = block_at(cpu, CODE_AT);
    for (unsigned counted = 0; counted < 2; counted++) {
        cpu->counts = counted;
        p = code_head(cpu, block, code_prefix_count(block, 2));
        assert_ptr_not_equal(p, block);
        assert_int_equal(p->count, 2);
        assert_int_equal(p->bytes, 8);
        assert_int_equal(p->ring, block->ring);
        assert_ptr_equal(p->isa, isa);
        assert_ptr_equal(block_insn(p, 0)->fn, block->first);
        assert_memory_equal(block_insn(p, 1), block_insn(block, 1), block->stride);
        assert_int_equal(code_class_total(cpu->code, isa, 0, 1, alu), 2 * counted);
    }
    bench_free(b);
}

/* ---- a tier ---------------------------------------------------------------------------------- */

static struct told {
    unsigned added, dropped, reclaimed, closed;
    struct block *last;
    bool dead_when_told;
} told;

static void on_added(void *opaque, struct block *b)
{
    assert_ptr_equal(opaque, &told);
    told.added++;
    told.last = b;
}

static void on_dropped(void *opaque, struct block *b)
{
    assert_ptr_equal(opaque, &told);
    told.dropped++;
    told.last = b;
    told.dead_when_told |= b->dead;
}

static void on_reclaim(void *opaque)
{
    assert_ptr_equal(opaque, &told);
    told.reclaimed++;
}

static void on_close(void *opaque)
{
    assert_ptr_equal(opaque, &told);
    told.closed++;
}

/* Entries have the host code of their blocks, of which each has entries at one address only. */
static void host_code_is_entered(void **state)
{
    static const char code[3];
    struct bench *b = bench_new(2);
    struct cpu *cpu[] = {attach_code(b, 0), attach_code(b, 1)};
    struct block *found = put_block(b, CODE_AT, 3);
    const uint64_t info[2] = {CODE_AT, 0}, again = CODE_AT + 0x2040;

    (void)state;
    found->host = &code[0];
    for (unsigned n = 0; n < 2; n++) {
        jump_flush(cpu[n]); /* so that keys have a generation, as after a reset */
        assert_ptr_equal(block_at(cpu[n], CODE_AT), found);
        assert_ptr_equal(cpu[n]->jumps[jump_index(CODE_AT)].host, &code[0]);
    }
    found->host = &code[1];
    code_host_changed(cpu[0]->code, found);
    for (unsigned n = 0; n < 2; n++)
        assert_ptr_equal(cpu[n]->jumps[jump_index(CODE_AT)].host, &code[1]);
    jump_enter(cpu[0], again, found, info);
    assert_true(cpu[0]->jumps[jump_index(again)].key == cpu[0]->key);
    for (unsigned n = 0; n < 2; n++)
        assert_true(cpu[n]->jumps[jump_index(CODE_AT)].key != cpu[n]->key);
    found->host = &code[2];
    code_host_changed(cpu[0]->code, found);
    assert_ptr_equal(cpu[0]->jumps[jump_index(again)].host, &code[2]);
    assert_ptr_equal(block_at(cpu[1], CODE_AT), found);
    assert_ptr_equal(cpu[1]->jumps[jump_index(CODE_AT)].host, &code[2]);
    assert_true(cpu[0]->jumps[jump_index(again)].key != cpu[0]->key);
    bench_free(b);
}

static const struct code_tier tier = {&told, on_added, on_dropped, on_reclaim, on_close};

static void a_tier_is_told(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu *cpu = attach_code(b, 0), *other = attach_code(b, 1);
    struct block *first, *second;

    (void)state;
    told = (struct told){0};
    put_block(b, CODE_AT, 2);
    assert_ptr_equal(code_of(cpu), cpu->code);
    assert_true(code_set_tier(cpu->code, &tier));
    assert_false(code_set_tier(cpu->code, &tier)); /* the cache has one already */
    assert_int_equal(blocks_of(cpu->code), 0);     /* the tier was not called for earlier blocks */
    assert_null(cpu->code->dropped_blocks);
    first = put_block(b, CODE_AT, 2);
    assert_int_equal(told.added, 1);
    assert_ptr_equal(told.last, first);
    assert_ptr_equal(first->tier, &tier);
    second = put_block(b, CODE_AT + 0x1000, 2);
    second->translations = &told;
    cpu->attention = other->attention = 0;
    code_written(cpu->code, CODE_AT, 1);
    assert_int_equal(told.dropped, 1);
    assert_ptr_equal(told.last, first);
    assert_int_equal(cpu->attention | other->attention, 0); /* no CPU can be in the block */
    code_written(cpu->code, CODE_AT + 0x1000, 1);
    assert_int_equal(told.dropped, 2);
    assert_int_equal(cpu->attention & other->attention, CPU_ATT_CODE);
    assert_false(told.dead_when_told); /* the handler is replaced after the call */
    second->translations = NULL;
    assert_int_equal(told.reclaimed, 0);
    bench_free(b);
    assert_int_equal(told.reclaimed, 0); /* blocks freed with the cache are not reported */
    assert_int_equal(told.closed, 1);
}

/* Blocks are freed once more dead ones wait than allowed; jump caches drop them first. */
static void dead_blocks_are_freed(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    uint64_t generation;

    (void)state;
    told = (struct told){0};
    assert_true(code_set_tier(cpu->code, &tier));
    put_block(b, CODE_AT, CPU_MAX_BLOCK);
    cpu_code_set_budget(cpu, cpu->code->bytes);
    generation = cpu->jump_pages.generation;
    code_flush(cpu->code);
    put_block(b, CODE_AT, CPU_MAX_BLOCK); /* no more dead ones than the budget: they wait */
    assert_int_equal(told.reclaimed, 0);
    assert_int_equal(cpu->code->dead_bytes, cpu->code->bytes);
    code_flush(cpu->code);
    put_block(b, CODE_AT, CPU_MAX_BLOCK);
    assert_int_equal(told.reclaimed, 1);
    assert_int_equal(cpu->code->dead_bytes, 0);
    assert_null(cpu->code->dropped_blocks);
    assert_true(cpu->jump_pages.generation > generation);
    bench_free(b);
}

/* More code than the budget: the next block first drops all of it. */
static void the_budget(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    size_t one;

    (void)state;
    put_block(b, CODE_AT, 4);
    one = cpu->code->bytes;
    cpu_code_set_budget(cpu, 3 * one);
    for (unsigned n = 1; n < 4; n++) {
        put_block(b, CODE_AT + n * 0x100, 4);
        assert_int_equal(blocks_of(cpu->code), n + 1);
    }
    put_block(b, CODE_AT + 0x400, 4);
    assert_int_equal(blocks_of(cpu->code), 1);
    bench_free(b);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void somebody_elses(void *opaque, uint64_t pa, uint64_t len)
{
    (void)opaque, (void)pa, (void)len;
}

static void one_cache_a_bus(void **state)
{
    struct bus *bus = bus_new(NULL);
    struct code_cache *code = code_acquire(bus), *again = code_acquire(bus);

    (void)state;
    assert_non_null(code);
    assert_ptr_equal(code, again);
    assert_int_equal(code->users, 2);
    assert_ptr_equal(bus->code_opaque, code);
    code_release(again);
    assert_ptr_equal(bus->code_opaque, code); /* still in use */
    code_release(code);
    assert_null(bus->code_opaque);
    assert_null(bus->on_code_write);
    code_release(NULL);
    bus->on_code_write = somebody_elses;
    assert_null(code_acquire(bus));
    bus->on_code_write = NULL;
    code = code_acquire(bus);
    assert_non_null(code);
    code_release(code);
    bus_free(bus);
}

static void cpus_come_and_go(void **state)
{
    struct bench *b = bench_new(3);
    struct code_cache *code = attach_code(b, 0)->code;
    unsigned users = code->users;

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        attach_code(b, n);
    users = code->users;
    assert_int_equal(code->cpus.len, 3);
    code_attach(b->cpu[1]); /* attached once only */
    assert_int_equal(code->users, users);
    code_detach(b->cpu[0]);
    assert_null(b->cpu[0]->code);
    assert_int_equal(code->cpus.len, 2);
    assert_int_equal(code->users, users - 1);
    for (unsigned n = 0; n < 2; n++)
        assert_ptr_not_equal(code->cpus.data[n], b->cpu[0]);
    assert_ptr_not_equal(code->cpus.data[0], code->cpus.data[1]);
    code_detach(b->cpu[0]);
    assert_int_equal(code->users, users - 1);
    b->cpu[0]->attention = 0;
    assert_true(code_attach(b->cpu[0]));
    assert_int_equal(b->cpu[0]->attention, CPU_ATT_KEY);
    assert_int_equal(code->cpus.len, 3);
    bench_free(b);
}

/* Blocks have counters only while executions are counted. */
static void counting_begins_and_ends(void **state)
{
    struct bench *b = bench_new(1);
    struct cpu *cpu = attach_code(b, 0);
    struct block *block;

    (void)state;
    cpu_group_count(&b->group, false);
    block = put_block(b, CODE_AT, 2);
    assert_false(block->counted);
    code_sum_counts(cpu->code);
    cpu_group_count(&b->group, false); /* no change: the block stays */
    assert_int_equal(blocks_of(cpu->code), 1);
    cpu_group_count(&b->group, true);
    assert_int_equal(blocks_of(cpu->code), 0);
    block = put_block(b, CODE_AT, 2);
    assert_true(block->counted);
    *block_runs(block, CODE_SLOTS - 1) = 5;
    cpu_group_count(&b->group, false);
    assert_false(cpu->counts);
    assert_int_equal(blocks_of(cpu->code), 0);
    assert_false(put_block(b, CODE_AT, 2)->counted);
    bench_free(b);
}

/* CPUs of different ISAs on one bus have their own classes, and share no blocks. */
static void several_isas(void **state)
{
    struct bench *b = bench_new(2);
    struct cpu_isa copy = toy_isa;
    struct cpu *cpu = attach_code(b, 0);
    struct block *block;

    (void)state;
    if (b->cpu[1]->code)
        code_detach(b->cpu[1]);
    assert_null(code_isa_find(cpu->code, &copy));
    b->cpu[1]->isa = &copy;
    attach_code(b, 1);
    assert_ptr_equal(code_isa_find(cpu->code, &copy)->isa, &copy);
    assert_ptr_equal(code_isa_find(cpu->code, &toy_isa)->isa, &toy_isa);
    assert_int_not_equal(code_key(cpu), code_key(b->cpu[1]));
    block = put_block(b, CODE_AT, 2);
    assert_ptr_not_equal(block_at(b->cpu[1], CODE_AT), block);
    assert_ptr_equal(code_isa_of(block_at(b->cpu[1], CODE_AT)), &copy);
    assert_int_equal(blocks_of(cpu->code), 2);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_decoded_once),
        cmocka_unit_test(a_block_is_found_again),
        cmocka_unit_test(a_successor_is_checked),
        cmocka_unit_test(fetches_that_fail),
        cmocka_unit_test(keys_identify_translations),
        cmocka_unit_test(too_many_identities),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(writes_beside_code),
        cmocka_unit_test(a_page_is_dropped_as_a_whole),
        cmocka_unit_test(a_protected_page_loses_all),
        cmocka_unit_test(new_code_is_protected_everywhere),
        cmocka_unit_test(a_flush_drops_all),
        cmocka_unit_test(executions_are_counted),
        cmocka_unit_test(counting_by_hand),
        cmocka_unit_test(prefixes_of_blocks),
        cmocka_unit_test(host_code_is_entered),
        cmocka_unit_test(a_tier_is_told),
        cmocka_unit_test(dead_blocks_are_freed),
        cmocka_unit_test(the_budget),
        cmocka_unit_test(one_cache_a_bus),
        cmocka_unit_test(cpus_come_and_go),
        cmocka_unit_test(counting_begins_and_ends),
        cmocka_unit_test(several_isas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
