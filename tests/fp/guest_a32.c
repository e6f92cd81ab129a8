/* The referee's guest for AArch32: how it executes the instructions of a32_ops.def. */
#include <stddef.h>

#include "guest.h"

/*
 * Defines one function per instruction. FPSCR is set around the instruction only, since compiled
 * code relies on its default.
 */
#define OP(name, instruction, operands, statement)                                    \
    static void execute_##name(const struct request *request, struct reply *reply)    \
    {                                                                                 \
        uint32_t fpscr = request->fpcr;                                               \
                                                                                      \
        reply->x = 0;                                                                 \
        reply->nzcv = 0;                                                              \
        __asm__ volatile("vldmia %1, {d0-d7}\n"                                       \
                         "vmsr fpscr, %0\n" instruction "\n"                          \
                         "vmrs %0, fpscr\n"                                           \
                         "vstmia %2, {d0-d1}\n"                                       \
                         : "+r"(fpscr)                                                \
                         : "r"(request->v), "r"(reply->v)                             \
                         : "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "memory"); \
        __asm__ volatile("vmsr fpscr, %0" : : "r"(0));                                \
        reply->fpsr = fpscr & 0x9f;                                                   \
    }
#include "a32_ops.def"
#undef OP

const guest_execute guest_ops[] = {
#define OP(name, instruction, operands, statement) execute_##name,
#include "a32_ops.def"
#undef OP
};

const uint32_t guest_op_count = sizeof(guest_ops) / sizeof(*guest_ops);
