/*
 * The page at 0xffff0000 of 32-bit Arm Linux: helpers that programs call at fixed addresses, and
 * the code that returns from signal handlers. The helpers' interface is in
 * Documentation/arch/arm/kernel_user_helpers.rst.
 */
#include <string.h>

#include "runtime/user/abi_arm.h"

enum { CALL_SIGRETURN = 119, CALL_RT_SIGRETURN = 173 };

/* Offsets in the page. */
enum {
    AT_RETURN = 0x100,
    AT_RT_RETURN = 0x110,
    AT_CMPXCHG64 = 0xf60,
    AT_BARRIER = 0xfa0,
    AT_CMPXCHG = 0xfc0,
    AT_GET_TLS = 0xfe0,
    AT_VERSION = 0xffc,
};

static const uint32_t return_code[] = {
    0xe3a07000u | CALL_SIGRETURN, /* mov r7, #CALL_SIGRETURN */
    0xef000000u,                  /* svc #0 */
};
static const uint32_t rt_return_code[] = {
    0xe3a07000u | CALL_RT_SIGRETURN, /* mov r7, #CALL_RT_SIGRETURN */
    0xef000000u,
};

/* int cmpxchg64(r0 const int64_t *old, r1 const int64_t *new, r2 volatile int64_t *at):
 * 0, and the carry flag set, when *at was *old and has become *new. */
static const uint32_t cmpxchg64[] = {
    0xe92d43f0u, /* push {r4-r9, lr} */
    0xe1c040d0u, /* ldrd r4, r5, [r0] */
    0xe1c160d0u, /* ldrd r6, r7, [r1] */
    0xf57ff05bu, /* dmb ish */
    0xe1b28f9fu, /* again: ldrexd r8, r9, [r2] */
    0xe0383004u, /* eors r3, r8, r4 */
    0x00393005u, /* eorseq r3, r9, r5 */
    0x01a23f96u, /* strexdeq r3, r6, r7, [r2] */
    0x03330001u, /* teqeq r3, #1 */
    0x0afffff9u, /* beq again */
    0xe2730000u, /* rsbs r0, r3, #0 */
    0xf57ff05bu, /* dmb ish */
    0xe8bd83f0u, /* pop {r4-r9, pc} */
};

static const uint32_t barrier[] = {0xf57ff05bu /* dmb ish */, 0xe12fff1eu /* bx lr */};

/* int cmpxchg(r0 int old, r1 int new, r2 volatile int *at): as above. */
static const uint32_t cmpxchg[] = {
    0xf57ff05bu, /* dmb ish */
    0xe1923f9fu, /* again: ldrex r3, [r2] */
    0xe0533000u, /* subs r3, r3, r0 */
    0x01823f91u, /* strexeq r3, r1, [r2] */
    0x03330001u, /* teqeq r3, #1 */
    0x0afffffau, /* beq again */
    0xe2730000u, /* rsbs r0, r3, #0 */
    0xeaffffefu, /* b barrier */
};

static const uint32_t get_tls[] = {0xee1d0f70u /* mrc p15, 0, r0, c13, c0, 3 */,
                                   0xe12fff1eu /* bx lr */};
static const uint32_t version[] = {5};

void arm_fill_page(void *page)
{
    static const struct {
        unsigned at, bytes;
        const uint32_t *code;
    } parts[] = {
        {AT_RETURN, sizeof(return_code), return_code},
        {AT_RT_RETURN, sizeof(rt_return_code), rt_return_code},
        {AT_CMPXCHG64, sizeof(cmpxchg64), cmpxchg64},
        {AT_BARRIER, sizeof(barrier), barrier},
        {AT_CMPXCHG, sizeof(cmpxchg), cmpxchg},
        {AT_GET_TLS, sizeof(get_tls), get_tls},
        {AT_VERSION, sizeof(version), version},
    };

    for (unsigned n = 0; n < sizeof(parts) / sizeof(parts[0]); n++)
        memcpy((uint8_t *)page + parts[n].at, parts[n].code, parts[n].bytes);
}

uint32_t arm_return_code(bool with_info)
{
    return (uint32_t)ARM_PAGE + (with_info ? AT_RT_RETURN : AT_RETURN);
}
