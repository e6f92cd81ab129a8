/* Selection of code for nodes: those that are the same on all hosts; the host's folder selects the
 * others. */
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

/* ---- handlers -------------------------------------------------------------------------------- */

/* Handler of the sentinel behind a copy of one instruction. */
static void end_alone(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
}

const struct insn *quick_copy_alone(struct q_code *code, const struct region *r, unsigned source,
                                    unsigned index)
{
    const struct source *s = &r->sources[source];
    size_t bytes = r->stride;
    uint8_t *copy = q_take(code, 2 * bytes);
    struct insn *i = (struct insn *)(void *)copy, *end = (struct insn *)(void *)(copy + bytes);

    memcpy(copy, source_insn(r, s, index), bytes);
    if (!index && !s->insns)
        i->fn = s->block->first;
    *end = (struct insn){
        .fn = end_alone, .offset = (i->offset + i->bytes) & 0xfff, .form = UINT16_MAX};
    return i;
}

static void select_handler(struct quick *q, const struct q_node *n)
{
    unsigned source = (unsigned)(n->imm >> 16), index = n->imm & 0xffff;

    q_call_handler(q, source, index, quick_copy_alone(q->code, q->r, source, index));
    q->r->interpreted++;
}

/* ---- heads and pages ------------------------------------------------------------------------- */

static void take_ticks(struct quick *q, const struct q_node *n)
{
    struct q_site *site;
    uint8_t *stop;

    q->ahead = (uint32_t)n->disp;
    site = q_new_site(q, Q_SITE_STOP, (unsigned)n->imm, 0);
    if (n->imm2) {
        site->chosen = true;
        site->address = q_where_is(q, (uint32_t)n->imm2);
    }
    stop = q_target.take(q, q->ahead);
    q_trap_later(q, stop, site, q->out.at);
}

static void select_head(struct quick *q, const struct q_node *n)
{
    const struct source *s = &q->r->sources[n->imm];

    if (n->disp)
        take_ticks(q, n);
    q->ahead -= s->ticks;
    if (!n->imm)
        q_emit_entry(q);
    if (s->ticks != s->count)
        q_target.add_to_member(q, offsetof(struct cpu, over), s->ticks - s->count);
    if (q->tier->jit->counts)
        q_target.count_run(q, s->block);
}

static void select_page(struct quick *q, const struct q_node *n)
{
    const struct q_side_exit *out = &q->side_exits.data[n->imm];
    uint32_t leave;

    if (q_target.check_stamp && !q->tier->image) { /* no fix can describe a pin */
        q_check_page(q);
        return;
    }
    leave = q_leave_prepare(q, out);
    q_target.check_page(q, out->delta, q->r->sources[n->imm2].block, leave);
}

/* Records that the guard holds from here on. */
static void note_passed(struct quick *q)
{
    memmove(q->passed_guards + 1, q->passed_guards,
            sizeof(q->passed_guards) - sizeof(q->passed_guards[0]));
    q->passed_guards[0] = q->at;
}

/* ---- all nodes ------------------------------------------------------------------------------- */

void q_select_node(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (n.flags & QF_COLD)
        return;
    switch (n.op) {
    case Q_NOP:
    case Q_CONST:
    case Q_PC:
        break;
    case Q_REG:
        if (!(n.flags & QF_ENTERED))
            q_is_in_slot(q, (uint32_t)n.imm, q->at);
        break;
    case Q_CPU_MEMBER:
        q_target.load(q, q_bits(n.type), q_def(q), (struct q_place){.offset = (int32_t)n.imm});
        break;
    case Q_LOAD:
        q_target.select_load(q);
        break;
    case Q_STORE:
        q_target.select_store(q);
        break;
    case Q_ADDEND:
        q_target.select_addend(q);
        break;
    case Q_WRITE:
        q_set_slot(q, (uint32_t)n.imm, n.in[0]);
        break;
    case Q_CALL:
        q_detour_end(q);
        q_select_call(q);
        break;
    case Q_RESULT:
        q_select_result(q);
        break;
    case Q_GUARD:
    case Q_GUARD_TEST:
        q_target.select_guard(q);
        note_passed(q);
        break;
    case Q_TRAP:
        if (q->may_trap.node != n.in[0]) /* the operation is further before, and has a trap */
            q->may_trap.count = 0;
        q->may_trap.node = q->at;
        q_leave_by_trap(q, &q->side_exits.data[n.imm], q_target.select_trap(q));
        break;
    case Q_PAGE:
        select_page(q, &n);
        break;
    case Q_HEAD:
        select_head(q, &n);
        break;
    case Q_REFUND:
        q_target.refund(q);
        break;
    case Q_EXIT:
        q_leave_now(q, &q->side_exits.data[n.imm]);
        break;
    case Q_HANDLER:
        select_handler(q, &n);
        break;
    default:
        q_target.select(q);
    }
}
