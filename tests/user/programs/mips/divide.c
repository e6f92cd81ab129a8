/* Traps that Linux reports by their codes (arch/mips/kernel/traps.c, do_trap_or_bp), which QEMU 7.2
 * does not. A fault in a delay slot has the address of the branch. */
//= fault 8 code 1
//= fault 8 code 1
//= fault 8 code 2
//= fault 8 code 1
//= fault 8 code 2
//= fault 5 code 1
//= fault 5 code 1
#include "bare.h"

struct action {
    uint32_t flags, handler, mask[4];
};

static void on_fault(int signal, const int *info, uint32_t *context)
{
    put_text("fault ");
    put_digit(signal);
    put_text(" code ");
    put_digit(info[1]);
    put_text("\n");
    ((uint64_t *)(void *)(context + 6))[1] += 4;
}

int main(int argc, char **argv)
{
    struct action a = {.flags = 8, .handler = P(on_fault)};

    (void)argc, (void)argv;
    CALL(4194, 8, P(&a), 0, 16);
    CALL(4194, 5, P(&a), 0, 16);
    __asm__ volatile("teq $0, $0, 7");
    __asm__ volatile("break 7");
    __asm__ volatile("break 6");
    __asm__ volatile("break 0, 7");
    __asm__ volatile("break 0, 6");
    __asm__ volatile("break 7, 1");
    __asm__ volatile("break");
    return 0;
}
