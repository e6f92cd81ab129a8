# Each core gets a stack of 16 KB and calls run(number, number of cores). The first core starts the others.
        .equ SBI_HSM, 0x48534d
        .globl _start
_start: mv s0, a0
        li s1, 1
        j 2f
1:      mv a0, s1                       # hart_start(number, address, argument)
        la a1, entry
        li a2, 0
        li a7, SBI_HSM
        li a6, 0
        ecall
        bnez a0, 3f                     # there is no such core
        addi s1, s1, 1
2:      li t0, 8
        bltu s1, t0, 1b
3:      la t0, core_count
        sd s1, 0(t0)
        mv a0, s0
entry:  la sp, stacks
        addi t0, a0, 1
        slli t0, t0, 14
        add sp, sp, t0
        call run
1:      wfi
        j 1b

        .bss
        .balign 64
        .globl core_count
core_count:
        .space 64
        .balign 16
stacks: .space 8 << 14
