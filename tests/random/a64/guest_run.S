/*
 * Runs the sequence at CODE, which the linker knows as sequence_code: loads all registers from
 * guest_state, jumps there, and stores them into guest_state when the sequence jumps to
 * sequence_end. TPIDR_EL0 keeps X30 in between.
 */
    .arch armv8-a
    .text

.macro all_v op
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    pair_v \op, \n, %(\n + 1)
    .endr
.endm

    .altmacro
.macro pair_v op, a, b
    \op q\a, q\b, [x30, #16 * \a]
.endm
.macro pair_x op, a, b
    \op x\a, x\b, [x30, #8 * \a]
.endm
.macro all_x op
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    pair_x \op, \n, %(\n + 1)
    .endr
.endm

/* What a call must leave alone, in own_state. */
.macro callee_saved op
    \op x19, x20, [x1, #0]
    \op x21, x22, [x1, #16]
    \op x23, x24, [x1, #32]
    \op x25, x26, [x1, #48]
    \op x27, x28, [x1, #64]
    \op x29, x30, [x1, #80]
    \op d8, d9, [x1, #96]
    \op d10, d11, [x1, #112]
    \op d12, d13, [x1, #128]
    \op d14, d15, [x1, #144]
.endm

    .globl run_sequence
    .type run_sequence, %function
run_sequence:
    adrp x1, own_state
    add x1, x1, :lo12:own_state
    callee_saved stp
    mov x2, sp
    mrs x3, tpidr_el0
    stp x2, x3, [x1, #160]
    mrs x2, fpcr
    mrs x3, fpsr
    stp x2, x3, [x1, #176]

    clrex
    adrp x30, guest_state
    add x30, x30, :lo12:guest_state
    all_v ldp
    add x30, x30, #512
    ldr x0, [x30, #248]
    mov sp, x0
    ldr x0, [x30, #256]
    msr nzcv, x0
    ldr x0, [x30, #264]
    msr fpcr, x0
    ldr x0, [x30, #272]
    msr fpsr, x0
    all_x ldp
    ldr x30, [x30, #240]
    b sequence_code

    .globl sequence_end
    .type sequence_end, %function
sequence_end:
    msr tpidr_el0, x30
    adrp x30, guest_state
    add x30, x30, :lo12:guest_state
    all_v stp
    add x30, x30, #512
    all_x stp
    mrs x0, tpidr_el0
    str x0, [x30, #240]
    mov x0, sp
    str x0, [x30, #248]
    mrs x0, nzcv
    str x0, [x30, #256]
    mrs x0, fpcr
    str x0, [x30, #264]
    mrs x0, fpsr
    str x0, [x30, #272]

    adrp x1, own_state
    add x1, x1, :lo12:own_state
    ldp x2, x3, [x1, #160]
    mov sp, x2
    msr tpidr_el0, x3
    ldp x2, x3, [x1, #176]
    msr fpcr, x2
    msr fpsr, x3
    callee_saved ldp
    ret

    .bss
    .balign 16
own_state:
    .skip 192
    .globl guest_state
guest_state:
    .skip 512 + 36 * 8
    .section .note.GNU-stack, "", %progbits
