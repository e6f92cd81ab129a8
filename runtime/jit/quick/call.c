/*
 * Calls of C functions that neither read nor change guest state: their arguments and results, by
 * the host's calling convention.
 */
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

static size_t ref_offset(unsigned n)
{
    return offsetof(struct q_frame, refs) + n * sizeof(struct q_vec);
}

static struct q_place in_frame(size_t offset)
{
    return (struct q_place){.in_frame = true, .offset = (int32_t)offset};
}

static struct q_place stack_place(unsigned n)
{
    return in_frame(offsetof(struct q_frame, out) + 8 * (n - q_target.argument_count));
}

/* Stores a value, from any location. */
static void store_argument(struct quick *q, struct q_place to, uint32_t node)
{
    q_store_value(q, q_in_vector(q_node(q, node)->result) ? 128 : 64, to, node);
}

/* An argument in a general register: a value, or the address of variable `ref`. */
struct passed {
    uint32_t node;
    unsigned ref;
    bool is_ref, done;
};

static unsigned source_of(struct quick *q, const struct passed *p)
{
    return p->is_ref ? Q_NO_HOST : q_node(q, p->node)->host;
}

/* Whether a pending move reads the register. */
static bool is_wanted(struct quick *q, const struct passed *args, unsigned count, unsigned host)
{
    for (unsigned n = 0; n < count; n++) {
        if (!args[n].done && source_of(q, &args[n]) == host)
            return true;
    }
    return false;
}

/* Does moves between registers whose target no pending move reads, as long as there are any. Values
 * in a cycle of moves are left; all of them are in memory, too. */
static void move_arguments(struct quick *q, struct passed *args, unsigned count)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (unsigned n = 0; n < count; n++) {
            unsigned from = source_of(q, &args[n]), to = q_target.arguments[n];

            if (args[n].done || from == Q_NO_HOST)
                continue;
            args[n].done = true;
            if (from != to && is_wanted(q, args, count, to)) {
                args[n].done = false;
                continue;
            }
            if (from != to)
                q_target.move(q, to, from);
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

/* Moves arguments to their registers; one value of a cycle waits in a scratch register. */
static void pass_registers(struct quick *q, struct passed *args, unsigned count)
{
    move_arguments(q, args, count);
    while (in_circle(q, args, count)) {
        unsigned n = 0;

        while (args[n].done || source_of(q, &args[n]) == Q_NO_HOST)
            n++;
        q_target.move(q, q_target.scratch, source_of(q, &args[n]));
        args[n].done = true;
        move_arguments(q, args, count);
        q_target.move(q, q_target.arguments[n], q_target.scratch);
    }
    for (unsigned n = 0; n < count; n++) {
        if (args[n].is_ref)
            q_target.load_address(q, q_target.arguments[n], ref_offset(args[n].ref));
        else if (source_of(q, &args[n]) == Q_NO_HOST)
            q_reload(q, q_target.arguments[n], args[n].node);
    }
}

/* Passes vector arguments, by way of memory. */
static void pass_vectors(struct quick *q, const struct q_call *call)
{
    const struct jit_callee *f = call->callee;
    unsigned v = 0;

    for (unsigned k = 0; k < f->count; k++) {
        if (!(f->params[k] & JIT_REF) && q_in_vector(f->params[k]))
            q_reload(q, Q_V + v++, call->args[k]);
    }
}

/* Stores the arguments that are passed in memory, and lists the others; returns their number. */
static unsigned pass_memory(struct quick *q, const struct q_call *call, struct passed *args)
{
    const struct jit_callee *f = call->callee;
    unsigned general = 0, refs = 0;

    for (unsigned k = 0; k < f->count; k++) {
        struct passed p = {.node = call->args[k], .is_ref = (f->params[k] & JIT_REF) != 0};

        if (p.is_ref && p.node)
            store_argument(q, in_frame(ref_offset(refs)), p.node);
        if (!p.is_ref && q_in_vector(f->params[k])) {
            q_give_home(q, p.node);
            continue;
        }
        p.ref = refs;
        refs += p.is_ref;
        if (general < q_target.argument_count) {
            args[general] = p;
        } else if (p.is_ref) {
            q_target.load_address(q, q_target.scratch, ref_offset(p.ref));
            q_target.store(q, 64, stack_place(general), q_target.scratch);
        } else {
            store_argument(q, stack_place(general), p.node);
        }
        general++;
    }
    return general < q_target.argument_count ? general : q_target.argument_count;
}

void q_select_call(struct quick *q)
{
    const struct q_call *call = &q->calls.data[q_node(q, q->at)->imm];
    struct passed args[Q_MAX_ARGUMENTS];
    unsigned count;

    q_save_registers(q);
    count = pass_memory(q, call, args);
    pass_registers(q, args, count);
    q_leave_registers(q);
    pass_vectors(q, call);
    q_target.call(q, call->callee->fn);
}

void q_select_result(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    bool vector = q_in_vector(n->result);
    unsigned bits = q_bits(n->type) < 128 ? q_bits(n->type) : 128, number = (unsigned)n->imm,
             dst = vector ? Q_V + q_def_x(q) : q_def(q);

    if (number)
        q_target.load(q, bits, dst, in_frame(ref_offset(number - 1)));
    else
        q_target.move(q, dst, vector ? q_target.vector_result : q_target.result);
}
