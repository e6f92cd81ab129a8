/* The back end of build.h for the quick tier: records raw nodes of an instruction. */
#include "runtime/jit/quick/record.h"

static struct quick *quick_of(const struct jit_build *j)
{
    return (struct quick *)(uintptr_t)j;
}

static jit_value to_jit(q_value v)
{
    return (jit_value)(uintptr_t)v;
}

static q_value from_jit(jit_value v)
{
    return (q_value)(uintptr_t)v;
}

static jit_block block_to_jit(uint32_t n)
{
    return (jit_block)(uintptr_t)(n + 1);
}

static uint32_t block_from_jit(jit_block b)
{
    return (uint32_t)(uintptr_t)b - 1;
}

static void refuse_insn(struct quick *q, const char *why)
{
    if (!q->record->refused)
        q->record->refused = why;
}

/* Appends a raw node with a value of type `result`. */
static jit_value add_raw(struct quick *q, jit_type result, struct raw raw)
{
    struct quick_record *d = q->record;

    raw.block = d->block;
    vec_push(&d->raws, raw);
    return to_jit(q_value_of((uint32_t)d->raws.len - 1, result));
}

/* ---- constants ------------------------------------------------------------------------------- */

static jit_value quick_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    return add_raw(quick_of(j), t, (struct raw){.op = Q_CONST, .type = t, .imm = bits});
}

static jit_value quick_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    return add_raw(quick_of(j), t,
                   (struct raw){.op = Q_CONST, .sub = 1, .type = t, .imm = low, .imm2 = high});
}

static uint32_t quick_feature(const struct jit_build *j, unsigned feature)
{
    return quick_of(j)->r->features[feature];
}

static uint8_t quick_mode(const struct jit_build *j)
{
    return quick_of(j)->r->mode;
}

static uint8_t quick_traps(struct jit_build *j, unsigned kinds)
{
    struct quick *q = quick_of(j);

    if (!q->traps || q->record->all_ways) /* all ways are those without traps */
        return 0;
    q->record->traps |= (uint8_t)kinds;
    return 1;
}

static void quick_trap_inexact(struct jit_build *j)
{
    add_raw(quick_of(j), 0, (struct raw){.op = RAW_INEXACT});
}

static void quick_trap_nans(struct jit_build *j)
{
    add_raw(quick_of(j), 0, (struct raw){.op = RAW_NANS});
}

/* ---- operations ------------------------------------------------------------------------------ */

static jit_value quick_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    return add_raw(quick_of(j), t,
                   (struct raw){.op = Q_UNARY, .sub = (uint8_t)op, .type = t, .a = from_jit(a)});
}

static jit_value quick_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                              jit_value b)
{
    jit_type result = t;

    if (op >= JIT_EQ)
        result = q_lanes(t) > 1 ? JIT_TYPE(JIT_UINT, q_lane_bits(t), q_lanes(t)) : JIT_U8;
    return add_raw(
        quick_of(j), result,
        (struct raw){
            .op = Q_BINARY, .sub = (uint8_t)op, .type = t, .a = from_jit(a), .b = from_jit(b)});
}

static jit_value quick_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    return add_raw(
        quick_of(j), t,
        (struct raw){.op = Q_FMA, .type = t, .a = from_jit(a), .b = from_jit(b), .c = from_jit(c)});
}

static jit_value quick_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    jit_type t = q_type(from_jit(a));

    return add_raw(
        quick_of(j), t,
        (struct raw){
            .op = RAW_SELECT, .type = t, .a = from_jit(cond), .b = from_jit(a), .c = from_jit(b)});
}

static jit_value quick_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    return add_raw(quick_of(j), to,
                   (struct raw){.op = Q_CONVERT, .type = to, .from = from, .a = from_jit(a)});
}

static jit_value quick_bitcast(struct jit_build *j, jit_type to, jit_value a)
{
    return add_raw(quick_of(j), to, (struct raw){.op = Q_BITCAST, .type = to, .a = from_jit(a)});
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static jit_value quick_splat(struct jit_build *j, jit_type t, jit_value scalar)
{
    if (q_lanes(t) <= 1)
        return scalar;
    return add_raw(quick_of(j), t, (struct raw){.op = Q_SPLAT, .type = t, .a = from_jit(scalar)});
}

static jit_value quick_build(struct jit_build *j, jit_type t, const jit_value *lanes)
{
    struct quick *q = quick_of(j);
    size_t at = q->record->lists.len;

    if (q_lanes(t) <= 1)
        return lanes[0];
    for (unsigned n = 0; n < q_lanes(t); n++)
        vec_push(&q->record->lists, from_jit(lanes[n]));
    return add_raw(
        q, t, (struct raw){.op = RAW_BUILD, .type = t, .imm = at, .count = (uint16_t)q_lanes(t)});
}

/* The index of a lane, if it is fixed; false: it is not. */
static bool fixed_lane(struct quick *q, jit_type vector, jit_value index, uint64_t *lane)
{
    const struct raw *raw = &q->record->raws.data[q_number(from_jit(index))];

    *lane = raw->imm % q_lanes(vector);
    return raw->op == Q_CONST;
}

static jit_type lane_type(jit_type vector)
{
    return JIT_TYPE(q_base(vector), q_lane_bits(vector), 1);
}

static jit_value quick_extract(struct jit_build *j, jit_value vector, jit_value index)
{
    struct quick *q = quick_of(j);
    jit_type t = q_type(from_jit(vector));
    uint64_t lane = 0;

    if (q_lanes(t) <= 1)
        return vector;
    if (!fixed_lane(q, t, index, &lane))
        return add_raw(
            q, lane_type(t),
            (struct raw){
                .op = Q_EXTRACT_AT, .type = t, .a = from_jit(vector), .b = from_jit(index)});
    return add_raw(q, lane_type(t),
                   (struct raw){.op = Q_EXTRACT, .type = t, .a = from_jit(vector), .imm = lane});
}

static jit_value quick_insert(struct jit_build *j, jit_value vector, jit_value index,
                              jit_value scalar)
{
    struct quick *q = quick_of(j);
    jit_type t = q_type(from_jit(vector));
    uint64_t lane = 0;

    if (q_lanes(t) <= 1)
        return scalar;
    if (!fixed_lane(q, t, index, &lane))
        refuse_insn(q, "a lane's number is not fixed");
    return add_raw(
        q, t,
        (struct raw){
            .op = Q_INSERT, .type = t, .a = from_jit(vector), .b = from_jit(scalar), .imm = lane});
}

static jit_value quick_concat(struct jit_build *j, jit_value a, jit_value b)
{
    jit_type t = q_type(from_jit(a));
    jit_type wide = JIT_TYPE(q_base(t), q_lane_bits(t), 2 * q_lanes(t));

    return add_raw(quick_of(j), wide,
                   (struct raw){.op = Q_CONCAT, .type = wide, .a = from_jit(a), .b = from_jit(b)});
}

/* ---- registers ------------------------------------------------------------------------------- */

static jit_value quick_reg_read(struct jit_build *j, jit_type t, size_t offset)
{
    return add_raw(quick_of(j), t, (struct raw){.op = RAW_READ, .type = t, .imm = offset});
}

static void quick_reg_write(struct jit_build *j, size_t offset, jit_value value)
{
    add_raw(
        quick_of(j), 0,
        (struct raw){
            .op = RAW_WRITE, .type = q_type(from_jit(value)), .imm = offset, .a = from_jit(value)});
}

static jit_value quick_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                                 unsigned count, jit_value index)
{
    (void)offset;
    (void)stride;
    (void)count;
    (void)index;
    refuse_insn(quick_of(j), "a register's number is not fixed");
    return quick_const(j, t, 0);
}

static void quick_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                             jit_value index, jit_value value)
{
    (void)value;
    quick_bank_read(j, JIT_U64, offset, stride, count, index);
}

static jit_value quick_cpu_read(struct jit_build *j, jit_type t, size_t offset)
{
    return add_raw(quick_of(j), t, (struct raw){.op = Q_CPU_MEMBER, .type = t, .imm = offset});
}

/* ---- program counter ------------------------------------------------------------------------- */

static jit_value quick_read_pc(struct jit_build *j, jit_type t)
{
    struct quick *q = quick_of(j);
    int64_t at = q->r->sources[q->record->source].delta + q->record->insn->offset;

    return add_raw(q, t, (struct raw){.op = Q_PC, .type = t, .imm = (uint64_t)at});
}

static void quick_write_pc(struct jit_build *j, jit_value pc)
{
    struct quick *q = quick_of(j);

    if (!q->record->last)
        refuse_insn(q, "an instruction inside of a block writes the PC");
    q->record->blocks.data[q->record->block].pc = from_jit(pc);
}

static void quick_set_mode(struct jit_build *j, jit_value mode)
{
    if (!quick_of(j)->record->last)
        refuse_insn(quick_of(j), "an instruction inside of a block sets the mode");
    add_raw(quick_of(j), 0, (struct raw){.op = RAW_MODE, .a = from_jit(mode)});
}

/* ---- memory and calls ------------------------------------------------------------------------ */

static jit_value quick_mem_read(struct jit_build *j, unsigned bits, unsigned iface,
                                jit_value address)
{
    jit_type t = JIT_TYPE(JIT_UINT, bits, 1);

    return add_raw(quick_of(j), t,
                   (struct raw){.op = Q_LOAD,
                                .sub = (uint8_t)(bits / 8),
                                .type = t,
                                .imm = iface,
                                .a = from_jit(address)});
}

static void quick_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                            jit_value value)
{
    add_raw(quick_of(j), 0,
            (struct raw){.op = Q_STORE,
                         .sub = (uint8_t)(bits / 8),
                         .type = JIT_TYPE(JIT_UINT, bits, 1),
                         .imm = iface,
                         .a = from_jit(address),
                         .b = from_jit(value)});
}

static jit_value result_of(struct quick *q, jit_value call, jit_type t, unsigned number)
{
    return add_raw(q, t,
                   (struct raw){.op = Q_RESULT, .type = t, .a = from_jit(call), .imm = number});
}

static void quick_call(struct jit_build *j, const struct jit_callee *f, const jit_value *args,
                       jit_value *results)
{
    struct quick *q = quick_of(j);
    size_t at = q->record->lists.len;
    unsigned outs = 0;
    jit_value call;

    q->record->blocks.data[q->record->block].calls = true;
    for (unsigned n = 0; n < f->count; n++)
        vec_push(&q->record->lists, args[n] ? from_jit(args[n]) : 0);
    call =
        add_raw(q, JIT_U8, (struct raw){.op = RAW_CALL, .callee = f, .imm = at, .count = f->count});
    if (!results)
        return;
    results[0] = f->result ? result_of(q, call, f->result, 0) : NULL;
    for (unsigned n = 0; n < f->count; n++) {
        if (f->params[n] & JIT_REF) {
            outs++;
            results[outs] = result_of(q, call, f->params[n] & ~JIT_REF, outs);
        }
    }
}

/* ---- control flow ---------------------------------------------------------------------------- */

static jit_block quick_block_new(struct jit_build *j)
{
    struct quick_record *d = quick_of(j)->record;

    vec_push(&d->blocks, (struct raw_block){0});
    return block_to_jit((uint32_t)d->blocks.len - 1);
}

/* Ends the block being filled. */
static void end_block(struct quick *q, struct raw_block how)
{
    struct quick_record *d = q->record;
    struct raw_block *b = &d->blocks.data[d->block];

    b->end = (uint32_t)d->raws.len;
    b->how = how.how;
    b->condition = how.condition;
    b->to[0] = how.to[0];
    b->to[1] = how.to[1];
}

static void quick_at(struct jit_build *j, jit_block block)
{
    struct quick_record *d = quick_of(j)->record;
    uint32_t n = block_from_jit(block);

    if (d->blocks.data[n].filled)
        refuse_insn(quick_of(j), "a block is filled twice");
    d->block = n;
    d->blocks.data[n].filled = true;
    d->blocks.data[n].first = (uint32_t)d->raws.len;
}

static jit_value quick_phi(struct jit_build *j, jit_block block, jit_type t)
{
    struct quick_record *d = quick_of(j)->record;
    uint32_t here = d->block;
    jit_value phi;

    d->block = block_from_jit(block);
    phi = add_raw(quick_of(j), t, (struct raw){.op = RAW_PHI, .type = t});
    d->block = here;
    return phi;
}

static void quick_phi_in(struct jit_build *j, jit_value phi, jit_value value)
{
    struct quick_record *d = quick_of(j)->record;

    vec_push(&d->phi_ins, (struct raw_phi_in){q_number(from_jit(phi)), d->block, from_jit(value)});
}

static void quick_goto(struct jit_build *j, jit_block to)
{
    end_block(quick_of(j), (struct raw_block){.how = RAW_GOTO, .to = {block_from_jit(to)}});
}

static void quick_branch(struct jit_build *j, jit_value cond, jit_block yes, jit_block no)
{
    end_block(quick_of(j), (struct raw_block){.how = RAW_BRANCH,
                                              .condition = from_jit(cond),
                                              .to = {block_from_jit(yes), block_from_jit(no)}});
}

static void quick_switch(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                         const uint64_t *cases, const jit_block *targets)
{
    (void)v;
    (void)otherwise;
    (void)count;
    (void)cases;
    (void)targets;
    refuse_insn(quick_of(j), "a switch");
    end_block(quick_of(j), (struct raw_block){.how = RAW_NOWHERE});
}

static void quick_done(struct jit_build *j)
{
    end_block(quick_of(j), (struct raw_block){.how = RAW_DONE});
}

static void quick_unreachable(struct jit_build *j)
{
    end_block(quick_of(j), (struct raw_block){.how = RAW_NOWHERE});
}

static void quick_interpret(struct jit_build *j, const struct insn *i)
{
    (void)i;
    refuse_insn(quick_of(j), "no translator");
    quick_done(j);
}

/* ---- paths ----------------------------------------------------------------------------------- */

enum { NO_WAY = 1 << 24 };

/* The cost of a block's cheapest path to the end, by the costs of its successors. */
static uint32_t path_cost(const struct quick_record *d, const struct raw_block *b)
{
    uint32_t cost = b->end - b->first + (b->calls ? RAW_CALL_COST : 0), to = NO_WAY;

    if (b->how == RAW_DONE)
        return cost;
    for (unsigned k = 0; k < (b->how == RAW_BRANCH ? 2 : 1) && b->how <= RAW_BRANCH && b->how;
         k++) {
        uint32_t next = d->blocks.data[b->to[k]].cost;

        to = next < to ? next : to;
    }
    return to < NO_WAY ? cost + to : NO_WAY;
}

/* Computes costs until nothing changes, since blocks are in no order. The cheapest path has no
 * loop. */
static void find_costs(struct quick_record *d)
{
    bool changed = true;

    for (size_t n = 0; n < d->blocks.len; n++)
        d->blocks.data[n].cost = NO_WAY;
    while (changed) {
        changed = false;
        for (size_t n = d->blocks.len; n-- > 0;) {
            uint32_t cost = path_cost(d, &d->blocks.data[n]);

            changed |= cost != d->blocks.data[n].cost;
            d->blocks.data[n].cost = cost;
        }
    }
}

void record_begin(struct quick *q, const struct insn *insn, unsigned source, unsigned index,
                  bool last)
{
    struct quick_record *d = q->record;

    d->raws.len = d->blocks.len = d->phi_ins.len = d->lists.len = 0;
    vec_push(&d->raws, (struct raw){0});
    vec_push(&d->blocks, (struct raw_block){.first = 1, .filled = true});
    d->block = 0;
    d->refused = NULL;
    d->traps = 0;
    d->insn = insn;
    d->source = source;
    d->index = index;
    d->last = last;
}

void record_free(struct quick *q)
{
    vec_free(&q->record->raws);
    vec_free(&q->record->blocks);
    vec_free(&q->record->phi_ins);
    vec_free(&q->record->lists);
    free(q->record->values);
}

/* Joins the ends of an instruction in an empty block, so that its paths can be merged. */
static void join_ends(struct quick_record *d)
{
    uint32_t join = (uint32_t)d->blocks.len, first = (uint32_t)d->raws.len;
    unsigned ends = 0;

    for (uint32_t n = 0; n < join; n++)
        ends += d->blocks.data[n].how == RAW_DONE;
    if (ends < 2)
        return;
    for (uint32_t n = 0; n < join; n++) {
        struct raw_block *b = &d->blocks.data[n];

        if (b->how != RAW_DONE)
            continue;
        b->how = RAW_GOTO;
        b->to[0] = join;
    }
    vec_push(&d->blocks,
             (struct raw_block){.how = RAW_DONE, .filled = true, .first = first, .end = first});
}

bool record_is_rare(const struct quick_record *d, const struct raw_block *b, unsigned k)
{
    return b->how == RAW_BRANCH && d->blocks.data[b->to[k]].cost >= RAW_CALL_COST &&
           d->blocks.data[b->to[!k]].cost < RAW_CALL_COST;
}

static void count_edges(struct quick_record *d)
{
    bool changed = true;

    d->blocks.data[0].is_likely = true;
    while (changed) {
        changed = false;
        for (size_t n = 0; n < d->blocks.len; n++) {
            const struct raw_block *b = &d->blocks.data[n];

            for (unsigned k = 0; b->is_likely && b->how <= RAW_BRANCH && k < b->how; k++) {
                struct raw_block *to = &d->blocks.data[b->to[k]];

                changed |= !to->is_likely && !record_is_rare(d, b, k);
                to->is_likely |= !record_is_rare(d, b, k);
            }
        }
    }
    for (size_t n = 0; n < d->blocks.len; n++) {
        const struct raw_block *b = &d->blocks.data[n];

        for (unsigned k = 0; b->is_likely && b->how <= RAW_BRANCH && k < b->how; k++)
            d->blocks.data[b->to[k]].edges += !record_is_rare(d, b, k);
    }
}

void record_end(struct quick *q)
{
    join_ends(q->record);
    for (size_t n = 0; n < q->record->blocks.len; n++) {
        struct raw_block *b = &q->record->blocks.data[n];

        if (b->how == RAW_OPEN || !b->filled)
            b->how = RAW_NOWHERE;
    }
    find_costs(q->record);
    count_edges(q->record);
}

const struct jit_backend quick_backend = {
#define JIT_OPERATION(result, name, params, args) .op_##name = quick_##name,
#include "runtime/jit/ops.inc"
};
