/* Code that is made, changed and moved while it runs. QEMU 7.2 dies when code is moved,
 * and does not see that it is written by another mapping. */
//= same place 4498500
//= data beside 6122750
//= border 17
//= border 18
//= two mappings 499500
//= moved 5
//= protected 6
//= anew 7
//= itself 9
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t *code;

static void flush_code(void *from, size_t len)
{
    __builtin___clear_cache((char *)from, (char *)from + len);
}

/* mov w0, #n; ret */
static void make_function(uint32_t *at, unsigned n)
{
    at[0] = 0x52800000u | n << 5;
    at[1] = 0xd65f03c0u;
    flush_code(at, 8);
}

static int call_function(uint32_t *at)
{
    return ((int (*)(void))(void *)at)();
}

/* Code that is written by another mapping than it is run by. */
static void write_elsewhere(void)
{
    int file = memfd_create("code", 0);
    unsigned sum = 0;
    uint32_t *run, *write;

    if (file < 0 || ftruncate(file, 4096))
        return;
    run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (unsigned n = 0; n < 1000; n++) {
        write[0] = 0x52800000u | n << 5;
        write[1] = 0xd65f03c0;
        flush_code(run, 8);
        sum += (unsigned)call_function(run);
    }
    printf("two mappings %u\n", sum);
    close(file);
}

int main(void)
{
    unsigned sum = 0;
    uint32_t *other;

    code = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
    for (unsigned n = 0; n < 3000; n++) {
        make_function(code, n);
        sum += (unsigned)call_function(code);
    }
    printf("same place %u\n", sum);
    for (unsigned n = 0; n < 500; n++) { /* data right beside code */
        code[512] = n;
        sum += (unsigned)call_function(code) + code[512];
    }
    printf("data beside %u\n", sum);
    make_function(code + 1023, 17); /* across a page border */
    printf("border %d\n", call_function(code + 1023));
    code[1024] = 0x11000400; /* add w0, w0, #1 */
    code[1025] = 0xd65f03c0;
    flush_code(code + 1024, 8);
    printf("border %d\n", call_function(code + 1023));
    write_elsewhere();
    make_function(code, 5);
    other = mremap(code, 4 * 4096, 8 * 4096, MREMAP_MAYMOVE);
    printf("moved %d\n", call_function(other));
    mprotect(other, 4096, PROT_READ | PROT_WRITE);
    make_function(other, 6);
    mprotect(other, 4096, PROT_READ | PROT_EXEC);
    printf("protected %d\n", call_function(other));
    munmap(other, 8 * 4096);
    code = mmap(other, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    make_function(code, 7);
    printf("anew %d\n", call_function(code));
    /* A loop that changes its own next instruction: str w2, [x1]; …; mov w0, #1 -> mov w0, #9 */
    code[0] = 0x10000061; /* adr x1, .+12 */
    code[1] = 0xb9000022; /* str w2, [x1] (w2 is the argument) */
    code[2] = 0xd5033fdf; /* isb */
    code[3] = 0x52800020; /* mov w0, #1 */
    code[4] = 0xd65f03c0; /* ret */
    flush_code(code, 20);
    {
        register uint64_t target __asm__("x9") = (uint64_t)code;
        register uint64_t word __asm__("x2") = 0x52800120; /* mov w0, #9 */
        register uint64_t result __asm__("x0") = 0;

        __asm__ volatile("add x10, x9, #12\n str w2, [x10]\n dc cvau, x10\n dsb ish\n"
                         "ic ivau, x10\n dsb ish\n isb\n blr x9"
                         : "=r"(result)
                         : "r"(target), "r"(word)
                         : "x1", "x10", "x30", "memory");
        printf("itself %d\n", (int)result);
    }
    return 0;
}
