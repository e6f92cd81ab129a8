/*
 * Address translation of Armv7-A in both formats, against what DDI 0406C, chapter B3, says of
 * tables made by hand.
 */
#include "runtime/base/bits.h"
#include "tests/armv7a/bench.h"

#include <string.h>

#define TABLE  (RAM + 0x4000)  /* the first level: 16 KB */
#define OTHER  (RAM + 0x8000)  /* first-level table of TTBR1 */
#define SECOND (RAM + 0x10000) /* second-level tables */

#define SCTLR_M    0x00000001u
#define SCTLR_WXN  0x00080000u
#define SCTLR_UWXN 0x00100000u
#define SCTLR_TRE  0x10000000u
#define SCTLR_AFE  0x20000000u
#define EAE        0x80000000u

/* First-level descriptors of the short format: a section with its AP field; a table. */
#define AP(ap)            (((ap)&4u) << 13 | ((ap)&3u) << 10)
#define SECTION(pa, ap)   ((pa) | AP(ap) | 2u)
#define PAGE_AP(ap)       (((ap)&4u) << 7 | ((ap)&3u) << 4)
#define TO_TABLE(pa, dom) ((pa) | (dom) << 5 | 1u)

struct answer {
    uint64_t pa;
    uint32_t flags, fault;
};

static struct answer translate_address(struct bench *b, uint32_t va, enum cpu_access access,
                                       unsigned ring)
{
    struct answer a = {0};

    a.fault = b->cpu->isa->translate(b->cpu, va, access, ring, &a.pa, &a.flags);
    return a;
}

static unsigned size_of(struct answer a)
{
    return a.flags >> TRANSLATE_SIZE_SHIFT;
}

static void use_short(struct bench *b, uint32_t sctlr)
{
    set(b, "TTBCR", 0);
    set(b, "TTBR0_32", TABLE);
    set(b, "TTBR1_32", OTHER);
    set(b, "DACR", 1); /* domain 0: client */
    set(b, "SCTLR", sctlr | SCTLR_M);
}

/* ---- short descriptors ----------------------------------------------------------------------- */

static void test_short_sizes(void **state)
{
    struct bench *b = *state;
    struct answer a;

    use_short(b, 0);
    poke(b, TABLE + 4 * 0x123, SECTION(0x45600000, 3));
    a = translate_address(b, 0x123abcde, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, 0x456abcde);
    assert_int_equal(size_of(a), 20);
    assert_false(a.flags & TRANSLATE_NOT_GLOBAL);

    /* a supersection with bits 39:32 of its address, in domain 0 */
    poke(b, TABLE + 4 * 0x128,
         SECTION(0x67000000, 3) | 1u << 18 | 0xbu << 20 | 0xcu << 5 | 1u << 17);
    a = translate_address(b, 0x128abcde, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, UINT64_C(0xcb678abcde));
    assert_int_equal(size_of(a), 24);
    assert_true(a.flags & TRANSLATE_NOT_GLOBAL);

    poke(b, TABLE + 4 * 0x200, TO_TABLE(SECOND, 0));
    poke(b, SECOND + 4 * 0x34, 0x89ab0000 | PAGE_AP(3) | 1);         /* large page */
    poke(b, SECOND + 4 * 0x56, 0x9abcd000 | PAGE_AP(3) | 2 | 0x800); /* small page, not global */
    a = translate_address(b, 0x20034567, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, 0x89ab4567);
    assert_int_equal(size_of(a), 16);
    a = translate_address(b, 0x20056789, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, 0x9abcd789);
    assert_int_equal(size_of(a), 12);
    assert_true(a.flags & TRANSLATE_NOT_GLOBAL);
}

/* With TTBCR.N = 2, TTBR0 translates the lowest gigabyte and its table has 4 KB. */
static void test_short_split(void **state)
{
    struct bench *b = *state;

    use_short(b, 0);
    poke(b, TABLE + 0x1000 + 4 * 0x3ff, SECTION(0x11100000, 3)); /* within the smaller table */
    poke(b, OTHER + 4 * 0x400, SECTION(0x22200000, 3));
    set(b, "TTBCR", 2);
    set(b, "TTBR0_32", TABLE + 0x1000);
    assert_int_equal(translate_address(b, 0x3ff00000, CPU_READ, RING_KERNEL).pa, 0x11100000);
    assert_int_equal(translate_address(b, 0x40000000, CPU_READ, RING_KERNEL).pa, 0x22200000);
    set(b, "TTBCR", 2 | 1 << 4); /* PD0 */
    assert_int_equal(translate_address(b, 0x3ff00000, CPU_READ, RING_KERNEL).fault, 0x05);
    assert_int_equal(translate_address(b, 0x40000000, CPU_READ, RING_KERNEL).fault, 0);
    set(b, "TTBCR", 2 | 1 << 5); /* PD1 */
    assert_int_equal(translate_address(b, 0x3ff00000, CPU_READ, RING_KERNEL).fault, 0);
    assert_int_equal(translate_address(b, 0x40000000, CPU_READ, RING_KERNEL).fault, 0x05);
}

static void test_short_faults(void **state)
{
    struct bench *b = *state;

    use_short(b, SCTLR_AFE);
    assert_int_equal(translate_address(b, 0x00000000, CPU_READ, RING_KERNEL).fault,
                     0x05); /* translation fault */
    poke(b, TABLE + 4, SECTION(0, 2) | 3u << 5);
    assert_int_equal(translate_address(b, 0x00100000, CPU_READ, RING_KERNEL).fault,
                     0x33); /* access flag fault */
    poke(b, TABLE + 4, SECTION(0, 3) | 3u << 5);
    assert_int_equal(translate_address(b, 0x00100000, CPU_READ, RING_KERNEL).fault,
                     0x39); /* domain fault */
    poke(b, TABLE + 4, SECTION(0, 1));
    assert_int_equal(translate_address(b, 0x00100000, CPU_READ, RING_USER).fault,
                     0x0d); /* permission fault */
    poke(b, TABLE + 8, TO_TABLE(SECOND, 4));
    assert_int_equal(translate_address(b, 0x00200000, CPU_READ, RING_KERNEL).fault, 0x47);
    poke(b, SECOND, 0x2 | PAGE_AP(2));
    assert_int_equal(translate_address(b, 0x00200000, CPU_READ, RING_KERNEL).fault, 0x46);
    poke(b, SECOND, 0x2 | PAGE_AP(3));
    assert_int_equal(translate_address(b, 0x00200000, CPU_READ, RING_KERNEL).fault, 0x4b);
    poke(b, TABLE + 8, TO_TABLE(SECOND, 0));
    poke(b, SECOND, 0x2 | PAGE_AP(5));
    assert_int_equal(translate_address(b, 0x00200000, CPU_WRITE, RING_KERNEL).fault, 0x0f);
    /* A walk that reads its table from unmapped memory aborts. */
    poke(b, TABLE + 12, TO_TABLE(0x10000000u, 5));
    assert_int_equal(translate_address(b, 0x00300000, CPU_READ, RING_KERNEL).fault, 0x5e);
    set(b, "TTBR0_32", 0x10000000);
    assert_int_equal(translate_address(b, 0x00300000, CPU_READ, RING_KERNEL).fault, 0x0c);
}

/* Table B3-8: the rights that each AP value gives privileged and user accesses. */
static const char *const rights[8][2] = {
    {"", ""}, {"rw", ""}, {"rw", "r"}, {"rw", "rw"}, {"", ""}, {"r", ""}, {"r", "r"}, {"r", "r"},
};

static bool is_allowed(unsigned ap, enum cpu_access access, unsigned ring, uint32_t sctlr, bool xn,
                       bool pxn)
{
    const char *own = rights[ap][ring == RING_USER], *user = rights[ap][1];

    if (access != CPU_FETCH)
        return strchr(own, access == CPU_READ ? 'r' : 'w');
    if (!strchr(own, 'r') || xn || (pxn && ring != RING_USER))
        return false;
    if ((sctlr & SCTLR_WXN) && strchr(own, 'w'))
        return false;
    return !((sctlr & SCTLR_UWXN) && ring != RING_USER && strchr(user, 'w'));
}

static void test_short_permissions(void **state)
{
    static const uint32_t controls[] = {0, SCTLR_WXN, SCTLR_UWXN, SCTLR_WXN | SCTLR_UWXN};
    struct bench *b = *state;

    for (unsigned n = 0; n < 4 * 8 * 4 * 3 * 2; n++) {
        uint32_t sctlr = controls[n % 4];
        unsigned ap = n / 4 % 8, ring = n / 384;
        bool xn = n / 32 & 1, pxn = n / 64 & 1;
        enum cpu_access access = (enum cpu_access)(n / 128 % 3);
        bool may = is_allowed(ap, access, ring, sctlr, xn, pxn);
        uint32_t section = SECTION(0, ap) | (xn ? 0x10u : 0) | pxn;

        use_short(b, sctlr);
        poke(b, TABLE, section);
        assert_int_equal(translate_address(b, 0, access, ring).fault, may ? 0 : 0x0d);
        poke(b, TABLE, TO_TABLE(SECOND, 0) | (pxn ? 4u : 0));
        poke(b, SECOND, 2 | PAGE_AP(ap) | xn);
        assert_int_equal(translate_address(b, 0, access, ring).fault, may ? 0 : 0x0f);
        poke(b, SECOND, 1 | PAGE_AP(ap) | (xn ? 0x8000u : 0));
        assert_int_equal(translate_address(b, 0, access, ring).fault, may ? 0 : 0x0f);
        cpu_reset(b->cpu);
    }
}

static void test_domains(void **state)
{
    struct bench *b = *state;

    use_short(b, 0);
    poke(b, TABLE, SECTION(0, 0) | 7u << 5 | 0x10);
    for (unsigned rights_of = 0; rights_of < 4; rights_of++) {
        set(b, "DACR", rights_of << 14);
        for (unsigned access = CPU_READ; access <= CPU_FETCH; access++) {
            struct answer a = translate_address(b, 0, (enum cpu_access)access, b->cpu->ring);

            assert_int_equal(a.fault, rights_of == 3 ? 0 : rights_of == 1 ? 0x7d : 0x79);
        }
    }
}

/* Switching between two values of DACR keeps the translations of both. */
static void test_domains_keep_translations(void **state)
{
    struct bench *b = *state;
    uint64_t walks = 0;

    use_short(b, 0);
    poke(b, TABLE + 4 * 0x800, SECTION(RAM, 3));
    poke(b, TABLE + 4 * 0x801, SECTION(RAM + 0x100000, 3) | 1u << 5);
    for (unsigned n = 0; n < 8; n++) {
        if (n == 4)
            walks = b->cpu->counters.walks;
        set(b, "DACR", n & 1 ? 1 : 5);
        set(b, "R1", n & 1 ? RAM + 0x40 : RAM + 0x100040);
        RUN(b, 0xe8d10004); /* ldm r1, {r2}^ */
        assert_int_equal(b->cpu->pc, CODE + 4);
    }
    assert_int_equal(b->cpu->counters.walks, walks);
    set(b, "R1", RAM + 0x100040);
    RUN(b, 0xe8d10004);
    /* domain fault of domain 1, for which DACR = 1 gives no access */
    assert_int_equal(get(b, "DFSR"), 0x19);
}

/* The ring of a value of DACR does not depend on the previous value of DACR. */
static void test_domains_have_rings_of_their_own(void **state)
{
    struct bench *b = *state;
    static const uint32_t before[] = {0, 0x55, 0x51, 0xfffffffd, 0x5f};

    use_short(b, 0);
    for (unsigned n = 0; n < ARRAY_SIZE(before); n++) {
        unsigned low, high;

        set(b, "DACR", 0);
        set(b, "DACR", before[n]);
        set(b, "DACR", 0x51);
        set(b, "DACR", 0x55);
        high = b->cpu->ring;
        set(b, "DACR", 0x51);
        low = b->cpu->ring;
        assert_int_equal(low, RING_KERNEL);
        assert_int_not_equal(high, low);
        set(b, "DACR", 0x55);
        assert_int_equal(b->cpu->ring, high);
    }
}

/* LDRT uses the current DACR, whichever value User mode was last entered with. */
static void test_unprivileged_domains(void **state)
{
    struct bench *b = *state;

    use_short(b, 0);
    poke(b, TABLE + 4 * 0x800, SECTION(RAM, 3));
    poke(b, TABLE + 4 * 0x801, SECTION(RAM + 0x100000, 3) | 1u << 5);
    set(b, "R1", RAM + 0x100040);
    set(b, "DACR", 5);
    RUN(b, 0xe4b12000); /* ldrt r2, [r1], #0 */
    assert_int_equal(b->cpu->pc, CODE + 4);
    set(b, "DACR", 1);
    RUN(b, 0xe4b12000);
    assert_int_equal(get(b, "DFSR"), 0x19);
}

/* Memory attributes as ATS1CPR reports them in PAR. */
static uint32_t par_of(struct bench *b, uint32_t va)
{
    set(b, "ATS1CPR", va);
    return get(b, "PAR_32");
}

static void test_short_attributes(void **state)
{
    struct bench *b = *state;
    /* TEX, C and B; PAR[10:1] of a shareable section, without SH and NOS */
    static const struct {
        uint32_t texcb, par;
    } rows[] = {
        {0x00, 0x80 | 1 << 4 | 3 << 2}, /* strongly-ordered */
        {0x01, 0x80 | 3 << 4 | 3 << 2}, /* shareable device */
        {0x02, 0x80 | 6 << 4 | 2 << 2}, /* write-through */
        {0x03, 0x80 | 7 << 4 | 3 << 2}, /* write-back */
        {0x04, 0x80 | 0 << 4 | 0 << 2}, /* non-cacheable */
        {0x07, 0x80 | 5 << 4 | 1 << 2}, /* write-back, write-allocate */
        {0x16, 0x80 | 6 << 4 | 1 << 2}, /* outer write-allocate, inner write-through */
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint32_t texcb = rows[i].texcb, device = texcb < 2;

        use_short(b, 0);
        poke(b, TABLE + 4,
             SECTION(0x12300000, 3) | 1u << 16 | (texcb >> 2) << 12 | (texcb & 3) << 2);
        assert_int_equal(par_of(b, 0x00145678), 0x12345000 | 1 << 9 | rows[i].par);
        assert_int_equal(
            !(translate_address(b, 0x00145678, CPU_READ, b->cpu->ring).flags & TRANSLATE_DEVICE),
            !device);
    }
    use_short(b, SCTLR_TRE);
    set(b, "PRRR",
        /* type 1 is strongly-ordered, 2 device, 3 normal memory */
        2 << 6 | 0 << 2 | 1 << 4 | 1u << 19 | 1u << 27);
    /* type 3: inner write-back, outer write-allocate */
    set(b, "NMRR", 3 << 6 | 1u << 22);
    poke(b, TABLE + 4, SECTION(0x12300000, 3) | 1u << 16 | 3u << 2);
    assert_int_equal(par_of(b, 0x00145678), 0x12345000 | 1 << 10 | 1 << 9 | 0x80 | 7 << 4 | 1 << 2);
    poke(b, TABLE + 4, SECTION(0x12300000, 3) | 1u << 2);
    assert_true(translate_address(b, 0x00145678, CPU_READ, b->cpu->ring).flags & TRANSLATE_DEVICE);
    poke(b, TABLE + 4, SECTION(0x12300000, 3) | 2u << 2);
    assert_true(translate_address(b, 0x00145678, CPU_READ, b->cpu->ring).flags & TRANSLATE_DEVICE);
    /* A fault: PAR has its status in bits 6 to 1. */
    poke(b, TABLE + 4, SECTION(0x12300000, 0));
    assert_int_equal(par_of(b, 0x00145678), 1 | 0xd << 1);
}

/* ---- long descriptors ------------------------------------------------------------------------ */

#define VALID  UINT64_C(1)
#define LTABLE UINT64_C(3)
#define AF     UINT64_C(0x400)
#define NG     UINT64_C(0x800)
#define LAP(x) ((uint64_t)(x) << 6)

static void use_long(struct bench *b, uint32_t ttbcr)
{
    set(b, "TTBR0", TABLE);
    set(b, "TTBR1", OTHER);
    set(b, "PRRR", 0xff440400); /* MAIR0 */
    set(b, "TTBCR", EAE | ttbcr);
    set(b, "SCTLR", SCTLR_M);
}

static void test_long_sizes(void **state)
{
    struct bench *b = *state;
    struct answer a;

    use_long(b, 0);
    poke64(b, TABLE + 8, UINT64_C(0xab40000000) | AF | VALID | 3 << 2);
    a = translate_address(b, 0x52345678, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, UINT64_C(0xab52345678));
    assert_int_equal(size_of(a), 30);
    assert_false(a.flags & TRANSLATE_DEVICE);

    poke64(b, TABLE + 16, SECOND | LTABLE);
    poke64(b, SECOND + 8 * 0x11, UINT64_C(0xcd00200000) | AF | NG | VALID | 1 << 2);
    a = translate_address(b, 0x82345678, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, UINT64_C(0xcd00345678));
    assert_int_equal(size_of(a), 21);
    assert_true(a.flags & TRANSLATE_DEVICE);
    assert_true(a.flags & TRANSLATE_NOT_GLOBAL);

    poke64(b, SECOND + 8 * 0x12, (SECOND + 0x1000) | LTABLE);
    poke64(b, SECOND + 0x1000 + 8 * 0x34, UINT64_C(0xef00056000) | AF | LTABLE);
    a = translate_address(b, 0x82434789, CPU_READ, RING_KERNEL);
    assert_int_equal(a.fault, 0);
    assert_int_equal(a.pa, UINT64_C(0xef00056789));
    assert_int_equal(size_of(a), 12);
}

/* Sizes of the two regions: with T0SZ or T1SZ of 2 and more the walk begins at level 2. */
static void test_long_split(void **state)
{
    struct bench *b = *state;
    uint64_t block = AF | VALID;

    use_long(b, 2 | 3u << 16); /* 1 GB below, 512 MB above */
    poke64(b, TABLE + 8 * 0x1ff, 0x10000000 | block);
    poke64(b, OTHER + 8 * 0xff, 0x20000000 | block);
    assert_int_equal(translate_address(b, 0x3fe00000, CPU_READ, RING_KERNEL).pa, 0x10000000);
    assert_int_equal(translate_address(b, 0xffe00000, CPU_READ, RING_KERNEL).pa, 0x20000000);
    /* in neither region */
    assert_int_equal(translate_address(b, 0x40000000, CPU_READ, RING_KERNEL).fault, 0x205);
    assert_int_equal(translate_address(b, 0xdfffffff, CPU_READ, RING_KERNEL).fault, 0x205);
    use_long(b, 2 | 3u << 16 | 1u << 7); /* EPD0 */
    assert_int_equal(translate_address(b, 0x3fe00000, CPU_READ, RING_KERNEL).fault, 0x205);
    use_long(b, 2 | 3u << 16 | 1u << 23); /* EPD1 */
    assert_int_equal(translate_address(b, 0xffe00000, CPU_READ, RING_KERNEL).fault, 0x205);

    use_long(b, 1); /* TTBR1 has the addresses that TTBR0 has not */
    poke64(b, OTHER + 8 * 2, 0x80000000 | block);
    assert_int_equal(translate_address(b, 0x9fffffff, CPU_READ, RING_KERNEL).pa, 0x9fffffff);
    use_long(b, 1u << 16); /* TTBR0 has the addresses that TTBR1 has not */
    poke64(b, TABLE + 8, 0x40000000 | block);
    poke64(b, OTHER + 8, 0xc0000000 | block);
    assert_int_equal(translate_address(b, 0x7fffffff, CPU_READ, RING_KERNEL).pa, 0x7fffffff);
    assert_int_equal(translate_address(b, 0xc0000000, CPU_READ, RING_KERNEL).pa, 0xc0000000);
}

static void test_long_faults(void **state)
{
    struct bench *b = *state;

    use_long(b, 0);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x205);
    poke64(b, TABLE, SECOND | LTABLE);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x206);
    poke64(b, SECOND, VALID);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault,
                     0x20a); /* access flag fault */
    poke64(b, SECOND, (SECOND + 0x1000) | LTABLE);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x207);
    poke64(b, SECOND + 0x1000, AF | VALID); /* no block at level 3 */
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x207);
    poke64(b, SECOND + 0x1000, AF | LTABLE);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_USER).fault,
                     0x20f); /* permission fault */
    poke64(b, SECOND, 0x10000000 | LTABLE);
    /* external abort: the table is in unmapped memory */
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x217);
    set(b, "TTBR0", 0x10000000);
    assert_int_equal(translate_address(b, 0, CPU_READ, RING_KERNEL).fault, 0x215);
    assert_int_equal((set(b, "ATS1CPR", 0), get(b, "PAR")), 0xa01 | 0x15 << 1);
}

/* A table's attributes remove rights from all entries below it. */
static void test_long_permissions(void **state)
{
    struct bench *b = *state;

    for (unsigned n = 0; n < 4 * 4 * 4 * 4 * 3 * 2; n++) {
        unsigned ap = n % 4, ap_table = n / 4 % 4, xn = n / 16 % 4, xn_table = n / 64 % 4;
        enum cpu_access access = (enum cpu_access)(n / 256 % 3);
        unsigned ring = n / 768;
        bool user = (ap & 1) && !(ap_table & 1), write = !(ap & 2) && !(ap_table & 2);
        bool may = ring == RING_USER ? user : true, never = (xn | xn_table) & 2;

        if (ring != RING_USER)
            never = never || ((xn | xn_table) & 1);
        may = may && (access == CPU_READ || (access == CPU_WRITE ? write : !never));
        use_long(b, 0);
        poke64(b, TABLE, SECOND | LTABLE | (uint64_t)ap_table << 61 | (uint64_t)xn_table << 59);
        poke64(b, SECOND, AF | VALID | LAP(ap) | (uint64_t)xn << 53);
        assert_int_equal(translate_address(b, 0, access, ring).fault, may ? 0 : 0x20e);
        cpu_reset(b->cpu);
    }
}

int main(void)
{
#define TEST(x) cmocka_unit_test_setup_teardown(x, bench_setup, bench_teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_short_sizes),
        TEST(test_short_split),
        TEST(test_short_faults),
        TEST(test_short_permissions),
        TEST(test_domains),
        TEST(test_domains_keep_translations),
        TEST(test_domains_have_rings_of_their_own),
        TEST(test_unprivileged_domains),
        TEST(test_short_attributes),
        TEST(test_long_sizes),
        TEST(test_long_split),
        TEST(test_long_faults),
        TEST(test_long_permissions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
