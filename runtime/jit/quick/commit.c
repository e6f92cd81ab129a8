/*
 * Appending a recorded instruction to the trace: one path through its blocks; guards leave the
 * trace for the other paths.
 *
 * At a branch the cheaper path is taken to be the usual one, since paths that call C functions are
 * rare. A rare path is not translated: its guard deoptimises before the instruction, whose handler
 * then does all of it. That is right while the path has changed nothing before the guard.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/commit_internal.h"
#include "runtime/jit/quick/target.h"

enum { MAX_WAY = 64 /* blocks of one instruction */ };

static void append_block(struct commit *c, const struct raw_block *b)
{
    for (uint32_t n = b->first; n < b->end && !c->q->trace->refused; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_PHI)
            continue;
        if (!commit_has_value(c, raw->a) || !commit_has_value(c, raw->b) ||
            !commit_has_value(c, raw->c)) {
            q_refuse(c->q, "a value of another way");
            return;
        }
        c->value[n] = commit_raw(c, raw);
        if (raw->op == Q_LOAD)
            c->q->trace->changed = true;
    }
    if (b->pc && !c->q->trace->refused)
        c->pc = commit_value(c, b->pc);
}

/* ---- ends and branches ----------------------------------------------------------------------- */

/* Sets the phis of block `to` when it is entered from block `from`. */
static void enter_block(struct commit *c, uint32_t from, uint32_t to)
{
    for (size_t n = 0; n < c->d->phi_ins.len; n++) {
        const struct raw_phi_in *in = &c->d->phi_ins.data[n];

        if (in->from != from || c->d->raws.data[in->phi].block != to)
            continue;
        if (!commit_has_value(c, in->value)) {
            q_refuse(c->q, "a value of another way");
            return;
        }
        c->value[in->phi] = commit_value(c, in->value);
    }
}

/* The delta of an address, if it is known. */
static bool known_delta(const struct quick *q, q_value pc, int64_t *delta)
{
    const struct q_node *n = &q->nodes.data[q_number(pc)];

    *delta = (int64_t)(n->imm - (q->flat ? q->r->pc : 0));
    return n->op == (q->flat ? Q_CONST : Q_PC) && !n->sub;
}

/* The end of a path that has written `pc`, or, for 0, has not written the PC. */
static struct commit_end end_at(const struct commit *c, q_value pc)
{
    const struct source *s = &c->q->r->sources[c->d->source];
    struct commit_end end = {.delta = s->delta + s->bytes, .value = pc, .mode = c->mode};

    end.known = c->mode == Q_SAME_MODE && (!pc || known_delta(c->q, pc, &end.delta));
    return end;
}

/* Whether a block computes only the next address, from values that are available here. */
static bool only_leads(const struct commit *c, const struct raw_block *b)
{
    for (uint32_t n = b->first; n < b->end; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_PHI)
            continue;
        if (raw->op != Q_CONST && raw->op != Q_PC && raw->op != Q_BINARY && raw->op != RAW_MODE)
            return false;
        /* Operands from this block are defined before their uses. */
        if ((q_number(raw->a) < b->first && !commit_has_value(c, raw->a)) ||
            (q_number(raw->b) < b->first && !commit_has_value(c, raw->b)))
            return false;
    }
    return true;
}

/*
 * Whether the path from a block to the end has no branch and only computes the next address: *end.
 * `pc` is the value written to the PC before.
 */
static bool leads_to(struct commit *c, uint32_t block, q_value pc, struct commit_end *end)
{
    for (unsigned steps = 0; steps < MAX_WAY; steps++) {
        const struct raw_block *b = &c->d->blocks.data[block];

        if (!only_leads(c, b))
            return false;
        append_block(c, b);
        if (c->q->trace->refused)
            return false;
        if (b->pc)
            pc = commit_value(c, b->pc);
        if (b->how == RAW_DONE) {
            *end = end_at(c, pc);
            return true;
        }
        if (b->how != RAW_GOTO)
            return false;
        enter_block(c, block, b->to[0]);
        block = b->to[0];
    }
    return false;
}

struct q_side_exit q_side_exit_of_end(struct quick *q, const struct commit_end *end)
{
    bool same = end->mode == Q_SAME_MODE;
    q_value to = end->value ? end->value : q_address(q, end->delta);

    return (struct q_side_exit){.kind = same ? Q_TO_VALUE : Q_TO_MODE,
                                .address = q_extended(q, to, false),
                                .mode = same ? 0 : (uint8_t)end->mode};
}

static bool only_leads_to_end(struct commit *c, uint32_t block, struct commit_end *end)
{
    q_value pc = c->pc;
    int mode = c->mode;
    bool does = leads_to(c, block, pc, end);

    c->pc = pc; /* the other path does not have the writes of this path */
    c->mode = mode;
    return does;
}

/* Successor `plain` of the branch only computes the next address, as after a condition that fails.
 * Whether the trace follows the branch's other successor, *to, with *other as the exit to
 * `plain`. */
static bool choose_other(const struct commit *c, const struct raw_block *b, unsigned plain,
                         const struct commit_end *end, unsigned *to, struct q_side_exit *other)
{
    if (!end->known || c->d->blocks.data[b->to[!plain]].cost >= RAW_CALL_COST ||
        (c->next && *c->next == end->delta && !c->d->all_ways))
        return false;
    *to = !plain;
    *other = (struct q_side_exit){.kind = Q_TO_KNOWN, .delta = end->delta};
    return true;
}

/* Whether the guest is expected to go on at the delta: in the trace's next block, or behind the
 * last one as it usually does, so that a loop's trace ends with its way round. */
static bool is_expected(const struct commit *c, int64_t delta)
{
    const struct quick_trace *t = c->q->trace;

    return c->next ? delta == *c->next : t->has_usual && delta == t->usual_to;
}

/* Whether the trace continues for both addresses. */
static bool goes_both(const struct quick_trace *t, int64_t next, const int64_t *deltas)
{
    return t->may_skip && ((deltas[0] == next && deltas[1] == t->skip_to) ||
                           (deltas[1] == next && deltas[0] == t->skip_to));
}

/* Lets the next address be a select of both successors', if the trace continues for both. */
static bool choose_both(struct commit *c, const struct raw_block *b,
                        const struct commit_end ends[2])
{
    const int64_t deltas[2] = {ends[0].delta, ends[1].delta};
    q_value pc;

    if (!c->next || !ends[0].known || !ends[1].known || !goes_both(c->q->trace, *c->next, deltas))
        return false;
    pc = q_select(c->q, commit_value(c, b->condition), q_address(c->q, deltas[0]),
                  q_address(c->q, deltas[1]));
    c->has_chosen = q_node(c->q, q_number(pc))->op == Q_SELECT;
    if (c->has_chosen)
        c->pc = pc;
    return c->has_chosen;
}

/* For a branch that ends the guest block, chooses the successor *to that the trace follows, and the
 * exit *other for the successor that it does not follow; or both, by c->pc. If not both lead to
 * known addresses, the trace does not follow a change of mode. */
static bool choose_target(struct commit *c, const struct raw_block *b, unsigned *to,
                          struct q_side_exit *other)
{
    struct commit_end ends[2];
    bool either[2];

    for (unsigned k = 0; k < 2; k++) {
        either[k] = only_leads_to_end(c, b->to[k], &ends[k]);
        if (c->q->trace->refused)
            return false;
    }
    if (either[0] && either[1] && choose_both(c, b, ends))
        return true;
    if (!either[0] || !either[1])
        return either[0] != either[1] && choose_other(c, b, either[1], &ends[either[1]], to, other);
    if (ends[0].known && ends[1].known)
        *to = is_expected(c, ends[0].delta) ? 0 : 1;
    else
        *to = ends[0].mode != Q_SAME_MODE;
    if (ends[!*to].known)
        *other = (struct q_side_exit){.kind = Q_TO_KNOWN, .delta = ends[!*to].delta};
    else
        *other = q_side_exit_of_end(c->q, &ends[!*to]);
    return true;
}

static unsigned cheaper_successor(const struct commit *c, const struct raw_block *b)
{
    return c->d->blocks.data[b->to[1]].cost < c->d->blocks.data[b->to[0]].cost;
}

/* Whether a condition depends only on registers that the trace does not change, such as a rounding
 * mode or sticky flags. One guard for their present value then suffices for the whole trace:
 * *to. */
static bool steady_branch(const struct commit *c, const struct raw_block *b,
                          const struct q_condition *cond, unsigned *to)
{
    uint64_t x, y;
    bool holds;

    if (c->q->trace->changed || !quick_value_now(c->q, cond->a, &x) ||
        !quick_value_now(c->q, cond->b, &y))
        return false;
    if (cond->test) {
        x &= y;
        y = 0;
    }
    holds = quick_evaluate_binary(cond->sub, cond->type, x, y);
    *to = !holds;
    return c->d->blocks.data[b->to[*to]].cost < RAW_CALL_COST;
}

static bool is_merged(const struct commit *c, const struct merge *m)
{
    return c->d->all_ways || (m->weight <= CHEAP_MERGE && !m->leaves);
}

/* Whether merging is better than a guard that is passed once per trace, and may fail. A merge that
 * needs a guard itself is not. */
static bool is_tiny(const struct commit *c, const struct merge *m)
{
    return m->changes || (!m->leaves && m->weight <= (c->d->all_ways ? SMALL_MERGE : TINY_MERGE));
}

/* A branch that only lets further results leave the trace, *to: inexact ones, if the guest's flag
 * is not set now, or NaNs. It needs no guard: the handler is right for all that leave. */
static bool is_free(const struct commit *c, const struct raw_block *b, unsigned to)
{
    const struct raw_block *next = &c->d->blocks.data[b->to[to]];

    unsigned op = c->d->raws.data[next->first].op;

    return c->q->traps && next->how == RAW_GOTO && next->end == next->first + 1 &&
           (op == RAW_INEXACT || op == RAW_NANS);
}

/* ---- the path -------------------------------------------------------------------------------- */

/* Appends a guard or a merge for a branch, and returns the block to continue with. */
static uint32_t follow_branch(struct commit *c, uint32_t at, bool *entered)
{
    const struct raw_block *b = &c->d->blocks.data[at];
    struct quick *q = c->q;
    struct merge merge;
    struct q_side_exit other = {.kind = Q_TO_HANDLER};
    struct q_condition cond;
    unsigned to = 0; /* GCC at -O1 does not see that one of the three below sets it. */
    bool value, merges;

    if (b->to[0] == b->to[1])
        return b->to[0];
    if (commit_shows(c, commit_value(c, b->condition), &value) ||
        !q_condition_of(q, commit_value(c, b->condition), &cond, &value))
        return b->to[!value];
    if (!c->d->last || !choose_target(c, b, &to, &other)) {
        if (q->trace->refused)
            return b->to[0];
        merges = merge_plan(c, b, &merge) && is_merged(c, &merge);
        if (!merges && steady_branch(c, b, &cond, &to) && is_free(c, b, to))
            return b->to[to];
        if ((merges && is_tiny(c, &merge)) || !steady_branch(c, b, &cond, &to)) {
            if (merges) {
                *entered = true;
                merge_append(c, at, &merge);
                return merge.join;
            }
            to = cheaper_successor(c, b);
        }
    }
    if (!c->has_chosen)
        commit_expect(c, commit_value(c, b->condition), to == 0, other);
    return b->to[to];
}

static void append_path(struct commit *c)
{
    uint32_t at = 0;

    for (unsigned steps = 0; steps < MAX_WAY; steps++) {
        const struct raw_block *b = &c->d->blocks.data[at];
        bool entered = false;
        uint32_t to;

        append_block(c, b);
        if (c->q->trace->refused || b->how == RAW_DONE)
            return;
        if (b->how == RAW_NOWHERE || b->cost >= 1 << 24) {
            q_refuse(c->q, "no way to the end");
            return;
        }
        to = b->how == RAW_BRANCH ? follow_branch(c, at, &entered) : b->to[0];
        if (c->q->trace->refused || c->has_chosen)
            return;
        if (!entered)
            enter_block(c, at, to);
        at = to;
    }
    q_refuse(c->q, "too long a way");
}

/* ---- the instruction ------------------------------------------------------------------------- */

static void undo_instruction(struct commit *c)
{
    struct quick_trace *t = c->q->trace;

    for (size_t n = t->undo.len; n-- > 0;)
        t->now[t->undo.data[n].slot] = t->undo.data[n].old;
    t->facts.len = c->undo_facts;
    q_drop_nodes(c->q, c->undo_nodes);
    c->q->side_exits.len = c->undo_side_exits;
    c->q->calls.len = c->undo_calls;
}

/* Appends a guard that leaves unless the next address is the one where the trace continues. */
static void expect_value(struct commit *c, q_value pc)
{
    struct quick *q = c->q;
    uint32_t a = q_extended(q, pc, false);
    uint32_t b = q_number(q_address(q, *c->next));

    q_append(q, (struct q_node){.op = Q_GUARD,
                                .sub = JIT_EQ,
                                .type = JIT_U64,
                                .imm = commit_add_side_exit(
                                    q, (struct q_side_exit){.kind = Q_TO_VALUE, .address = a}),
                                .in = {a, b, a}});
}

/* Registers of the select's width that have it have the chosen value from here on. */
static void replace_choice(struct quick *q, uint32_t choice, uint32_t chosen)
{
    unsigned bytes = q_bits(q_node(q, choice)->type) / 8;

    for (uint32_t slot = 0; slot < q->map->slots.len; slot++)
        if (q->trace->now[slot] == choice && q->map->slots.data[slot].size == bytes)
            q_write_slot(q, slot, chosen);
}

/* Whether the next address is a select of two known ones, as in behaviours without a branch. The
 * trace then continues at one of them, and leaves for the other. */
static bool choose_address(struct commit *c, struct commit_end *end)
{
    const struct q_node n = *q_node(c->q, q_number(c->pc));
    const struct q_condition cond = {.sub = n.sub, .type = n.from, .a = n.in[2], .b = n.in[3]};
    int64_t deltas[2];
    unsigned to;
    bool holds;

    if (n.op != Q_SELECT)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (!known_delta(c->q, q_value_of(n.in[k], n.type), &deltas[k]))
            return false;
    if (commit_knows(c, &cond, &holds)) {
        to = !holds;
    } else if (c->next && goes_both(c->q->trace, *c->next, deltas)) {
        c->q->trace->choice = q_number(c->pc);
        *end = (struct commit_end){.known = true, .delta = *c->next, .mode = Q_SAME_MODE};
        return true;
    } else {
        to = is_expected(c, deltas[0]) ? 0 : 1;
        commit_guard(c, &cond, to == 0,
                     (struct q_side_exit){.kind = Q_TO_KNOWN, .delta = deltas[!to]});
    }
    replace_choice(c->q, q_number(c->pc), n.in[to]);
    *end = end_at(c, q_value_of(n.in[to], n.type));
    return true;
}

static void find_end(struct commit *c, struct commit_end *end)
{
    *end = end_at(c, c->pc);
    if (end->known || end->mode != Q_SAME_MODE || choose_address(c, end))
        return;
    end->known = c->next != NULL;
    if (c->next) {
        expect_value(c, c->pc);
        end->delta = *c->next;
    }
}

/* The table of values, which is kept between instructions. */
static q_value *room_for_values(struct quick_record *d)
{
    if (d->raws.len > d->value_capacity) {
        d->value_capacity = 2 * d->raws.len;
        d->values = xrealloc(d->values, d->value_capacity, sizeof(*d->values));
    }
    return d->values;
}

bool commit_insn(struct quick *q, const int64_t *next, struct commit_end *end)
{
    struct commit c = {.q = q,
                       .d = q->record,
                       .next = next,
                       .mode = Q_SAME_MODE,
                       .undo_nodes = (uint32_t)q->nodes.len,
                       .undo_side_exits = (uint32_t)q->side_exits.len,
                       .undo_calls = (uint32_t)q->calls.len,
                       .undo_facts = (uint32_t)q->trace->facts.len};
    struct quick_trace *t = q->trace;

    t->undo.len = 0;
    t->changed = false;
    t->refused = q->record->refused;
    c.value = room_for_values(q->record);
    memset(c.value, 0, q->record->raws.len * sizeof(*c.value));
    if (!t->refused)
        append_path(&c);
    if (!t->refused && q->record->last)
        find_end(&c, end);
    if (t->refused)
        undo_instruction(&c);
    return !t->refused;
}
