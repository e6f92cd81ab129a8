# The start of pages.c, and its way to run an instruction in another mode with other page tables.

        .text
        .globl _start
_start:
        la sp, stack_top
        la t0, trapped
        csrw stvec, t0
        csrw sie, zero
        call run
        li a7, 0x53525354               # SBI: system reset, a shutdown
        li a6, 0
        li a0, 0
        li a1, 0
        ecall
1:      j 1b

# void enter(uint64_t pc, uint64_t address, uint64_t status, struct trap *trap): runs the code at pc
# with the address in a1, until it traps.
        .globl enter
enter:
        addi sp, sp, -112
        sd ra, 0(sp)
        sd s0, 8(sp)
        sd s1, 16(sp)
        sd gp, 24(sp)
        sd tp, 32(sp)
        sd a3, 40(sp)
        csrw sscratch, sp
        csrw sepc, a0
        csrw sstatus, a2
        li a0, 0x1234
        sret

        .balign 4
trapped:
        csrrw sp, sscratch, sp
        ld a3, 40(sp)
        csrr t0, scause
        sd t0, 0(a3)
        csrr t0, stval
        sd t0, 8(a3)
        csrr t0, sepc
        sd t0, 16(a3)
        csrr t0, sstatus
        sd t0, 24(a3)
        ld ra, 0(sp)
        ld s0, 8(sp)
        ld s1, 16(sp)
        ld gp, 24(sp)
        ld tp, 32(sp)
        addi sp, sp, 112
        ret

# A load, a store and an atomic operation, each followed by a breakpoint, in a page that user mode
# can access.
        .balign 4096
        .globl probes
probes:
        ld a2, 0(a1)
        ebreak
        .balign 16
        sd a0, 0(a1)
        ebreak
        .balign 16
        amoadd.d a2, a0, (a1)
        ebreak
        .balign 16
        lr.w a2, (a1)
        ebreak
        .balign 4096

        .bss
        .balign 16
        .space 16384
stack_top:
