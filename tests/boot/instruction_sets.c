/* T32 code with an IT block that calls A32 code, for a debugger to step through. */
#include <stdio.h>

int of_t32(int n);

__asm__(".syntax unified\n"
        ".text\n"
        ".balign 4\n"
        ".thumb\n"
        ".global of_t32\n"
        ".type of_t32, %function\n"
        "of_t32:\n"
        "push {r4, lr}\n"
        "cmp r0, #0\n"
        "ite eq\n"
        "moveq r0, #1\n"
        "addne.w r0, r0, #40\n"
        "blx of_a32\n"
        "pop {r4, pc}\n"
        ".size of_t32, .-of_t32\n"
        ".balign 4\n"
        ".arm\n"
        ".type of_a32, %function\n"
        "of_a32:\n"
        "cmp r0, #42\n"
        "addeq r0, r0, #1\n"
        "vmov s0, r0\n"
        "bx lr\n"
        ".size of_a32, .-of_a32\n");

int main(void)
{
    printf("both instruction sets: %d\n", of_t32(2));
    return 0;
}
