/*
 * Runs selected code of one operation, and compares its result with the model. The test has its own
 * small random allocator: operands are in registers, in memory or constant, and the result may take
 * an operand's register. All other registers must be unchanged.
 */
#include "vector_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { CODE_BYTES = 4096, NODES = 6, TESTED = 5, ROUNDS = 100 };

/*
 * All registers, before and after the code, and operands in memory. R13 points to this structure.
 */
struct state {
    union value xmm[32], xmm_after[32];
    uint64_t gpr[16], gpr_after[16];
    union value memory[NODES];
};

struct harness {
    struct quick q; /* must be first */
    struct state s;
    void *code;
    struct q_node nodes[NODES];
    union value values[NODES];
    bool in_memory[NODES], dies[NODES];
    uint32_t taken_x, taken; /* registers in use */
    uint32_t free_x, free;   /* registers that the code may change */
    unsigned result;
    union value value; /* value of the constant under test */
    unsigned features,
        registers; /* q_buffer.features, and the number of vector registers with them */
};

static struct harness *harness_of(const struct quick *q)
{
    return (struct harness *)(uintptr_t)q;
}

/* ---- the allocator --------------------------------------------------------------------------- */

static bool one_chance_in(unsigned of)
{
    return random64() % of == 0;
}

static unsigned pick_register(uint32_t *taken, unsigned of)
{
    unsigned r;

    do
        r = (unsigned)(random64() % of);
    while (*taken >> r & 1);
    *taken |= 1u << r;
    return r;
}

static unsigned pick_x(struct harness *f)
{
    return pick_register(&f->taken_x, f->registers);
}

static unsigned pick_general(struct harness *f)
{
    return pick_register(&f->taken, 16);
}

static bool is_x(const struct harness *f, uint32_t node)
{
    return q_in_vector(f->nodes[node].result);
}

static unsigned use_node(struct quick *q, uint32_t node, bool x)
{
    struct harness *f = harness_of(q);
    struct q_node *n = &f->nodes[node];

    assert_true(node && node < NODES && is_x(f, node) == x);
    if (n->host != Q_NO_HOST)
        return n->host % Q_V;
    n->host = (uint8_t)(x ? Q_V + pick_x(f) : pick_general(f));
    *(x ? &f->free_x : &f->free) |= 1u << (n->host % Q_V);
    if (n->op == Q_CONST && x)
        x64_load_vector(q, n->host % Q_V, n);
    else if (n->op == Q_CONST)
        x64_mov_ri(&q->out, n->host, n->imm);
    else if (x)
        x64_vload(&q->out, 128, n->host % Q_V, x64_member(offsetof(struct state, memory[node])));
    else
        x64_load(&q->out, q_lane_bits(n->result), n->host,
                 x64_member(offsetof(struct state, memory[node])));
    return n->host % Q_V;
}

/* The test runs with all exceptions masked. */
void q_may_trap_here(struct quick *q)
{
    (void)q;
}

unsigned q_use(struct quick *q, uint32_t node)
{
    return use_node(q, node, false);
}

unsigned q_use_x(struct quick *q, uint32_t node)
{
    return use_node(q, node, true);
}

static unsigned define_result(struct quick *q, bool x, bool share)
{
    struct harness *f = harness_of(q);

    assert_int_equal(f->result, Q_NO_HOST);
    for (unsigned n = 1; n < TESTED && share && f->result == Q_NO_HOST; n++) {
        struct q_node *node = &f->nodes[n];

        if (node->op && node->host != Q_NO_HOST && (node->host >= Q_V) == x && f->dies[n] &&
            one_chance_in(2))
            f->result = node->host;
    }
    if (f->result == Q_NO_HOST)
        f->result = x ? Q_V + pick_x(f) : pick_general(f);
    *(x ? &f->free_x : &f->free) |= 1u << (f->result % Q_V);
    return f->result % Q_V;
}

unsigned q_def(struct quick *q)
{
    return define_result(q, false, true);
}

unsigned q_def_x(struct quick *q)
{
    return define_result(q, true, true);
}

unsigned q_def_early_x(struct quick *q)
{
    return define_result(q, true, false);
}

unsigned q_temp_x(struct quick *q)
{
    struct harness *f = harness_of(q);
    unsigned r = pick_x(f);

    f->free_x |= 1u << r;
    return r;
}

bool q_is_const(const struct quick *q, uint32_t node, uint64_t *bits)
{
    const struct q_node *n = &q->nodes.data[node];

    *bits = n->imm;
    return n->op == Q_CONST && n->sub == 0;
}

bool q_in_memory(struct quick *q, uint32_t node, unsigned bits, struct q_place *place)
{
    struct harness *f = harness_of(q);
    const struct q_node *n = &f->nodes[node];

    *place = (struct q_place){.offset = (int32_t)offsetof(struct state, memory[node])};
    return n->op != Q_CONST && n->host == Q_NO_HOST && f->in_memory[node] &&
           (is_x(f, node) || bits <= q_bits(n->result));
}

static unsigned use_extended(struct quick *q, jit_type t, uint32_t node, unsigned scratch)
{
    unsigned r = q_use(q, node), bits = q_lane_bits(t);

    if (bits == 64)
        x64_mov_rr(&q->out, 64, scratch, r);
    else if (q_base(t) == JIT_SINT)
        x64_movsx(&q->out, 64, bits, scratch, r);
    else
        x64_movzx(&q->out, bits, scratch, r);
    return scratch;
}

enum x64_cc x64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b)
{
    static const uint8_t with_sign[] = {CC_E, CC_NE, CC_L, CC_LE, CC_G, CC_GE};
    static const uint8_t without[] = {CC_E, CC_NE, CC_B, CC_BE, CC_A, CC_AE};
    unsigned x = use_extended(q, t, a, RAX), y = use_extended(q, t, b, RDX);

    x64_alu_rr(&q->out, X64_CMP, 64, x, y);
    return (q_base(t) == JIT_SINT ? with_sign : without)[sub - JIT_EQ];
}

/* No node here is ordered. */
void x64_note_compared(struct quick *q, jit_type t, uint32_t a, uint32_t b)
{
    (void)q;
    (void)t;
    (void)a;
    (void)b;
}

/* ---- operands -------------------------------------------------------------------------------- */

static void make_const(struct harness *f, unsigned node, jit_type t, enum leaf kind)
{
    struct q_node *n = &f->nodes[node];
    union value *v = &f->values[node];

    n->op = Q_CONST;
    if (kind == LEAF_NUMBERS) {
        n->sub = 1;
        n->imm = v->w[0];
        n->imm2 = v->w[1];
        return;
    }
    n->sub = q_lane_bits(t) == 128;
    n->imm = q_lane_bits(t) == 128 ? v->w[0] : lane_get(v, t, 0);
    n->imm2 = n->sub ? v->w[1] : 0;
    for (unsigned k = 1; k < q_lanes(t); k++)
        lane_set(v, t, k, n->imm);
}

static void make_leaf(struct harness *f, unsigned node, jit_type t, enum leaf kind)
{
    struct q_node *n = &f->nodes[node];

    *n = (struct q_node){.op = Q_REG, .known = 64, .type = t, .result = t, .host = Q_NO_HOST};
    f->values[node] = random_value(t, kind);
    if (kind == LEAF_BYTES) {
        n->type = JIT_TYPE(JIT_UINT, 8, q_bits(t) / 8);
        f->values[node] = random_value(n->type, LEAF_MASK);
    }
    if (kind == LEAF_MASK || kind == LEAF_BYTES || kind == LEAF_FLOAT) {
        n->op = Q_BINARY;
        n->sub = JIT_EQ;
    } else if (kind == LEAF_UNSIGNED || kind == LEAF_SIGNED) {
        n->op = Q_CONVERT;
        n->from = JIT_TYPE(kind == LEAF_SIGNED ? JIT_SINT : JIT_UINT, 32, q_lanes(t));
    } else if (kind == LEAF_OTHER) {
        n->op = Q_CONVERT;
        n->type = JIT_TYPE(JIT_UINT, 32, q_bits(t) / 32);
        n->from = JIT_TYPE(JIT_UINT, 16, q_bits(t) / 32);
    } else if (kind == LEAF_NUMBERS || kind == LEAF_CONST ||
               (kind == LEAF_ANY && one_chance_in(6))) {
        make_const(f, node, t, kind);
    }
    f->in_memory[node] = one_chance_in(4);
    f->dies[node] = !one_chance_in(4);
}

/* Puts the operand where the code expects it. */
static void place_operand(struct harness *f, unsigned node)
{
    struct q_node *n = &f->nodes[node];
    jit_type t = n->result;
    union value v = f->values[node];

    f->s.memory[node] = v;
    if (n->op == Q_CONST || f->in_memory[node])
        return;
    if (q_in_vector(t)) {
        n->host = (uint8_t)(Q_V + pick_x(f));
        f->s.xmm[n->host % Q_V] = v;
        return;
    }
    n->host = (uint8_t)pick_general(f);
    if (one_chance_in(2))
        n->known = (uint8_t)q_lane_bits(t);
    f->s.gpr[n->host] = n->known < 64 ? lane_get(&v, t, 0) : v.w[0];
}

/* ---- running --------------------------------------------------------------------------------- */

static unsigned vector_registers(unsigned features)
{
    return features & X64_AVX512 ? 32 : 16;
}

static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};

static void emit_entry(struct q_buffer *x)
{
    for (unsigned n = 0; n < sizeof(saved); n++)
        x64_push(x, saved[n]);
    x64_lea(x, 64, R13, x64_at(RDI, X64_MIDDLE));
    for (unsigned r = 0; r < vector_registers(x->features); r++)
        x64_vload(x, 128, r, x64_member(offsetof(struct state, xmm[r])));
    for (unsigned r = 0; r < 16; r++) {
        if (r != RSP && r != R13)
            x64_load(x, 64, r, x64_member(offsetof(struct state, gpr[r])));
    }
}

static void emit_exit(struct q_buffer *x)
{
    for (unsigned r = 0; r < vector_registers(x->features); r++)
        x64_vstore(x, 128, x64_member(offsetof(struct state, xmm_after[r])), r);
    for (unsigned r = 0; r < 16; r++) {
        x64_store(x, 64, x64_member(offsetof(struct state, gpr_after[r])), r);
    }
    for (unsigned n = sizeof(saved); n-- > 0;)
        x64_pop(x, saved[n]);
    x64_ret(x);
}

static void emit_code(struct harness *f)
{
    struct quick *q = &f->q;
    struct q_pool *pool = one_chance_in(2) ? &q->pool : NULL;

    q->pool.constants.len = q->pool.uses.len = 0;
    q->out = (struct q_buffer){f->code,     f->code, (uint8_t *)f->code + CODE_BYTES, 0, false,
                               f->features, pool};
    emit_entry(&q->out);
    if (f->nodes[TESTED].op == Q_CONST)
        x64_load_vector(q, q_def_x(q), &f->nodes[TESTED]);
    else
        x64_select_vector(q);
    emit_exit(&q->out);
    if (pool)
        x64_emit_pool(&q->out);
    assert_false(q->out.full);
}

static void print_value(const char *what, const union value *v)
{
    print_message("  %s %016llx %016llx\n", what, (unsigned long long)v->w[1],
                  (unsigned long long)v->w[0]);
}

static void describe_failure(const struct harness *f, const union value *want,
                             const union value *got)
{
    const struct q_node *n = &f->nodes[TESTED];

    print_message("op %u sub %u type %x from %x imm %u\n", n->op, n->sub, n->type, n->from,
                  (unsigned)n->imm);
    for (unsigned k = 1; k < TESTED; k++) {
        if (f->nodes[k].op == Q_NOP)
            continue;
        print_message(" %u: op %u type %x host %u memory %d\n", k, f->nodes[k].op, f->nodes[k].type,
                      f->nodes[k].host, f->in_memory[k]);
        print_value("is  ", &f->values[k]);
    }
    print_message(" result in %u\n", f->result);
    print_value("want", want);
    print_value("got ", got);
}

/* Whether all registers that the code may not change are unchanged. */
static bool others_stay(const struct harness *f)
{
    bool good = true;

    for (unsigned r = 0; r < f->registers; r++) {
        if (!(f->free_x >> r & 1) && r != Q_XSCRATCH && r != Q_XSCRATCH2)
            good &= f->s.xmm[r].whole == f->s.xmm_after[r].whole;
    }
    for (unsigned r = 0; r < 16; r++) {
        if (!(f->free >> r & 1) && r != RAX && r != RDX && r != RSP && r != R13)
            good &= f->s.gpr[r] == f->s.gpr_after[r];
    }
    return good;
}

static void check_result(struct harness *f, const struct operation *o)
{
    union value want = model(o, &f->values[1]), got = {0};
    jit_type t = f->nodes[TESTED].result;
    bool x, same;

    if (o->node.op == Q_CONST)
        want = f->value;
    x = q_in_vector(t);
    assert_true(f->result != Q_NO_HOST && (f->result >= Q_V) == x);
    if (x) {
        got = f->s.xmm_after[f->result % Q_V];
        same = same_value(t, &want, &got, any_nan(o));
    } else {
        /* General registers are zero above the type's bits. */
        got.w[0] = f->s.gpr_after[f->result];
        if (q_lane_bits(t) < 64)
            want.w[0] &= (UINT64_C(1) << q_lane_bits(t)) - 1;
        same = want.w[0] == got.w[0];
    }
    if (!same)
        describe_failure(f, &want, &got);
    assert_true(same);
    if (!others_stay(f))
        describe_failure(f, &want, &got);
    assert_true(others_stay(f));
}

/* Returns the type of a node's result; consumers may read a vector as any type. */
static jit_type result_type(const struct q_node *n)
{
    jit_type t = n->type;

    if (q_is_comparison(n) && q_lanes(t) == 1)
        return n->result ? n->result : JIT_U8;
    if (q_is_comparison(n))
        return JIT_TYPE(JIT_UINT, q_lane_bits(t), q_lanes(t));
    if (n->op == Q_EXTRACT || n->op == Q_EXTRACT_AT)
        return JIT_TYPE(q_base(t), q_lane_bits(t), 1);
    return t;
}

static void set_operands(struct harness *f, const struct operation *o)
{
    struct q_node *n = &f->nodes[TESTED];

    n->result = result_type(n);
    for (unsigned k = 0; k < o->operands; k++) {
        n->in[k] = k + 1;
        make_leaf(f, k + 1, o->types[k], o->kinds[k]);
        /* Sometimes both operands are the same node. */
        if (k && o->types[k] == o->types[k - 1] && o->kinds[k] != LEAF_CONST && one_chance_in(8)) {
            n->in[k] = n->in[k - 1];
            f->values[k + 1] = f->values[k];
        }
    }
}

void run_operation(struct harness *f, const struct operation *o)
{
    void (*code)(struct state *) = (void (*)(struct state *))(uintptr_t)f->code;

    memset(f->nodes, 0, sizeof(f->nodes));
    for (unsigned r = 0; r < 16; r++)
        f->s.xmm[r] = random_value(JIT_TYPE(JIT_FLOAT, 32, 4), LEAF_ANY);
    for (unsigned r = 16; r < f->registers; r++) /* cheaper: only to be found unchanged */
        f->s.xmm[r].w[0] = f->s.xmm[r].w[1] = f->s.xmm[r - 16].w[0] + r;
    for (unsigned r = 0; r < 16; r++)
        f->s.gpr[r] = random64();
    f->taken_x = 1u << Q_XSCRATCH | 1u << Q_XSCRATCH2;
    f->taken = 1u << RAX | 1u << RDX | 1u << RSP | 1u << R13;
    f->free_x = f->free = 0;
    f->result = Q_NO_HOST;
    f->nodes[TESTED] = o->node;
    set_operands(f, o);
    /* Constant operands, chosen at random, may make the selection refuse. */
    if (o->node.op != Q_CONST && !x64_can_select_vector(&f->q, &f->nodes[TESTED]))
        return;
    for (unsigned n = 1; n < TESTED; n++)
        if (f->nodes[n].op)
            place_operand(f, n);
    emit_code(f);
    code(&f->s);
    check_result(f, o);
}

/* Runs the operation ROUNDS times if the selection accepts it. Returns whether it does. */
bool try_operation(struct harness *f, const struct operation *o)
{
    memset(f->nodes, 0, sizeof(f->nodes));
    f->nodes[TESTED] = o->node;
    set_operands(f, o);
    if (!x64_can_select_vector(&f->q, &f->nodes[TESTED]))
        return false;
    for (unsigned n = 0; n < ROUNDS; n++)
        run_operation(f, o);
    return true;
}

void try_constant(struct harness *f, const struct q_node *n)
{
    struct operation o = {.node = *n};

    f->value.w[0] = n->imm;
    f->value.w[1] = n->imm2;
    for (unsigned k = 0; k < q_lanes(n->type) && q_lane_bits(n->type) < 128; k++)
        lane_set(&f->value, n->type, k, n->imm);
    run_operation(f, &o);
}

/* ---- from start to end ----------------------------------------------------------------------- */

struct harness *harness_new(unsigned features)
{
    struct harness *f = calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f->code == MAP_FAILED) {
        free(f);
        return NULL;
    }
    f->q.nodes.data = f->nodes;
    f->q.nodes.len = f->q.nodes.cap = NODES;
    f->q.at = TESTED;
    f->features = f->q.out.features = features;
    f->registers = vector_registers(features);
    return f;
}

void harness_free(struct harness *f)
{
    munmap(f->code, CODE_BYTES);
    vec_free(&f->q.pool.constants);
    vec_free(&f->q.pool.uses);
    free(f);
}
