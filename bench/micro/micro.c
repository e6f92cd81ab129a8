/*
 * Costs of a simulated system besides arithmetic: code that changes, branches, exceptions, devices,
 * memory and translations. There is one row per kind, after SimBench (Wagstaff, Bodin, Spink,
 * Franke: "SimBench: A Portable Benchmarking Methodology for Full-System Simulators", ISPASS 2017).
 *
 * The program is bare metal, at EL1 of one CPU. It prints a line before and after each row, so that
 * the host can take the time; a row with a wrong count reports it. The board's addresses come from
 * the compiler's command line.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE         4096
#define WINDOW_PAGES 8192
#define WINDOW       (RAM + 0x4000000) /* its pages are mapped one by one */
#define NOWHERE      0x7000000000      /* nothing is mapped there */
#define GIB          0x40000000ull

uint64_t direct_page(uint64_t rounds), direct_pages(uint64_t rounds);
uint64_t indirect_page(uint64_t rounds), indirect_pages(uint64_t rounds);
extern const uint32_t small_code[], large_code[], code_end[];
void micro(void);

/* ---- the console ----------------------------------------------------------------------------- */

static volatile uint32_t *device_register(uint64_t base, unsigned offset)
{
    return (volatile uint32_t *)(base + offset);
}

static void put_string(const char *s)
{
    for (; *s; s++)
        *device_register(UART, 0) = (uint8_t)*s;
}

static void put_number(uint64_t n)
{
    char text[21], *at = text + sizeof(text) - 1;

    *at = 0;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    put_string(at);
}

/* ---- translation ----------------------------------------------------------------------------- */

enum {
    TABLE = 3,
    PAGES = 3,
    BLOCK = 1,
    USED = 1 << 10,
    SHARED = 3 << 8,
    ANY_RING = 1 << 6, /* for data: EL0 may read and write it */
    MEMORY = 0 << 2,   /* index in MAIR */
    DEVICE = 1 << 2,
};

static uint64_t level1[512] __attribute__((aligned(PAGE)));
static uint64_t level2[512] __attribute__((aligned(PAGE)));
static uint64_t level3[WINDOW_PAGES] __attribute__((aligned(PAGE)));

static void switch_mmu(bool on)
{
    uint64_t sctlr;

    __asm__ volatile("mrs %0, sctlr_el1" : "=r"(sctlr));
    sctlr = on ? sctlr | 1 : sctlr & ~1ull;
    __asm__ volatile("dsb sy\n msr sctlr_el1, %0\n isb" ::"r"(sctlr) : "memory");
}

static void make_tables(void)
{
    uint64_t memory = MEMORY_TYPE;
    unsigned first = (WINDOW - RAM) >> 21;

    for (uint64_t n = 0; n < RAM / GIB; n++)
        level1[n] = n * GIB | USED | DEVICE | BLOCK;
    level1[RAM / GIB] = (uint64_t)level2 | TABLE;
    for (uint64_t n = 0; n < 512; n++)
        level2[n] = (RAM + (n << 21)) | USED | SHARED | MEMORY | BLOCK;
    for (uint64_t n = 0; n < WINDOW_PAGES; n++)
        level3[n] = (WINDOW + n * PAGE) | USED | SHARED | ANY_RING | MEMORY | PAGES;
    for (uint64_t n = 0; n < WINDOW_PAGES / 512; n++)
        level2[first + n] = (uint64_t)&level3[n * 512] | TABLE;
    __asm__ volatile("msr mair_el1, %0\n"
                     "msr tcr_el1, %1\n"
                     "msr ttbr0_el1, %2\n"
                     "dsb sy\n tlbi vmalle1\n dsb sy\n isb" ::"r"(memory),
                     "r"(25ull | 1ull << 23 | 2ull << 32), "r"(level1)
                     : "memory");
    switch_mmu(true);
}

/* ---- code ------------------------------------------------------------------------------------ */

static uint32_t code[1024] __attribute__((aligned(PAGE)));

/* Copies code in blocks of `size` instructions, and runs it again each time that one of its blocks
 * was rewritten. Returns the sum of the results. */
static uint64_t change_and_run(const uint32_t *from, const uint32_t *end, size_t size,
                               uint64_t rounds)
{
    uint64_t (*run)(uint64_t) = (uint64_t(*)(uint64_t))(void *)code;
    uint64_t sum = 0;

    for (size_t n = 0; from + n < end; n++)
        code[n] = from[n];
    while (rounds--) {
        for (size_t n = 0; from + n < end; n += size)
            *(volatile uint32_t *)&code[n] = from[n];
        for (size_t n = 0; from + n < end; n += 16)
            __asm__ volatile("dc cvau, %0\n dsb ish\n ic ivau, %0" ::"r"(&code[n]) : "memory");
        __asm__ volatile("dsb ish\n isb" ::: "memory");
        sum = run(sum);
    }
    return sum;
}

static uint64_t small_blocks(uint64_t rounds)
{
    return change_and_run(small_code, large_code, 2, rounds) / 256;
}

static uint64_t large_blocks(uint64_t rounds)
{
    return change_and_run(large_code, code_end, 65, rounds) / 256;
}

static uint64_t branch_direct_page(uint64_t rounds)
{
    return direct_page(rounds) / 16;
}

static uint64_t branch_direct_pages(uint64_t rounds)
{
    return direct_pages(rounds) / 16;
}

static uint64_t branch_indirect_page(uint64_t rounds)
{
    return indirect_page(rounds) / 16;
}

static uint64_t branch_indirect_pages(uint64_t rounds)
{
    return indirect_pages(rounds) / 16;
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* Resets X28, which the handlers increment. */
static void count_from_0(void)
{
    __asm__ volatile("mov x28, #0" ::: "memory");
}

static uint64_t read_count(void)
{
    uint64_t n;

    __asm__ volatile("mov %0, x28" : "=r"(n)::"memory");
    return n;
}

static uint64_t undefined_instruction(uint64_t rounds)
{
    count_from_0();
    while (rounds--)
        __asm__ volatile("udf #0" ::: "cc", "memory");
    return read_count();
}

static uint64_t system_call(uint64_t rounds)
{
    count_from_0();
    while (rounds--)
        __asm__ volatile("svc #0" ::: "cc", "memory");
    return read_count();
}

static uint64_t data_fault(uint64_t rounds)
{
    uint64_t value;

    count_from_0();
    while (rounds--)
        __asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(NOWHERE) : "cc", "memory");
    return read_count();
}

static uint64_t instruction_fault(uint64_t rounds)
{
    count_from_0();
    while (rounds--)
        __asm__ volatile("blr %0" ::"r"(NOWHERE) : "x30", "cc", "memory");
    return read_count();
}

/* Sends an interrupt to this CPU. */
static uint64_t software_interrupt(uint64_t rounds)
{
    *device_register(GIC_DISTRIBUTOR, 0) = 1;
    *device_register(GIC_DISTRIBUTOR, 0x100) = 1;
    *device_register(GIC_CPU, 4) = 0xf0;
    *device_register(GIC_CPU, 0) = 1;
    count_from_0();
    __asm__ volatile("msr daifclr, #2" ::: "memory");
    for (uint64_t n = 1; n <= rounds; n++) {
        *device_register(GIC_DISTRIBUTOR, 0xf00) = 2u << 24;
        while (read_count() != n)
            ;
    }
    __asm__ volatile("msr daifset, #2" ::: "memory");
    return read_count();
}

/* ---- devices and system registers ------------------------------------------------------------ */

static uint64_t device_access(uint64_t rounds)
{
    uint64_t sum = 0;

    for (uint64_t n = 0; n < rounds; n++)
        sum += (*device_register(UART, 0xfe0) & 0xff) == 0x11; /* UARTPeriphID0 */
    return sum;
}

static uint64_t system_registers(uint64_t rounds)
{
    uint64_t sum = 0, value, other;

    for (uint64_t n = 0; n < rounds; n++) {
        __asm__ volatile(
            "msr tpidr_el1, %2\n mrs %0, tpidr_el1\n mrs %1, mpidr_el1\n mrs %1, sctlr_el1"
            : "=&r"(value), "=r"(other)
            : "r"(n));
        sum += value == n;
    }
    return sum;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static volatile uint64_t *window_word(uint64_t page)
{
    return (volatile uint64_t *)(WINDOW + page * PAGE + (page * 64) % PAGE);
}

static uint64_t hot_access(uint64_t rounds)
{
    volatile uint64_t *p = window_word(0);

    p[0] = p[1] = p[2] = p[3] = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        p[0] = p[0] + 1;
        p[1] = p[0];
        p[2] = p[1];
        p[3] = p[2];
    }
    return p[3];
}

/* Accesses each page once per round. */
static uint64_t cold_access(uint64_t rounds)
{
    uint64_t sum = 0;

    for (uint64_t page = 0; page < WINDOW_PAGES; page++)
        *window_word(page) = 1;
    for (uint64_t n = 1; n < rounds; n++) {
        for (uint64_t page = 0; page < WINDOW_PAGES; page++)
            sum += *window_word(page);
    }
    return sum / WINDOW_PAGES + 1;
}

static uint64_t hot_without(uint64_t rounds)
{
    uint64_t result;

    switch_mmu(false);
    result = hot_access(rounds);
    switch_mmu(true);
    return result;
}

static uint64_t cold_without(uint64_t rounds)
{
    uint64_t result;

    switch_mmu(false);
    result = cold_access(rounds);
    switch_mmu(true);
    return result;
}

static uint64_t unprivileged_access(uint64_t rounds)
{
    volatile uint64_t *p = window_word(0);

    *p = 0;
    for (uint64_t n = 0; n < rounds; n++)
        __asm__ volatile("ldtr x0, [%0]\n add x0, x0, #1\n sttr x0, [%0]" ::"r"(p)
                         : "x0", "memory");
    return *p;
}

enum { SOME = 16 /* pages accessed again */ };

static uint64_t tlb_flush(uint64_t rounds)
{
    uint64_t sum = 0;

    for (uint64_t page = 0; page < SOME; page++)
        *window_word(page) = 1;
    for (uint64_t n = 0; n < rounds; n++) {
        __asm__ volatile("tlbi vmalle1\n dsb nsh\n isb" ::: "memory");
        for (uint64_t page = 0; page < SOME; page++)
            sum += *window_word(page);
    }
    return sum / SOME;
}

static uint64_t tlb_evict(uint64_t rounds)
{
    uint64_t sum = 0;

    for (uint64_t page = 0; page < SOME; page++)
        *window_word(page) = 1;
    for (uint64_t n = 0; n < rounds; n++) {
        uint64_t page = n % SOME;

        __asm__ volatile("tlbi vae1, %0\n dsb nsh\n isb" ::"r"((uint64_t)window_word(page) >> 12)
                         : "memory");
        sum += *window_word(page);
    }
    return sum;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct row {
    const char *name;
    uint64_t (*run)(uint64_t rounds); /* returns the number of events, `rounds` */
    uint64_t rounds;
} rows[] = {
#define ROW(name, function, rounds)                  \
    {                                                \
        name, function, (rounds)*PERMILLE / 1000 + 2 \
    }
#include "rows.inc"
#undef ROW
};

static bool is_asked_for(const char *name)
{
    const char *at = ONLY;

    if (!*at)
        return true;
    for (; *at; at++) {
        size_t n = 0;

        while (name[n] && at[n] == name[n])
            n++;
        if (!name[n] && at[n] == ' ')
            return true;
        while (*at != ' ')
            at++;
    }
    return false;
}

void micro(void)
{
    *device_register(UART, 0x30) = 0x301; /* UARTCR: enabled, transmits and receives */
    make_tables();
    for (size_t n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
        uint64_t count;

        if (!is_asked_for(rows[n].name))
            continue;
        put_string("begin ");
        put_string(rows[n].name);
        put_string("\n");
        count = rows[n].run(rows[n].rounds);
        put_string(count == rows[n].rounds ? "end " : "wrong ");
        put_number(count);
        put_string("\n");
    }
    put_string("over\n");
    /* PSCI's SYSTEM_OFF */
    __asm__ volatile("mov w0, #0x0008\n movk w0, #0x8400, lsl #16\n" PSCI " #0" ::: "x0", "memory");
    for (;;)
        ;
}
