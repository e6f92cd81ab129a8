/*
 * Calls of C functions that neither look at the guest nor change it: arguments and results, as the
 * System V ABI passes them.
 */
#include "runtime/jit/quick/emit.h"

enum { REGISTER_ARGS = 6 };

static struct x64_mem ref_place(unsigned n)
{
    return x64_at(RSP, (int32_t)(offsetof(struct q_frame, refs) + n * sizeof(struct q_vec)));
}

static struct x64_mem stack_place(unsigned n)
{
    return x64_at(RSP, (int32_t)(offsetof(struct q_frame, out) + 8 * (n - REGISTER_ARGS)));
}

/* A value to memory, from wherever it is. */
static void put(struct quick *q, struct x64_mem m, uint32_t node)
{
    const struct q_node *n = q_node(q, node);
    uint64_t value;

    if (q_in_vector(n->result)) {
        unsigned from = n->host == Q_NO_HOST ? Q_XSCRATCH : n->host - Q_X;

        if (n->host == Q_NO_HOST)
            q_reload(q, Q_X + Q_XSCRATCH, node);
        x64_vstore(&q->x, 128, m, from);
    } else if (n->host != Q_NO_HOST) {
        x64_store(&q->x, 64, m, n->host);
    } else if (q_is_const(q, node, &value) && (int64_t)value == (int32_t)value) {
        x64_store_i(&q->x, 64, m, (int32_t)value);
    } else {
        q_reload(q, Q_SCRATCH, node);
        x64_store(&q->x, 64, m, Q_SCRATCH);
    }
}

/* An argument that a general register passes: a value, or the address of variable `ref`. */
struct passed {
    uint32_t node;
    unsigned ref;
    bool is_ref, done;
};

static unsigned source_of(struct quick *q, const struct passed *p)
{
    return p->is_ref ? Q_NO_HOST : q_node(q, p->node)->host;
}

/* Whether a move that is still to be done reads the register. */
static bool is_wanted(struct quick *q, const struct passed *args, unsigned count, unsigned host)
{
    for (unsigned n = 0; n < count; n++) {
        if (!args[n].done && source_of(q, &args[n]) == host)
            return true;
    }
    return false;
}

static const uint8_t argument_hosts[REGISTER_ARGS] = {RDI, RSI, RDX, RCX, R8, R9};

/* Moves from register to register, each when nobody needs what it overwrites; a value in a circle of
 * moves goes by way of memory, where every one of them is by then. */
static void move_arguments(struct quick *q, struct passed *args, unsigned count)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (unsigned n = 0; n < count; n++) {
            unsigned from = source_of(q, &args[n]), to = argument_hosts[n];

            if (args[n].done || from == Q_NO_HOST)
                continue;
            args[n].done = true;
            if (from != to && is_wanted(q, args, count, to)) {
                args[n].done = false;
                continue;
            }
            if (from != to)
                x64_mov_rr(&q->x, 64, to, from);
            moved = true;
        }
    }
}

static bool in_circle(struct quick *q, const struct passed *args, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        if (!args[n].done && source_of(q, &args[n]) != Q_NO_HOST)
            return true;
    }
    return false;
}

/* Breaks a circle: one of its values waits in RAX. */
static void pass_registers(struct quick *q, struct passed *args, unsigned count)
{
    move_arguments(q, args, count);
    while (in_circle(q, args, count)) {
        unsigned n = 0;

        while (args[n].done || source_of(q, &args[n]) == Q_NO_HOST)
            n++;
        x64_mov_rr(&q->x, 64, RAX, source_of(q, &args[n]));
        args[n].done = true;
        move_arguments(q, args, count);
        x64_mov_rr(&q->x, 64, argument_hosts[n], RAX);
    }
    for (unsigned n = 0; n < count; n++) {
        if (args[n].is_ref)
            x64_lea(&q->x, 64, argument_hosts[n], ref_place(args[n].ref));
        else if (source_of(q, &args[n]) == Q_NO_HOST)
            q_reload(q, argument_hosts[n], args[n].node);
    }
}

/* Vectors go through memory. */
static void pass_vectors(struct quick *q, const struct q_call *call)
{
    const struct jit_callee *f = call->callee;
    unsigned v = 0;

    for (unsigned k = 0; k < f->count; k++) {
        if (!(f->params[k] & JIT_REF) && q_in_vector(f->params[k]))
            q_reload(q, Q_X + v++, call->args[k]);
    }
}

/* What does not go in registers; the rest is listed. Returns how many there are. */
static unsigned pass_memory(struct quick *q, const struct q_call *call, struct passed *args)
{
    const struct jit_callee *f = call->callee;
    unsigned general = 0, refs = 0;

    for (unsigned k = 0; k < f->count; k++) {
        struct passed p = {.node = call->args[k], .is_ref = (f->params[k] & JIT_REF) != 0};

        if (p.is_ref && p.node)
            put(q, ref_place(refs), p.node);
        if (!p.is_ref && q_in_vector(f->params[k])) {
            q_give_home(q, p.node);
            continue;
        }
        p.ref = refs;
        refs += p.is_ref;
        if (general < REGISTER_ARGS) {
            args[general] = p;
        } else if (p.is_ref) {
            x64_lea(&q->x, 64, RAX, ref_place(p.ref));
            x64_store(&q->x, 64, stack_place(general), RAX);
        } else {
            put(q, stack_place(general), p.node);
        }
        general++;
    }
    return general < REGISTER_ARGS ? general : REGISTER_ARGS;
}

void q_select_call(struct quick *q)
{
    const struct q_call *call = &q->calls.data[q_node(q, q->at)->imm];
    struct passed args[REGISTER_ARGS];
    unsigned count;

    q_save_registers(q);
    count = pass_memory(q, call, args);
    pass_registers(q, args, count);
    q_leave_registers(q);
    pass_vectors(q, call);
    x64_mov_ri(&q->x, RAX, (uintptr_t)call->callee->fn);
    x64_call_r(&q->x, RAX);
}

void q_select_result(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    bool vector = q_in_vector(n->result);
    unsigned bits = q_bits(n->type), number = (unsigned)n->imm,
             dst = vector ? q_def_x(q) : q_def(q);

    if (number && vector)
        x64_vload(&q->x, bits < 128 ? bits : 128, dst, ref_place(number - 1));
    else if (number)
        x64_load(&q->x, bits, dst, ref_place(number - 1));
    else if (vector)
        x64_vmov(&q->x, dst, 0);
    else
        x64_mov_rr(&q->x, 64, dst, RAX);
}
