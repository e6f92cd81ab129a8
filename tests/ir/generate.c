/* Makes random functions, statement by statement, from a pool of defined values. */

#include "generate.h"

#include <string.h>

enum { MAX_DEPTH = 4 };

struct gen {
    struct world *w;
    struct ir_builder b;
    uint64_t *seed;
    VEC(struct ir_value *) pool; /* values that may be used here */
    struct ir_var *seen;         /* accumulates computed values, so that a wrong one shows */
    unsigned left;               /* number of statements still to make */
    unsigned depth;
    unsigned loops;
};

static const struct ir_type types[] = {
    {IR_UINT, 8, 1},   {IR_UINT, 16, 1},  {IR_UINT, 32, 1},  {IR_UINT, 64, 1},
    {IR_UINT, 128, 1}, {IR_SINT, 8, 1},   {IR_SINT, 32, 1},  {IR_SINT, 64, 1},
    {IR_SINT, 128, 1}, {IR_FLOAT, 32, 1}, {IR_FLOAT, 64, 1}, {IR_UINT, 8, 16},
    {IR_UINT, 32, 4},  {IR_SINT, 16, 8},  {IR_UINT, 64, 2},  {IR_FLOAT, 32, 4},
};

static unsigned draw_below(struct gen *g, unsigned n)
{
    return (unsigned)(random_next(g->seed) >> 33) % n;
}

static struct ir_type any_type(struct gen *g)
{
    /* The first 7 types are drawn more often than the rest of the table. */
    return types[draw_below(g, 2) ? draw_below(g, 7)
                                  : draw_below(g, sizeof(types) / sizeof(*types))];
}

static struct ir_type any_int(struct gen *g)
{
    return types[draw_below(g, 9)];
}

static u128 any_bits(struct gen *g)
{
    static const uint64_t edges[] = {0,          1,
                                     2,          3,
                                     4,          7,
                                     8,          15,
                                     16,         31,
                                     32,         63,
                                     64,         127,
                                     128,        255,
                                     0x7fffffff, 0x80000000,
                                     ~0ull,      0x8000000000000000ull,
                                     0x3f800000, 0x3ff0000000000000ull};

    if (draw_below(g, 3))
        return edges[draw_below(g, sizeof(edges) / sizeof(*edges))];
    return (u128)random_next(g->seed) << 64 | random_next(g->seed);
}

static struct ir_value *add_to_pool(struct gen *g, struct ir_value *v)
{
    vec_push_in(&g->w->arena, &g->pool, v);
    return v;
}

/* Adds a value to the pool and, in most cases, to the returned sum. */
static struct ir_value *show_value(struct gen *g, struct ir_value *v)
{
    struct ir_type bits = ir_type(IR_UINT, v->type.bits, 1);
    struct ir_value *x = v, *sum;

    add_to_pool(g, v);
    if (!draw_below(g, 4))
        return v;
    if (ir_is_vector(x->type)) {
        bits = ir_type(IR_UINT, 64, ir_bytes(x->type) / 8);
        sum = ir_bitcast(&g->b, x, bits);
        x = ir_binary(&g->b, IR_ADD,
                      ir_emit(&g->b, IR_EXTRACT, IR_T_U64, 2,
                              (struct ir_value *[]){sum, ir_const(&g->b, IR_T_U8, 0)}),
                      ir_emit(&g->b, IR_EXTRACT, IR_T_U64, 2,
                              (struct ir_value *[]){sum, ir_const(&g->b, IR_T_U8, 1)}));
    } else {
        x = ir_bitcast(&g->b, x, bits);
    }
    if (bits.bits == 128)
        x = ir_binary(&g->b, IR_XOR, x, ir_binary(&g->b, IR_SHR, x, ir_const(&g->b, IR_T_U8, 61)));
    x = ir_convert(&g->b, x, IR_T_U64);
    sum = ir_binary(&g->b, IR_ROL, ir_var_read(&g->b, g->seen), ir_const(&g->b, IR_T_U8, 7));
    ir_var_write(&g->b, g->seen, ir_binary(&g->b, IR_ADD, sum, x));
    return v;
}

static struct ir_value *make_leaf(struct gen *g, struct ir_type t);

/* Returns a value of that type: an existing one, a converted one, or a new one. */
static struct ir_value *value_of_type(struct gen *g, struct ir_type t)
{
    for (unsigned tries = 0; tries < 6 && g->pool.len && draw_below(g, 8); tries++) {
        unsigned recent = g->pool.len > 20 && draw_below(g, 3) ? 20 : g->pool.len;
        struct ir_value *v = g->pool.data[g->pool.len - 1 - draw_below(g, recent)];

        if (ir_type_eq(v->type, t))
            return v;
        if (tries > 2 && v->type.lanes == t.lanes)
            return add_to_pool(g, ir_convert(&g->b, v, t));
        if (tries > 2 && t.base != IR_FLOAT && v->type.base != IR_FLOAT &&
            ir_bytes(v->type) == ir_bytes(t))
            return add_to_pool(g, ir_bitcast(&g->b, v, t));
    }
    return make_leaf(g, t);
}

static struct ir_value *make_param(struct gen *g, unsigned n)
{
    struct ir_value *v = ir_emit(&g->b, IR_PARAM, g->b.func->params.data[n], 0, NULL);

    v->imm = n;
    return v;
}

static struct ir_value *make_leaf(struct gen *g, struct ir_type t)
{
    struct ir_func *f = g->b.func;
    struct ir_value *v;

    switch (draw_below(g, 6)) {
    case 0:
        for (unsigned i = 0; i < f->params.len; i++)
            if (ir_type_eq(f->params.data[i], t))
                return add_to_pool(g, make_param(g, i));
        break;
    case 1:
        if (f->format && t.lanes == 1)
            return add_to_pool(
                g,
                ir_convert(&g->b, ir_field(&g->b, &g->w->fields[draw_below(g, WORLD_FIELDS)]), t));
        break;
    case 2:
        if (ir_is_vector(t))
            return add_to_pool(g, ir_emit(&g->b, IR_SPLAT, t, 1,
                                          (struct ir_value *[]){value_of_type(g, ir_lane(t))}));
        break;
    case 3:
        if (f->format && t.lanes == 1) {
            v = ir_emit(&g->b, IR_WORD, IR_T_U32, 0, NULL);
            return add_to_pool(g, ir_convert(&g->b, v, t));
        }
        break;
    }
    v = ir_const(&g->b, t,
                 t.base == IR_FLOAT ? (t.bits == 32 ? 0x40400000 : 0x4000000000000000ull)
                                    : any_bits(g));
    return add_to_pool(g, v);
}

/* ---- operations ------------------------------------------------------------------------------ */

static struct ir_value *make_binary(struct gen *g)
{
    struct ir_type t = any_type(g);
    enum ir_op op;

    if (t.base == IR_FLOAT)
        op = (enum ir_op)(IR_ADD + draw_below(g, 5));
    else
        op = (enum ir_op)(IR_ADD + draw_below(g, 10));
    if (op == IR_NEG || op == IR_NOT)
        return ir_unary(&g->b, op, value_of_type(g, t));
    return ir_binary(&g->b, op, value_of_type(g, t), value_of_type(g, t));
}

static struct ir_value *make_shift(struct gen *g)
{
    struct ir_type t = any_type(g), amount = any_int(g);

    if (t.base == IR_FLOAT)
        t = IR_T_U64;
    if (ir_is_vector(t) && draw_below(g, 2))
        amount = ir_with_base(t, IR_UINT);
    return ir_binary(&g->b, (enum ir_op)(IR_SHL + draw_below(g, 4)), value_of_type(g, t),
                     draw_below(g, 3) ? ir_const(&g->b, amount, draw_below(g, 70))
                                      : value_of_type(g, amount));
}

static struct ir_value *make_compare(struct gen *g)
{
    struct ir_type t = any_type(g);

    return ir_binary(&g->b, (enum ir_op)(IR_EQ + draw_below(g, 6)), value_of_type(g, t),
                     value_of_type(g, t));
}

static struct ir_value *make_condition(struct gen *g)
{
    return draw_below(g, 3) ? value_of_type(g, IR_T_U8)
                            : ir_binary(&g->b, (enum ir_op)(IR_EQ + draw_below(g, 6)),
                                        value_of_type(g, IR_T_U32), value_of_type(g, IR_T_U32));
}

static struct ir_value *make_select(struct gen *g)
{
    struct ir_type t = any_type(g);
    struct ir_value *c = make_condition(g);

    if (ir_is_vector(t) && draw_below(g, 2))
        c = ir_binary(&g->b, IR_LT, value_of_type(g, t), value_of_type(g, t));
    return ir_select(&g->b, c, value_of_type(g, t), value_of_type(g, t));
}

static struct ir_value *index_value(struct gen *g, unsigned n)
{
    return draw_below(g, 3) ? ir_const(&g->b, IR_T_U8, draw_below(g, n))
                            : value_of_type(g, any_int(g));
}

static struct ir_value *make_vector(struct gen *g)
{
    static const struct ir_type vectors[] = {
        {IR_UINT, 8, 16}, {IR_UINT, 32, 4}, {IR_SINT, 16, 8}, {IR_UINT, 64, 2}, {IR_FLOAT, 32, 4}};
    struct ir_type t = vectors[draw_below(g, 5)];
    struct ir_value *ops[16];

    switch (draw_below(g, 4)) {
    case 0:
        ops[0] = value_of_type(g, t);
        ops[1] = index_value(g, t.lanes);
        return ir_emit(&g->b, IR_EXTRACT, ir_lane(t), 2, ops);
    case 1:
        ops[0] = value_of_type(g, t);
        ops[1] = index_value(g, t.lanes);
        ops[2] = value_of_type(g, ir_lane(t));
        return ir_emit(&g->b, IR_INSERT, t, 3, ops);
    case 2:
        for (unsigned i = 0; i < t.lanes; i++)
            ops[i] = value_of_type(g, ir_lane(t));
        return ir_emit(&g->b, IR_BUILD, t, t.lanes, ops);
    default:
        ops[0] = value_of_type(g, t);
        ops[1] = value_of_type(g, t);
        ops[0] = ir_emit(&g->b, IR_CONCAT, ir_with_lanes(t, t.lanes * 2u), 2, ops);
        ops[1] = index_value(g, t.lanes * 2);
        return ir_emit(&g->b, IR_EXTRACT, ir_lane(t), 2, ops);
    }
}

/* Slices, masks and sign extensions, which are frequent in descriptions. */
static struct ir_value *make_bits(struct gen *g)
{
    struct ir_type t = types[draw_below(g, 4)];
    unsigned shift = draw_below(g, t.bits), width = 1 + draw_below(g, t.bits);
    struct ir_value *v = value_of_type(g, t);

    if (draw_below(g, 2))
        v = ir_binary(&g->b, IR_SHL, v, ir_const(&g->b, IR_T_U8, shift));
    if (draw_below(g, 2))
        v = ir_binary(&g->b, IR_SHR, v, ir_const(&g->b, IR_T_U32, shift));
    v = ir_binary(&g->b, IR_AND, v,
                  ir_const(&g->b, t, width == 64 ? ~0ull : ((u128)1 << width) - 1));
    return draw_below(g, 2) ? v : ir_convert(&g->b, v, any_int(g));
}

static struct ir_value *small_const(struct gen *g, struct ir_type t)
{
    static const uint64_t numbers[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 0x80, 0xff, 0x100, 0xffff};
    u128 x = numbers[draw_below(g, sizeof(numbers) / sizeof(*numbers))];

    return ir_const(&g->b, t, draw_below(g, 4) ? x : ~x);
}

/* A chain of operations with constants, which folding combines. */
static struct ir_value *make_chain(struct gen *g)
{
    static const enum ir_op ops[] = {IR_ADD, IR_SUB, IR_AND, IR_OR,  IR_XOR, IR_ADD, IR_SUB,
                                     IR_AND, IR_MUL, IR_DIV, IR_MOD, IR_NOT, IR_NEG};
    struct ir_type t = draw_below(g, 4) ? any_int(g) : types[11 + draw_below(g, 3)];
    struct ir_value *v = value_of_type(g, t);

    if (draw_below(g, 3) == 0) /* few different values, so that comparisons have both results */
        v = ir_binary(&g->b, IR_AND, v, ir_const(&g->b, t, 3));
    for (unsigned n = 2 + draw_below(g, 4); n; n--) {
        unsigned kind = draw_below(g, 23);

        if (kind < 9) {
            enum ir_op op = ops[draw_below(g, sizeof(ops) / sizeof(*ops))];

            v = op == IR_NOT || op == IR_NEG ? ir_unary(&g->b, op, v)
                                             : ir_binary(&g->b, op, v, small_const(g, t));
        } else if (kind < 15) {
            v = ir_binary(
                &g->b, (enum ir_op)(IR_SHL + draw_below(g, 4)), v,
                ir_const(&g->b, IR_T_U8, draw_below(g, draw_below(g, 8) ? t.bits : 2u * t.bits)));
        } else if (kind < 18 && !ir_is_vector(t)) {
            t = any_int(g);
            v = ir_convert(&g->b, v, t);
        } else if (kind > 19 && n == 1) {
            return ir_binary(&g->b, (enum ir_op)(IR_EQ + draw_below(g, 6)), v, small_const(g, t));
        } else if (kind > 17 && n < 4 && !ir_is_vector(t)) {
            v = ir_binary(&g->b, (enum ir_op)(IR_EQ + draw_below(g, 6)), v, small_const(g, t));
            t = IR_T_U8;
            if (draw_below(g, 2))
                v = ir_select(&g->b, v, small_const(g, t), small_const(g, t));
        }
    }
    return v;
}

/* Inserts and extracts of lanes at constant positions. */
static struct ir_value *make_lanes(struct gen *g)
{
    struct ir_type t = draw_below(g, 2) ? ir_type(IR_UINT, 32, 4) : ir_type(IR_UINT, 64, 2);
    struct ir_value *v = value_of_type(g, t), *ops[4];

    for (unsigned n = 1 + draw_below(g, 5); n; n--) {
        switch (draw_below(g, 4)) {
        case 0:
            for (unsigned i = 0; i < t.lanes; i++)
                ops[i] = ir_emit(
                    &g->b, IR_EXTRACT, ir_lane(t), 2,
                    (struct ir_value *[]){
                        v, ir_const(&g->b, IR_T_U8, draw_below(g, 4) ? i : draw_below(g, 9))});
            v = ir_emit(&g->b, IR_BUILD, t, t.lanes, ops);
            break;
        case 1:
            ops[0] = draw_below(g, 2) ? v : value_of_type(g, t);
            ops[1] = v;
            ops[0] = ir_emit(&g->b, IR_CONCAT, ir_with_lanes(t, t.lanes * 2u), 2, ops);
            ops[1] = ir_const(&g->b, IR_T_U8, draw_below(g, t.lanes * 2u));
            ops[2] = ir_emit(&g->b, IR_EXTRACT, ir_lane(t), 2, ops);
            v = ir_emit(&g->b, IR_SPLAT, t, 1, &ops[2]);
            break;
        default:
            ops[0] = v;
            ops[1] = ir_const(&g->b, IR_T_U8, draw_below(g, t.lanes + 1u));
            ops[2] = value_of_type(g, ir_lane(t));
            v = ir_emit(&g->b, IR_INSERT, t, 3, ops);
        }
    }
    return v;
}

/* ---- state and calls ------------------------------------------------------------------------- */

static struct ir_value *register_index(struct gen *g, const struct reg_view *v)
{
    if (!v->is_bank)
        return NULL;
    if (draw_below(g, 2)) /* few different registers, so that accesses overlap */
        return ir_const(&g->b, IR_T_U8, draw_below(g, v->count > 16 ? 24 : 3));
    return draw_below(g, 2) ? ir_const(&g->b, IR_T_U8, draw_below(g, v->count + 1))
                            : ir_field(&g->b, &g->w->fields[1 + draw_below(g, 2)]);
}

static struct ir_type register_type(struct gen *g, const struct reg_view *v)
{
    if (v->name[0] == 'V' && draw_below(g, 2))
        return draw_below(g, 2) ? ir_type(IR_UINT, 8, 16) : IR_T_U64;
    if (v->name[0] == 'X' && draw_below(g, 3) == 0)
        return IR_T_S32;
    return v->type;
}

static void make_access(struct gen *g)
{
    struct reg_view *v = &g->w->views[draw_below(g, WORLD_VIEWS)];
    struct ir_value *index;

    if (!g->b.func->format)
        v = &g->w->views[3];
    index = register_index(g, v);
    if (draw_below(g, 2))
        show_value(g, ir_reg_read(&g->b, v, index, register_type(g, v)));
    else
        ir_reg_write(&g->b, v, index, value_of_type(g, register_type(g, v)));
}

static void make_register(struct gen *g)
{
    for (unsigned n = 1 + draw_below(g, 4); n; n--)
        make_access(g);
}

static void make_fn_call(struct gen *g)
{
    struct ir_callee *fn = g->w->fns[draw_below(g, g->w->fn_count)];
    struct ir_value *args[8], *call;
    unsigned out = 0;

    if (fn->flags & (IR_FN_ASM | IR_FN_NORETURN) || !strcmp(fn->name, "ext_missing"))
        return;
    for (unsigned i = 0; i < fn->params.len; i++)
        args[i] = value_of_type(g, fn->params.data[i]);
    call = ir_call_fn(&g->b, fn, fn->nparams_text ? "some \"text\"\n" : NULL, fn->params.len, args);
    if (!ir_is_void(call->type))
        show_value(g, call);
    for (unsigned i = 0; i < fn->params.len; i++)
        if (fn->by_ref.data[i])
            show_value(g, ir_result(&g->b, call, ++out, fn->params.data[i]));
}

static void make_call(struct gen *g)
{
    struct ir_value *args[8], *call;
    struct ir_func *callee;

    if (!g->w->funcs.len)
        return;
    callee = g->w->funcs.data[draw_below(g, g->w->funcs.len)];
    for (unsigned i = 0; i < callee->params.len; i++)
        args[i] = value_of_type(g, callee->params.data[i]);
    call = ir_call(&g->b, callee, callee->params.len, args);
    if (!ir_is_void(call->type))
        show_value(g, call);
    for (unsigned i = 0; i < callee->outs.len; i++)
        if (draw_below(g, 4))
            show_value(g, ir_result(&g->b, call, i + 1, callee->outs.data[i]));
}

/* ---- statements ------------------------------------------------------------------------------ */

static void make_statements(struct gen *g);

/* Makes the body of a branch; its values are not used outside. */
static void make_body(struct gen *g, struct ir_block *in, struct ir_block *then)
{
    unsigned seen = g->pool.len;

    g->b.block = in;
    g->depth++;
    make_statements(g);
    g->depth--;
    if (then)
        ir_br(&g->b, then);
    g->pool.len = seen;
}

static void make_exception(struct gen *g)
{
    struct ir_value *args[2] = {value_of_type(g, IR_T_U32), value_of_type(g, IR_T_U32)};

    ir_call_fn(&g->b, world_fn(g->w, "take_exception"), NULL, 2, args);
    ir_unreachable(&g->b);
}

static void give_back(struct gen *g);

/* Makes a branch that leaves the function. */
static void make_end(struct gen *g, struct ir_block *in)
{
    unsigned seen = g->pool.len;

    g->b.block = in;
    if (draw_below(g, 2))
        make_exception(g);
    else
        give_back(g);
    g->pool.len = seen;
}

static void make_if(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_block *yes = ir_block_new(f, "then"),
                    *no = draw_below(g, 2) ? ir_block_new(f, NULL) : NULL;
    struct ir_block *join = ir_block_new(f, "join");

    ir_cbr(&g->b, draw_below(g, 4) ? make_condition(g) : value_of_type(g, any_int(g)), yes,
           no ? no : join);
    if (no)
        make_body(g, no, join);
    if (draw_below(g, 6))
        make_body(g, yes, join);
    else
        make_end(g, yes);
    g->b.block = join;
}

/* if (a && b) and if (a || b) in their lowered form, through a variable. */
static void make_logic(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_var *v = ir_var_new(f, "c", IR_T_U8, g->b.pos);
    struct ir_block *more = ir_block_new(f, "more"), *test = ir_block_new(f, "test");
    struct ir_block *yes = ir_block_new(f, "then"), *join = ir_block_new(f, "join");
    bool is_and = draw_below(g, 2);
    unsigned seen;

    ir_var_write(&g->b, v, ir_const(&g->b, IR_T_U8, !is_and));
    ir_cbr(&g->b, make_condition(g), is_and ? more : test, is_and ? test : more);
    seen = g->pool.len;
    g->b.block = more;
    if (draw_below(g, 2))
        make_register(g);
    ir_var_write(&g->b, v, make_condition(g));
    ir_br(&g->b, test);
    g->pool.len = seen;
    g->b.block = test;
    ir_cbr(&g->b, ir_var_read(&g->b, v), yes, join);
    make_body(g, yes, join);
    g->b.block = join;
}

static void make_switch(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_block *join = ir_block_new(f, NULL);
    struct ir_type t = any_int(g);
    unsigned n = draw_below(g, 5), key = draw_below(g, 3);
    struct ir_value *on = value_of_type(g, t), *sw;

    if (draw_below(g, 2))
        on = ir_binary(&g->b, IR_AND, on, ir_const(&g->b, t, 7));
    sw = ir_switch(&g->b, on, join);
    for (unsigned i = 0; i < n; i++, key += 1 + draw_below(g, 2)) {
        struct ir_block *to = draw_below(g, 4) ? ir_block_new(f, "case") : join;

        ir_switch_case(f, sw, key, to);
        if (to != join)
            make_body(g, to, join);
    }
    g->b.block = join;
}

/* Makes a loop that counts a fresh variable up to a small bound. */
static void make_loop(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_var *i = ir_var_new(f, "i", IR_T_U32, g->b.pos);
    struct ir_block *head = ir_block_new(f, "loop"), *in = ir_block_new(f, "body");
    struct ir_block *step = ir_block_new(f, "step"), *after = ir_block_new(f, "after");
    struct ir_value *limit = ir_const(&g->b, IR_T_U32, draw_below(g, 5)), *next, *first;

    if (draw_below(g, 2))
        limit = ir_binary(&g->b, IR_AND, value_of_type(g, IR_T_U32), limit);
    first = ir_const(&g->b, IR_T_U32, draw_below(g, 2));
    if (draw_below(g, 3) == 0)
        first = ir_binary(&g->b, IR_AND, value_of_type(g, IR_T_U32), first);
    ir_var_write(&g->b, i, first);
    ir_br(&g->b, head);
    g->b.block = head;
    ir_cbr(&g->b, ir_binary(&g->b, IR_LT, ir_var_read(&g->b, i), limit), in, after);
    g->loops++;
    make_body(g, in, step);
    g->loops--;
    g->b.block = step;
    next = ir_binary(&g->b, IR_ADD, ir_var_read(&g->b, i), ir_const(&g->b, IR_T_U32, 1));
    ir_var_write(&g->b, i, next);
    ir_br(&g->b, head);
    g->b.block = after;
}

static void make_variable(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_var *v;

    if (f->vars.len < 4)
        return;
    v = f->vars.data[draw_below(g, 4)];
    if (draw_below(g, 2))
        show_value(g, ir_var_read(&g->b, v));
    else
        ir_var_write(&g->b, v, value_of_type(g, v->type));
}

static void make_value(struct gen *g)
{
    static struct ir_value *(*const makers[])(struct gen *) = {
        make_binary, make_shift, make_compare, make_select, make_vector,
        make_bits,   make_chain, make_chain,   make_chain,  make_lanes};

    show_value(g, makers[draw_below(g, sizeof(makers) / sizeof(*makers))](g));
}

static void make_statement(struct gen *g)
{
    unsigned kind = draw_below(g, 20);

    if (g->depth < MAX_DEPTH && kind < 2)
        make_if(g);
    else if (g->depth < MAX_DEPTH && kind == 2)
        make_switch(g);
    else if (g->depth < MAX_DEPTH && kind == 3 && g->loops < 2)
        make_loop(g);
    else if (g->depth < MAX_DEPTH && kind == 13)
        make_logic(g);
    else if (kind == 4)
        make_call(g);
    else if (kind == 5)
        make_fn_call(g);
    else if (kind < 9)
        make_register(g);
    else if (kind < 13)
        make_variable(g);
    else
        make_value(g);
}

static void make_statements(struct gen *g)
{
    unsigned n = 1 + draw_below(g, 10);

    while (n-- && g->left) {
        g->left--;
        make_statement(g);
    }
}

static void give_back(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct ir_value *values[5];
    unsigned n = 0;

    if (!ir_is_void(f->result))
        values[n++] = value_of_type(g, f->result);
    values[n++] = ir_var_read(&g->b, g->seen);
    for (unsigned i = 1; i < f->outs.len; i++)
        values[n++] = value_of_type(g, f->outs.data[i]);
    ir_ret(&g->b, n, values);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void make_signature(struct gen *g)
{
    struct ir_func *f = g->b.func;
    struct arena *a = &g->w->arena;
    unsigned n = draw_below(g, 4), outs = draw_below(g, 3);

    f->result = draw_below(g, 4) ? any_type(g) : IR_T_VOID;
    for (unsigned i = 0; i < n; i++) {
        vec_push_in(a, &f->params, any_type(g));
        vec_push_in(a, &f->param_names, arena_printf(a, "p%u", i));
    }
    vec_push_in(a, &f->outs, IR_T_U64);
    for (unsigned i = 0; i < outs; i++)
        vec_push_in(a, &f->outs, any_type(g));
    f->is_inline = draw_below(g, 3) == 0;
}

struct ir_func *generate(struct world *w, uint64_t *seed, const char *name, enum ir_func_kind kind,
                         unsigned size)
{
    struct ir_func *f = ir_func_new(&w->arena, name, kind);
    struct gen g = {.w = w, .seed = seed, .left = size, .b = {.func = f}};

    if (kind == IR_FUNC_EXECUTE)
        f->format = &w->format;
    make_signature(&g);
    g.b.block = ir_block_new(f, "entry");
    for (unsigned i = 0; i < 4; i++) {
        struct ir_type t = any_type(&g);

        ir_var_write(&g.b, ir_var_new(f, "v", t, g.b.pos), value_of_type(&g, t));
    }
    g.seen = ir_var_new(f, "seen", IR_T_U64, g.b.pos);
    ir_var_write(&g.b, g.seen, ir_const(&g.b, IR_T_U64, 0));
    while (g.left)
        make_statements(&g);
    give_back(&g);
    return f;
}

void generate_args(const struct ir_func *f, uint64_t *seed, struct ir_data *args)
{
    struct gen g = {.seed = seed};

    for (unsigned i = 0; i < f->params.len; i++) {
        struct ir_type t = f->params.data[i];
        u128 mask = t.bits == 128 ? ~(u128)0 : ((u128)1 << t.bits) - 1;

        for (unsigned l = 0; l < t.lanes; l++)
            args[i].lane[l] = any_bits(&g) & mask;
    }
}
