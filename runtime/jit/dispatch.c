/* The functions of build.h, for whichever back end is at work. */
#include "runtime/jit/backend.h"

static const struct jit_backend *backend(const struct jit_build *j)
{
    return ((const struct jit_head *)(const void *)j)->backend;
}

jit_value jit_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    return backend(j)->constant(j, t, bits);
}

jit_value jit_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    return backend(j)->constant128(j, t, high, low);
}

uint32_t jit_feature(const struct jit_build *j, unsigned feature)
{
    return backend(j)->feature(j, feature);
}

uint8_t jit_mode(const struct jit_build *j)
{
    return backend(j)->mode(j);
}

jit_value jit_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    return backend(j)->unary(j, op, t, a);
}

jit_value jit_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b)
{
    return backend(j)->binary(j, op, t, a, b);
}

jit_value jit_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    return backend(j)->fma(j, t, a, b, c);
}

jit_value jit_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    return backend(j)->select(j, cond, a, b);
}

jit_value jit_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    return backend(j)->convert(j, to, from, a);
}

jit_value jit_bitcast(struct jit_build *j, jit_type to, jit_value a)
{
    return backend(j)->bitcast(j, to, a);
}

jit_value jit_splat(struct jit_build *j, jit_type t, jit_value scalar)
{
    return backend(j)->splat(j, t, scalar);
}

jit_value jit_build(struct jit_build *j, jit_type t, const jit_value *lanes)
{
    return backend(j)->build(j, t, lanes);
}

jit_value jit_extract(struct jit_build *j, jit_value vector, jit_value index)
{
    return backend(j)->extract(j, vector, index);
}

jit_value jit_insert(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar)
{
    return backend(j)->insert(j, vector, index, scalar);
}

jit_value jit_concat(struct jit_build *j, jit_value a, jit_value b)
{
    return backend(j)->concat(j, a, b);
}

jit_value jit_reg_read(struct jit_build *j, jit_type t, size_t offset)
{
    return backend(j)->reg_read(j, t, offset);
}

void jit_reg_write(struct jit_build *j, size_t offset, jit_value value)
{
    backend(j)->reg_write(j, offset, value);
}

jit_value jit_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                        unsigned count, jit_value index)
{
    return backend(j)->bank_read(j, t, offset, stride, count, index);
}

void jit_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                    jit_value index, jit_value value)
{
    backend(j)->bank_write(j, offset, stride, count, index, value);
}

jit_value jit_cpu_read(struct jit_build *j, jit_type t, size_t offset)
{
    return backend(j)->cpu_read(j, t, offset);
}

jit_value jit_read_pc(struct jit_build *j, jit_type t)
{
    return backend(j)->read_pc(j, t);
}

void jit_write_pc(struct jit_build *j, jit_value pc)
{
    backend(j)->write_pc(j, pc);
}

jit_value jit_mem_read(struct jit_build *j, unsigned bits, unsigned iface, jit_value address)
{
    return backend(j)->mem_read(j, bits, iface, address);
}

void jit_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                   jit_value value)
{
    backend(j)->mem_write(j, bits, iface, address, value);
}

void jit_call(struct jit_build *j, const struct jit_callee *callee, const jit_value *args,
              jit_value *results)
{
    backend(j)->call(j, callee, args, results);
}

jit_block jit_block_new(struct jit_build *j)
{
    return backend(j)->block_new(j);
}

void jit_at(struct jit_build *j, jit_block block)
{
    backend(j)->at(j, block);
}

jit_value jit_phi(struct jit_build *j, jit_block block, jit_type t)
{
    return backend(j)->phi(j, block, t);
}

void jit_phi_in(struct jit_build *j, jit_value phi, jit_value value)
{
    backend(j)->phi_in(j, phi, value);
}

void jit_goto(struct jit_build *j, jit_block to)
{
    backend(j)->go(j, to);
}

void jit_branch(struct jit_build *j, jit_value cond, jit_block yes, jit_block no)
{
    backend(j)->branch(j, cond, yes, no);
}

void jit_switch(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                const uint64_t *cases, const jit_block *targets)
{
    backend(j)->switch_(j, v, otherwise, count, cases, targets);
}

void jit_done(struct jit_build *j)
{
    backend(j)->done(j);
}

void jit_unreachable(struct jit_build *j)
{
    backend(j)->unreachable(j);
}

void jit_interpret(struct jit_build *j, const struct insn *i)
{
    backend(j)->interpret(j, i);
}
