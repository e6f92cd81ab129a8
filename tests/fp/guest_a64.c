/* The referee's guest for AArch64: how it executes the instructions of a64_ops.def. */
#include <stddef.h>

#include "guest.h"

#ifndef OPS_FILE
#define OPS_FILE "a64_ops.def"
#endif

/*
 * Defines one function per instruction. FPCR is set around the instruction only, since compiled
 * code relies on its default.
 */
#define OP(name, instruction, operands, statement)                                                \
    static void execute_##name(const struct request *request, struct reply *reply)                \
    {                                                                                             \
        __asm__ volatile("ldr w4, [%0, %2]\n"                                                     \
                         "add x5, %0, %3\n"                                                       \
                         "ldp q0, q1, [x5]\n"                                                     \
                         "ldp q2, q3, [x5, #32]\n"                                                \
                         "ldr x1, [x5, #16]\n"                                                    \
                         "ldr x2, [x5, #32]\n"                                                    \
                         "mov x0, xzr\n"                                                          \
                         "msr nzcv, xzr\n"                                                        \
                         "msr fpcr, x4\n"                                                         \
                         "msr fpsr, xzr\n" instruction "\n"                                       \
                         "mrs x4, fpsr\n"                                                         \
                         "mrs x5, nzcv\n"                                                         \
                         "msr fpcr, xzr\n"                                                        \
                         "lsr x5, x5, #28\n"                                                      \
                         "str q0, [%1]\n"                                                         \
                         "str x0, [%1, %4]\n"                                                     \
                         "stp w5, w4, [%1, %5]\n"                                                 \
                         :                                                                        \
                         : "r"(request), "r"(reply), "i"(offsetof(struct request, fpcr)),         \
                           "i"(offsetof(struct request, v)), "i"(offsetof(struct reply, x)),      \
                           "i"(offsetof(struct reply, nzcv))                                      \
                         : "x0", "x1", "x2", "x4", "x5", "v0", "v1", "v2", "v3", "cc", "memory"); \
    }
#include OPS_FILE
#undef OP

const guest_execute guest_ops[] = {
#define OP(name, instruction, operands, statement) execute_##name,
#include OPS_FILE
#undef OP
};

const uint32_t guest_op_count = sizeof(guest_ops) / sizeof(*guest_ops);
