/*
 * A program for supervisor mode of a RISC-V machine with QEMU's `virt` layout: random page tables,
 * and accesses through them. It prints one line per access, the same on every such machine;
 * pages.py compares them.
 */
#include <stdint.h>

#define UART 0x10000000u
#define PAGE 4096u

enum { V = 1, R = 2, W = 4, X = 8, U = 16, G = 32, A = 64, D = 128 };
enum { SPP = 1 << 8, SUM = 1 << 18, MXR = 1 << 19 };
enum { LOAD, STORE, AMO, RESERVE, FETCH, KINDS };

struct trap {
    uint64_t cause, value, pc, status;
};

void enter(uint64_t pc, uint64_t address, uint64_t status, struct trap *trap);
void run(void);
extern const uint8_t probes[];

/* User mode's address of `probes`, where accesses are tried. */
#define USER_PROBES 0x40000000u
#define TRIED       0x140000000u

typedef uint64_t table[PAGE / 8] __attribute__((aligned(PAGE)));
static table top, root, user[2], levels[2];
static uint64_t target[PAGE / 8] __attribute__((aligned(0x200000)));
static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static uint64_t draw_below(uint64_t n)
{
    return (random_bits() >> 20) % n;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void put_char(char c)
{
    volatile uint8_t *uart = (volatile uint8_t *)(uintptr_t)UART;

    while (!(uart[5] & 0x20))
        ;
    uart[0] = (uint8_t)c;
}

static void put_text(const char *text)
{
    while (*text)
        put_char(*text++);
}

static void put_hex(uint64_t n)
{
    int shift = 60;

    while (shift > 0 && !(n >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        put_char("0123456789abcdef"[n >> shift & 15]);
}

static void put_number(const char *name, uint64_t n)
{
    put_text(name);
    put_hex(n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t make_entry(const void *page, uint64_t flags)
{
    return ((uintptr_t)page >> 12) << 10 | flags;
}

/* Maps the first 4 GB to themselves for supervisor mode, and `probes` for user mode. */
static void make_tables(void)
{
    for (uint64_t n = 0; n < 4; n++)
        root[n] = n << 28 | V | R | W | X | A | D | G;
    root[USER_PROBES >> 30] = make_entry(user[0], V);
    user[0][0] = make_entry(user[1], V);
    user[1][0] = make_entry(probes, V | R | X | U | A);
    top[0] = make_entry(root, V);
    for (unsigned n = 0; n < PAGE / 8; n++)
        target[n] = 0x0010007300100073u; /* EBREAK */
}

/*
 * Random flags of a leaf, in most cases usable ones. Above the last level they never make it a
 * pointer.
 */
static uint64_t random_leaf(uint64_t level)
{
    uint64_t flags = V | A | D | R | (random_bits() & (W | X | U | G));

    if (!draw_below(3))
        flags ^= 1u << draw_below(8);
    if (!draw_below(6))
        flags = random_bits() & 0xff;
    if (!draw_below(24))
        flags |= 1ull << (54 + draw_below(10));
    return level && !(flags & (R | W | X)) ? flags | R : flags;
}

/* Maps the target by a leaf at a level. Returns the leaf. */
static uint64_t *map_target(uint64_t level)
{
    uint64_t misplaced = level && !draw_below(4) ? 1ull << (10 + draw_below(9 * level)) : 0;
    uint64_t leaf = (make_entry(target, 0) & ~((1ull << (10 + 9 * level)) - 1)) | misplaced;
    uint64_t pointer = V | (draw_below(12) ? 0 : 1u << (4 + draw_below(4)));
    uint64_t *at = level == 2 ? &root[TRIED >> 30] : level == 1 ? &levels[0][0] : &levels[1][0];

    if (level < 2)
        root[TRIED >> 30] = make_entry(levels[0], pointer);
    if (level < 1)
        levels[0][0] = make_entry(levels[1], V);
    *at = leaf | random_leaf(level);
    return at;
}

/* Returns the address of the target's first word under a leaf of that level, rarely another one. */
static uint64_t address_at(uint64_t level)
{
    uint64_t inside = (uintptr_t)target & ((1ull << (12 + 9 * level)) - 1);
    uint64_t address = TRIED + inside;

    if (!draw_below(16))
        address |= 1ull << (38 + draw_below(26));
    if (!draw_below(16))
        address += 1 + draw_below(7);
    return address;
}

/* ---- trying ---------------------------------------------------------------------------------- */

/* QEMU 7.2 treats an atomic operation as a load first: its faults are load faults, and set A. */
static uint64_t cause_of(uint64_t kind, uint64_t cause)
{
    return kind == AMO && (cause == 4 || cause == 5 || cause == 13) ? cause + 2 : cause;
}

static void try_access(unsigned number)
{
    uint64_t kind = draw_below(KINDS), level = draw_below(3), is_user = draw_below(2),
             mode = 8 + draw_below(2);
    uint64_t *leaf = map_target(level), before = *leaf, address = address_at(level);
    uint64_t status = (draw_below(2) ? SUM : 0) | (draw_below(2) ? MXR : 0) | (is_user ? 0 : SPP);
    uint64_t pc =
        kind == FETCH ? address & ~1ull : (is_user ? USER_PROBES : (uintptr_t)probes) + 16 * kind;
    uint64_t cause;
    struct trap trap;

    target[0] = 0x0010007300100073u;
    __asm__ volatile("csrw satp, %0\n\tsfence.vma" ::"r"(
        mode << 60 | (uintptr_t)(mode == 9 ? top : root) >> 12));
    enter(pc, address, status, &trap);
    cause = cause_of(kind, trap.cause);
    __asm__ volatile("csrw satp, zero\n\tsfence.vma");
    put_number("", number);
    put_number(": kind ", kind);
    put_number(" level ", level);
    put_number(" leaf ", before);
    put_number(" at ", address);
    put_number(" status ", status);
    put_number(" mode ", mode);
    put_number(": cause ", cause);
    /* An implementation need not report the address of a breakpoint. */
    put_number(" value ", cause == 3 ? 0 : trap.value);
    put_number(" pc ", trap.pc - pc);
    put_number(" status ", trap.status & (SPP | SUM | MXR | 0x22));
    put_number(" leaf ", kind == AMO && cause != 3 ? 0 : *leaf ^ before);
    put_number(" target ", target[0]);
    put_text("\n");
}

/* Prints which bits a register keeps, without those that QEMU 7.2 drops against the manual. */
#define KEEPS(name, bits)                                                                 \
    do {                                                                                  \
        uint64_t value = random_bits() & (bits), got;                                     \
                                                                                          \
        __asm__ volatile("csrw " name ", %1\n\tcsrr %0, " name : "=r"(got) : "r"(value)); \
        put_number(name " ", value);                                                      \
        put_number(" ", got);                                                             \
        put_text("\n");                                                                   \
    } while (0)

static void try_registers(void)
{
    uint64_t vector;

    __asm__ volatile("csrr %0, stvec" : "=r"(vector));
    for (unsigned n = 0; n < 20; n++) {
        KEEPS("sscratch", ~0ull);
        KEEPS("sepc", ~1ull);
        KEEPS("stval", ~0ull);
        KEEPS("scounteren", 0xffffffff);
        KEEPS("sie", ~0ull);
        KEEPS("stvec", ~0ull);
    }
    __asm__ volatile("csrw sie, zero\n\tcsrw stvec, %0" ::"r"(vector));
}

/* Tries illegal instructions, some of them across the border of two pages. */
static void try_illegal(void)
{
    static const uint32_t words[] = {
        0,          0x8004,     0x2001,     0x9c7d,     0xffffffff, 0xfe00707f, 0x30200073,
        0x30002573, 0xc0001073, 0x7c002573, 0x1010202f, 0x02007053, 0x12345633, 0xbadf000b,
    };
    static uint8_t code[2 * PAGE] __attribute__((aligned(PAGE)));
    struct trap trap;

    for (unsigned n = 0; n < 2 * sizeof(words) / sizeof(*words); n++) {
        uint8_t *at = code + (n & 1 ? PAGE - 2 : 64);
        uint32_t word = words[n / 2];

        for (unsigned i = 0; i < 8; i++)
            at[i] = i < 4 ? (uint8_t)(word >> (8 * i)) : 0;
        __asm__ volatile("fence.i");
        enter((uintptr_t)at, 0, SPP, &trap);
        put_number("word ", word);
        put_number(" cause ", trap.cause);
        put_number(" value ", trap.value);
        put_number(" pc ", trap.pc - (uintptr_t)at);
        put_text("\n");
    }
}

void run(void)
{
    make_tables();
    put_text("start\n");
    try_registers();
    try_illegal();
    for (unsigned n = 0; n < CASES; n++)
        try_access(n);
    put_text("end\n");
}
