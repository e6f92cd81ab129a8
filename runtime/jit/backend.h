/*
 * The two that stand behind build.h: LLVM (build*.c) and the quick tier (quick/record*.c). Each
 * function is as build.h says of jit_ and its name.
 */
#ifndef RUNTIME_JIT_BACKEND_H
#define RUNTIME_JIT_BACKEND_H

#include "runtime/jit/build.h"

struct jit_backend {
    jit_value (*constant)(struct jit_build *j, jit_type t, uint64_t bits);
    jit_value (*constant128)(struct jit_build *j, jit_type t, uint64_t high, uint64_t low);
    uint32_t (*feature)(const struct jit_build *j, unsigned feature);
    uint8_t (*mode)(const struct jit_build *j);
    jit_value (*unary)(struct jit_build *j, enum jit_op op, jit_type t, jit_value a);
    jit_value (*binary)(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b);
    jit_value (*fma)(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c);
    jit_value (*select)(struct jit_build *j, jit_value cond, jit_value a, jit_value b);
    jit_value (*convert)(struct jit_build *j, jit_type to, jit_type from, jit_value a);
    jit_value (*bitcast)(struct jit_build *j, jit_type to, jit_value a);
    jit_value (*splat)(struct jit_build *j, jit_type t, jit_value scalar);
    jit_value (*build)(struct jit_build *j, jit_type t, const jit_value *lanes);
    jit_value (*extract)(struct jit_build *j, jit_value vector, jit_value index);
    jit_value (*insert)(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar);
    jit_value (*concat)(struct jit_build *j, jit_value a, jit_value b);
    jit_value (*reg_read)(struct jit_build *j, jit_type t, size_t offset);
    void (*reg_write)(struct jit_build *j, size_t offset, jit_value value);
    jit_value (*bank_read)(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                           unsigned count, jit_value index);
    void (*bank_write)(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                       jit_value index, jit_value value);
    jit_value (*cpu_read)(struct jit_build *j, jit_type t, size_t offset);
    jit_value (*read_pc)(struct jit_build *j, jit_type t);
    void (*write_pc)(struct jit_build *j, jit_value pc);
    jit_value (*mem_read)(struct jit_build *j, unsigned bits, unsigned iface, jit_value address);
    void (*mem_write)(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                      jit_value value);
    void (*call)(struct jit_build *j, const struct jit_callee *callee, const jit_value *args,
                 jit_value *results);
    jit_block (*block_new)(struct jit_build *j);
    void (*at)(struct jit_build *j, jit_block block);
    jit_value (*phi)(struct jit_build *j, jit_block block, jit_type t);
    void (*phi_in)(struct jit_build *j, jit_value phi, jit_value value);
    void (*go)(struct jit_build *j, jit_block to);
    void (*branch)(struct jit_build *j, jit_value cond, jit_block yes, jit_block no);
    void (*switch_)(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                    const uint64_t *cases, const jit_block *targets);
    void (*done)(struct jit_build *j);
    void (*unreachable)(struct jit_build *j);
    void (*interpret)(struct jit_build *j, const struct insn *i);
};

/* What every struct jit_build begins with. */
struct jit_head {
    const struct jit_backend *backend;
};

#endif
