/*
 * Entry, exception vectors, and the code whose branches are measured.
 *
 * X28 counts exceptions; X16 and X17 belong to the handlers. The C code is compiled without these
 * three.
 */
    .section .text.start, "ax"
    .globl start
start:
    mrs x0, CurrentEL
    cmp x0, #8
    b.ne 1f
    mov x0, #1 << 31 /* EL2: EL1 is AArch64, and receives the counters and its interrupts */
    msr hcr_el2, x0
    mov x0, #3
    msr cnthctl_el2, x0
    mov x0, #0x33ff
    msr cptr_el2, x0
    mov x0, #0x3c5
    msr spsr_el2, x0
    adr x0, 1f
    msr elr_el2, x0
    eret
1:  msr spsel, #1
    ldr x0, =stack_end
    mov sp, x0
    adr x0, vectors
    msr vbar_el1, x0
    mov x28, #0
    b micro

    .text
    .balign 2048
vectors:
    .skip 0x200
    /* Synchronous, from EL1: a call continues, a failed fetch returns, any other instruction is
     * skipped. */
    add x28, x28, #1
    mrs x16, esr_el1
    lsr x16, x16, #26
    cmp x16, #0x15
    b.eq 1f
    cmp x16, #0x21
    b.eq 2f
    mrs x17, elr_el1
    add x17, x17, #4
    msr elr_el1, x17
1:  eret
2:  msr elr_el1, x30
    eret
    .balign 128
    /* Interrupt, from EL1. */
    add x28, x28, #1
    ldr x16, =GIC_CPU
    ldr w17, [x16, #0xc]
    str w17, [x16, #0x10]
    eret
    .ltorg
    .balign 2048

/* NAME(rounds): 16 blocks, SIZE bytes apart, each jumping to the next; returns their number. */
    .macro direct name, size
    .globl \name
    .balign 4096
\name:
    mov x1, #0
    b 1f
    .balign \size
1:
    .rept 15
    add x1, x1, #1
    b . + \size - 4
    .balign \size
    .endr
    add x1, x1, #1
    subs x0, x0, #1
    b.ne 1b
    mov x0, x1
    ret
    .endm
    direct direct_page, 64
    direct direct_pages, 4096

/* NAME(rounds): calls 16 functions, SIZE bytes apart, by their addresses. */
    .macro indirect name, size
    .globl \name
    .balign 4096
\name:
    mov x1, #0
    mov x9, x30
2:  adr x2, 1f
    .rept 16
    blr x2
    add x2, x2, #\size
    .endr
    subs x0, x0, #1
    b.ne 2b
    mov x0, x1
    ret x9
    .balign \size
1:
    .rept 16
    add x1, x1, #1
    ret
    .balign \size
    .endr
    .endm
    indirect indirect_page, 64
    indirect indirect_pages, 4096

/* Source of small and large blocks: 256 additions of 1 to X0, in blocks of 2 or 64 instructions. */
    .globl small_code, large_code, code_end
small_code:
    .rept 256
    add x0, x0, #1
    b . + 4
    .endr
    ret
large_code:
    .rept 4
    .rept 64
    add x0, x0, #1
    .endr
    b . + 4
    .endr
    ret
code_end:
