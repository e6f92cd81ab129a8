/*
 * Calls of intrinsics and external functions on terms; see symbolic.h. Memory is an array of bytes.
 * What else reaches outside changes the `world`, in order; external C functions are functions of
 * their arguments.
 */
#include "gencc/export/symbolic.h"
#include "gencc/ir/pass.h"

enum { MAX_ARGS = 16 };

unsigned symbolic_outputs(const struct ir_value *call)
{
    unsigned n = 0;

    if (call->op == IR_CALL)
        return call->callee->outs.len;
    if (ir_is_call(call))
        vec_for_each (&call->fn->by_ref, ref)
            n += *ref;
    return n;
}

sym_lanes symbolic_output(const struct sym_frame *fr, const struct ir_value *call, unsigned n)
{
    unsigned at = ir_is_void(call->type) ? 0 : call->type.lanes;

    for (unsigned i = 1; i < n; i++)
        at += ir_output_type(call, i).lanes;
    return fr->slots[call->id] + at;
}

/* The scalar argument; texts count. */
static const struct term *argument(const struct sym_frame *fr, const struct ir_value *v, unsigned i)
{
    return fr->slots[v->ops.data[i]->id][0];
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* The paths on which c holds leave; the others go on. */
static void leave_if(struct sym_frame *fr, const struct term *c, enum leaving kind,
                     const struct term *const *args, unsigned n)
{
    struct terms *t = fr->s->terms;
    struct sym_exit e = {.guard = term_and(t, fr->guard, c), .state = fr->state, .kind = kind};

    for (unsigned i = 0; i < n; i++)
        e.args[i] = term_resize(t, args[i], 64, false);
    fr->guard = term_and(t, fr->guard, term_not(t, c));
    if (term_is(e.guard, 0))
        return;
    /* The state goes on changing. */
    e.state.groups = arena_alloc(fr->s->arena, fr->s->cells->groups.len * sizeof(*e.state.groups));
    for (unsigned i = 0; i < fr->s->cells->groups.len; i++)
        e.state.groups[i] = fr->state.groups[i];
    e.state.features = arena_alloc(fr->s->arena, fr->s->model->features.len * sizeof(*e.args));
    for (unsigned i = 0; i < fr->s->model->features.len; i++)
        e.state.features[i] = fr->state.features[i];
    vec_push_in(fr->s->arena, &fr->s->exits, e);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void access_may_fail(struct sym_frame *fr, const struct ir_value *v, unsigned bytes,
                            bool is_write)
{
    struct terms *t = fr->s->terms;
    const struct term *address = argument(fr, v, 1);
    const struct term *size = term_number(t, 64, bytes), *write = term_number(t, 64, is_write);
    const struct term *asked[] = {argument(fr, v, 0), address, size, write, fr->state.world};

    leave_if(fr, term_apply(t, "access-fails", sort_bool(), 5, asked), LEFT_ACCESS, asked + 1, 3);
}

static const struct term *byte_address(struct terms *t, const struct term *address, unsigned i)
{
    return i ? term_op2(t, "bvadd", address, term_number(t, address->sort.bits, i)) : address;
}

/* Whether the interface has the highest byte first. */
static bool is_big(const struct sym_frame *fr, const struct ir_value *v)
{
    const struct term *number = argument(fr, v, 0);
    const struct model *m = fr->s->model;

    return number->kind == TERM_NUMBER && number->value < m->mems.len &&
           m->mems.data[(unsigned)number->value].big_endian;
}

static const struct term *load(struct sym_frame *fr, const struct ir_value *v, unsigned bytes)
{
    struct terms *t = fr->s->terms;
    const struct term *all = NULL;
    bool big = is_big(fr, v);

    access_may_fail(fr, v, bytes, false);
    for (unsigned i = 0; i < bytes; i++) {
        const struct term *at = byte_address(t, argument(fr, v, 1), i);
        const struct term *byte =
            term_op(t, "select", sort_bits(8), 2, (const struct term *[]){fr->state.memory, at});

        all = !all ? byte : big ? term_concat(t, all, byte) : term_concat(t, byte, all);
    }
    return all;
}

static void store(struct sym_frame *fr, const struct ir_value *v, unsigned bytes)
{
    struct terms *t = fr->s->terms;
    bool big = is_big(fr, v);

    access_may_fail(fr, v, bytes, true);
    for (unsigned i = 0; i < bytes; i++) {
        unsigned low = 8 * (big ? bytes - 1 - i : i);
        const struct term *args[] = {fr->state.memory, byte_address(t, argument(fr, v, 1), i),
                                     term_extract(t, argument(fr, v, 2), low, 8)};

        fr->state.memory = term_op(t, "store", fr->state.memory->sort, 3, args);
    }
}

/* ---- functions by name ----------------------------------------------------------------------- */

/* The function that a call's output is: NAME, its further outputs NAME.1 …, the world behind it
 * NAME.world. */
static const struct term *named(struct sym_frame *fr, const struct ir_value *v, const char *suffix,
                                struct sort sort)
{
    const struct term *args[MAX_ARGS + 1];
    unsigned n = 0, skip = v->fn->nparams_text;
    bool outside = v->op == IR_INTRINSIC && !(v->fn->flags & (IR_FN_PURE));

    for (unsigned i = skip; i < v->ops.len; i++)
        args[n++] = argument(fr, v, i);
    if (outside)
        args[n++] = fr->state.world;
    return term_apply(fr->s->terms, arena_printf(fr->s->arena, "%s%s", v->fn->name, suffix), sort,
                      n, args);
}

static sym_lanes call_by_name(struct sym_frame *fr, const struct ir_value *v)
{
    unsigned outs = symbolic_outputs(v), at = 0;
    const struct term **to = symbolic_lanes(fr->s, outs + 1), *world = NULL;

    if (v->type.lanes > 1 || v->ops.len > MAX_ARGS) {
        symbolic_refuse(fr->s, v, "it calls a function of vectors");
        return NULL;
    }
    if (!ir_is_void(v->type))
        to[at++] = named(fr, v, "", sort_bits(v->type.bits));
    for (unsigned i = 1; i <= outs; i++)
        to[at++] = named(fr, v, arena_printf(fr->s->arena, ".%u", i),
                         sort_bits(ir_output_type(v, i).bits));
    if (v->op == IR_INTRINSIC && !(v->fn->flags & (IR_FN_PURE | IR_FN_READ)))
        world = named(fr, v, ".world", sort_world());
    if (world)
        fr->state.world = world;
    return to;
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct feature *feature_of(const struct sym_frame *fr, const struct ir_value *v)
{
    const struct term *number = argument(fr, v, 0);

    return number->kind == TERM_NUMBER && number->value < fr->s->model->features.len
               ? fr->s->model->features.data[(unsigned)number->value]
               : NULL;
}

/* Leaves for good: the arguments are those of the intrinsic. */
static void leave(struct sym_frame *fr, const struct ir_value *v, enum leaving kind)
{
    const struct term *args[LEAVING_ARGS];
    unsigned n = v->ops.len < LEAVING_ARGS ? v->ops.len : LEAVING_ARGS;

    for (unsigned i = 0; i < n; i++)
        args[i] = argument(fr, v, i);
    leave_if(fr, term_bool(fr->s->terms, true), kind, args, n);
}

/* Intrinsics of the machine that have a meaning here. Returns whether it was one. */
static bool call_machine(struct sym_frame *fr, const struct ir_value *v, const struct term **to)
{
    enum ir_intrinsic i = v->fn->intrinsic;
    const struct feature *feature;
    struct sym_state before;

    switch (i) {
    case IR_I_TAKE_EXCEPTION:
        leave(fr, v, LEFT_EXCEPTION);
        return true;
    case IR_I_UNDEFINED_INSTRUCTION:
        leave(fr, v, LEFT_UNDEFINED);
        return true;
    case IR_I_TAKE_MEMORY_FAULT:
        leave(fr, v, LEFT_FAULT);
        return true;
    case IR_I_TRAP:
        leave(fr, v, LEFT_TRAP);
        return true;
    case IR_I_READ_PC:
        to[0] = fr->s->pc;
        return true;
    case IR_I_WRITE_PC:
        fr->state.branches = term_bool(fr->s->terms, true);
        fr->state.target = argument(fr, v, 0);
        return true;
    case IR_I_BRANCH_TAKEN:
    case IR_I_BRANCH_NOT_TAKEN:
    case IR_I_CONTEXT_CHANGED:
    case IR_I_TRAP_INEXACT:
    case IR_I_TRAP_NANS:
        return true;
    case IR_I_TRANSLATED:
    case IR_I_HOST_TRAPS:
        to[0] = term_number(fr->s->terms, 8, 0);
        return true;
    case IR_I_GET_FEATURE:
    case IR_I_SET_FEATURE:
        feature = feature_of(fr, v);
        if (feature && i == IR_I_GET_FEATURE) { /* known when the instruction is decoded */
            before = symbolic_start(fr->s);
            to[0] = symbolic_feature(fr->s, &before, feature);
        }
        if (feature && i == IR_I_SET_FEATURE)
            fr->state.features[feature->index] = argument(fr, v, 1);
        return feature != NULL;
    default:
        return false;
    }
}

sym_lanes symbolic_call_fn(struct sym_frame *fr, const struct ir_value *v)
{
    const struct term **to = symbolic_lanes(fr->s, 2);
    enum ir_intrinsic i = v->op == IR_INTRINSIC ? v->fn->intrinsic : IR_I_NONE;
    const struct term *args[3] = {0};
    unsigned bytes = ir_access_bytes(i);

    if (i >= IR_I_MEM_MONITOR_ACQUIRE && i <= IR_I_MEM_MONITOR_WRITE_128) {
        symbolic_refuse(fr->s, v, "it uses a monitor of memory");
        return NULL;
    }
    if (bytes && i >= IR_I_MEM_WRITE_8) {
        store(fr, v, bytes);
        return to;
    }
    if (bytes) {
        to[0] = load(fr, v, bytes);
        return to;
    }
    if (i == IR_I_MEM_PROBE_WRITE && argument(fr, v, 2)->kind == TERM_NUMBER) {
        access_may_fail(fr, v, (unsigned)argument(fr, v, 2)->value, true);
        return to;
    }
    if (i && call_machine(fr, v, to))
        return to;
    for (unsigned k = 0; k < v->ops.len && k < 3; k++)
        args[k] = argument(fr, v, k);
    to[0] = i && v->type.lanes == 1 && v->fn->flags & IR_FN_PURE
                ? symbolic_pure(fr->s->terms, i, args)
                : NULL;
    return to[0] ? to : call_by_name(fr, v);
}
