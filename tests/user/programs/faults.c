/*
 * Accesses to addresses that are unmapped or protected: the signal, its code and address. The
 * reference is Linux's arch/arm64/mm/fault.c, since QEMU 7.2 has no addresses of the upper half.
 */
//= null: 1101
//= near null: 1101
//= reserved: 1101 1102 1102
//= read-only: 0 1102
//= executable: 0 1102
//= unmapped: 1101 1101
//= free space: 1101 1101
//= last page: 1101 1101
//= behind the end: 1101 1101
//= 2^40: 1101 1101
//= 2^43: 1101 1101
//= 2^46: 1101 1101
//= 2^47: 1101 1101
//= 2^48: 1101 1101
//= 2^52: 1101 1101
//= upper half: 1101 1101
//= kernel: 1101 1101
//= minus 4096: 1101 1101
//= minus 1: 1101 1101
//= letters: 1101 1101
//= more letters: 1101 1101
//= filling: 1101 1101
//= tagged: 0 0
//= tagged read-only: 0 1102
//= tagged, unmapped: 1101 1101
//= two pages: 1102 1101 0
//= kept 0 0 0 0
//= jumps: 1101 1102 1101 1101
//= pairs: 1101 1101 7 8
//= many 20000
//= indexed 60000 20000 20000
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE 4096

static sigjmp_buf back;
static volatile int code;
static volatile uint64_t address;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    code = signal * 100 + info->si_code;
    address = (uint64_t)info->si_addr;
    siglongjmp(back, 1);
}

/*
 * Returns the result of an access at an address: 0, or signal * 100 + code, negated if the reported
 * address is wrong.
 */
static int try_read(uint64_t at, uint64_t want)
{
    if (sigsetjmp(back, 1))
        return address == want ? code : -code;
    (void)*(volatile char *)at;
    return 0;
}

static int try_write(uint64_t at, uint64_t want)
{
    if (sigsetjmp(back, 1))
        return address == want ? code : -code;
    *(volatile char *)at = 1;
    return 0;
}

static int try_jump(uint64_t at)
{
    if (sigsetjmp(back, 1))
        return address == at ? code : -code;
    ((void (*)(void))at)();
    return 0;
}

static void show_accesses(const char *what, uint64_t at)
{
    printf("%s: %d %d\n", what, try_read(at, at), try_write(at, at));
}

/* Eight bytes across the border of two pages. */
static int store_across_pages(uint64_t at, uint64_t want)
{
    if (sigsetjmp(back, 1))
        return address == want ? code : -code;
    *(volatile uint64_t *)at = UINT64_C(0x0101010101010101);
    return 0;
}

/* ldp and stp whose second half fails. */
static int access_pair(uint64_t at, int store, uint64_t *a, uint64_t *b)
{
    uint64_t x = *a, y = *b;

    if (sigsetjmp(back, 1))
        return address == at + 8 ? code : -code;
    if (store)
        __asm__ volatile("stp %0, %1, [%2]" : : "r"(x), "r"(y), "r"(at) : "memory");
    else
        __asm__ volatile("ldp %0, %1, [%2]" : "+&r"(x), "+&r"(y) : "r"(at));
    return 0;
}

/* The handler continues after the faulting instruction. */
static volatile int skipped;

static void on_skip(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    (void)signal, (void)info;
    u->uc_mcontext.pc += 4;
    skipped++;
}

/* Faults in a loop that is translated: registers have their values at the instruction. */
static void fault_in_loop(char *page)
{
    struct sigaction action = {.sa_sigaction = on_skip, .sa_flags = SA_SIGINFO};
    uint64_t sum = 0;

    sigaction(SIGSEGV, &action, NULL);
    for (unsigned n = 0; n < 60000; n++) {
        uint64_t value = n;

        __asm__ volatile("ldr %0, [%1]" : "+r"(value) : "r"(n % 3 ? page : page + 2 * PAGE));
        sum += value == (n % 3 ? 5 : n);
    }
    printf("many %d\n", sum == 60000 ? skipped : -1);
}

static void on_address(int signal, siginfo_t *info, void *context)
{
    address = (uint64_t)info->si_addr;
    on_skip(signal, info, context);
}

/* Faults in a translated loop, of loads and stores at base + (index << 3) + offset: si_addr. */
static void fault_at_index(char *page)
{
    struct sigaction action = {.sa_sigaction = on_address, .sa_flags = SA_SIGINFO};
    unsigned right = 0, loads = 0, stores = 0;

    sigaction(SIGSEGV, &action, NULL);
    for (unsigned n = 0; n < 60000; n++) {
        int64_t index = n % 3 ? -8 : 2 * PAGE / 8;
        uint64_t value = n, base = (uint64_t)page + 64, at = base + (uint64_t)index * 8;

        __asm__ volatile("ldr %0, [%1, %2, lsl #3]"
                         : "+r"(value)
                         : "r"(base), "r"(index)
                         : "memory");
        right += value == (n % 3 ? 5 : n);
        loads += !(n % 3) && address == at;
        __asm__ volatile("add x9, %1, %2, lsl #3\n strb %w0, [x9, #11]"
                         :
                         : "r"(n), "r"(base), "r"(index)
                         : "x9", "memory");
        stores += !(n % 3) && address == at + 11;
    }
    printf("indexed %u %u %u\n", right, loads, stores);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t at = (uint64_t)p, tag = UINT64_C(0x5a) << 56, a = 7, b = 8;

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    printf("null: %d\nnear null: %d\n", try_read(0, 0), try_write(0xff8, 0xff8));
    mprotect(p + 3 * PAGE, PAGE, PROT_NONE);
    printf("reserved: %d %d %d\n", try_jump(0), try_read(at + 3 * PAGE, at + 3 * PAGE),
           try_write(at + 4 * PAGE - 1, at + 4 * PAGE - 1));
    mprotect(p + 5 * PAGE, PAGE, PROT_READ);
    show_accesses("read-only", at + 5 * PAGE);
    mprotect(p + 6 * PAGE, PAGE, PROT_EXEC);
    show_accesses("executable", at + 6 * PAGE);
    munmap(p + 8 * PAGE, 2 * PAGE);
    show_accesses("unmapped", at + 9 * PAGE);
    show_accesses("free space", UINT64_C(0x1000000000));
    show_accesses("last page", UINT64_C(0x7ffffff000));
    show_accesses("behind the end", UINT64_C(0x8000000000));
    show_accesses("2^40", UINT64_C(1) << 40 | at);
    show_accesses("2^43", UINT64_C(1) << 43 | at);
    show_accesses("2^46", UINT64_C(1) << 46);
    show_accesses("2^47", UINT64_C(1) << 47 | at);
    show_accesses("2^48", UINT64_C(1) << 48 | at);
    show_accesses("2^52", UINT64_C(1) << 52 | at);
    show_accesses("upper half", UINT64_C(0xff80000000000000) | at);
    show_accesses("kernel", UINT64_C(0xffff800008000000));
    show_accesses("minus 4096", -UINT64_C(4096));
    show_accesses("minus 1", -UINT64_C(1));
    show_accesses("letters", UINT64_C(0x0000646362616463));
    show_accesses("more letters", UINT64_C(0x0061616161616161));
    show_accesses("filling", UINT64_C(0x00aaaaaaaaaaaaaa));
    printf("tagged: %d %d\n", try_read(at | tag, 0), try_write(at | tag, 0));
    printf("tagged read-only: %d %d\n", try_read((at + 5 * PAGE) | tag, 0),
           try_write((at + 5 * PAGE) | tag, at + 5 * PAGE));
    printf("tagged, unmapped: %d %d\n", try_read((at + 8 * PAGE) | tag, at + 8 * PAGE),
           try_write((at + 8 * PAGE) | tag, at + 8 * PAGE));
    printf("two pages: %d %d %d\n", store_across_pages(at + 5 * PAGE - 4, at + 5 * PAGE),
           store_across_pages(at + 8 * PAGE - 1, at + 8 * PAGE),
           store_across_pages(at + PAGE - 3, 0));
    printf("kept %d %d %d %d\n", p[5 * PAGE - 1], p[5 * PAGE - 4], p[8 * PAGE - 1], p[5 * PAGE]);
    mprotect(p + 11 * PAGE, PAGE, PROT_READ | PROT_WRITE);
    printf("jumps: %d %d %d %d\n", try_jump(at + 8 * PAGE), try_jump(at + 11 * PAGE),
           try_jump(UINT64_C(1) << 40), try_jump(UINT64_C(0xffff800008000000)));
    printf("pairs: %d %d", access_pair(at + 8 * PAGE - 8, 0, &a, &b),
           access_pair(at + 8 * PAGE - 8, 1, &a, &b));
    printf(" %d %d\n", (int)a, (int)b);
    munmap(p + 14 * PAGE, 2 * PAGE);
    *(uint64_t *)(p + 12 * PAGE) = 5;
    fault_in_loop(p + 12 * PAGE);
    fault_at_index(p + 12 * PAGE);
    return 0;
}
