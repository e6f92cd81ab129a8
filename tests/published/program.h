/*
 * What the programs for published models share: a start without an operating system, and an end that QEMU's user mode and
 * the bare runner both understand. The result is written as 8 bytes by a system call; it also stands in a register (`result`
 * of scripts/published), since a published model ends at its first system call.
 */
#ifndef TESTS_PUBLISHED_PROGRAM_H
#define TESTS_PUBLISHED_PROGRAM_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

/* A number that depends on everything the program computed. */
u32 compute(void);

u8 stack[1 << 16] __attribute__((aligned(16), used));
u64 result __attribute__((used));

#if defined(__riscv)
__asm__(".section .text.unlikely\n.globl _start\n_start:\n"
        "la sp, stack + 65536\ncall compute\n"
        "la a1, result\nsw a0, 0(a1)\nmv a3, a0\n"
        "li a0, 1\nli a2, 8\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall\n.text\n");
#elif defined(__aarch64__)
__asm__(".section .text.unlikely\n.globl _start\n_start:\n"
        "ldr x0, =stack + 65536\nmov sp, x0\nbl compute\n"
        "ldr x1, =result\nstr w0, [x1]\nmov w3, w0\n"
        "mov x0, #1\nmov x2, #8\nmov x8, #64\nsvc #0\nmov x0, #0\nmov x8, #93\nsvc "
        "#0\n.ltorg\n.text\n");
#elif defined(__arm__)
__asm__(
    ".section .text.unlikely\n.arm\n.globl _start\n_start:\n"
    "ldr sp, =stack + 65536\nbl compute\n"
    "ldr r1, =result\nstr r0, [r1]\nmov r3, r0\n"
    "mov r0, #1\nmov r2, #8\nmov r7, #4\nsvc #0\nmov r0, #0\nmov r7, #1\nsvc #0\n.ltorg\n.text\n");
#else
#error "no start for this target"
#endif

static inline u32 mix(u32 sum, u32 value)
{
    return (sum ^ value) * 0x01000193u;
}

static u32 seed = 1;

static inline u32 drawn(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed;
}

#endif
