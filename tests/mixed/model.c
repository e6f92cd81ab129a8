/* The CPU of mixed/ as a plain model: fetch, decode and execute one instruction at a time. */

#include "tests/mixed/model.h"

#include <stddef.h>

#include "common/prelude/cpu.h"

enum {
    OP_ADD = 1,
    OP_SUB,
    OP_JUMP,
    OP_JNZ,
    OP_JX,
    OP_LOAD,
    OP_STORE,
    OP_CALL,
    OP_BACK,
    OP_MODE,
    OP_THEN,
    OP_SET_IT,
    OP_UNDEFINED
};

/* A decoded instruction. */
struct op {
    unsigned op, rd, rn, bytes;
    uint32_t value, raw; /* operand; the immediate's raw bits */
};

static uint32_t sign_extend(uint32_t v, unsigned bits)
{
    return (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits));
}

/* ---- memory ---------------------------------------------------------------------------------- */

const struct mapping *model_find(const struct mapping *map, uint32_t va)
{
    for (unsigned n = 0; n < MAPPINGS; n++) {
        if (map[n].frame >= 0 && map[n].va == (va & ~(uint32_t)(PAGE - 1)))
            return &map[n];
    }
    return NULL;
}

static uint8_t *memory_at(struct model *m, uint32_t va)
{
    return &m->memory[model_find(m->map, va)->frame * PAGE + (va & (PAGE - 1))];
}

static bool may_access(const struct model *m, uint32_t va, bool write)
{
    const struct mapping *p = model_find(m->map, va);

    return p && (!write || p->write);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static void enter_exception(struct model *m, uint32_t cause, uint32_t detail)
{
    m->met.exceptions_in_context += m->it != 0;
    m->cause = cause << 28 | (uint32_t)m->mode << 20 | (uint32_t)m->it << 12 | (detail & 0xfff);
    m->back = m->pc;
    m->it = 0;
    m->mode = MODE_WIDE;
    m->pc = m->r[15];
}

static void take_fault(struct model *m, uint32_t va, uint32_t access, uint32_t code)
{
    m->last = va;
    enter_exception(m, 3 + access, code);
}

/* Checks an access of 4 bytes. Returns false after a fault, at the first byte that has one. */
static bool access_ok(struct model *m, uint32_t va, bool write)
{
    for (unsigned n = 0; n < 4; n++) {
        if (may_access(m, va + n, write))
            continue;
        take_fault(m, n ? (va + n) & ~(uint32_t)(PAGE - 1) : va, write ? CPU_WRITE : CPU_READ,
                   MAP_FAULT);
        return false;
    }
    return true;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static struct op decode_wide(uint32_t w)
{
    struct op o = {w >> 24, w >> 20 & 15, w >> 16 & 15, 4, sign_extend(w & 0xffff, 16), w & 0xffff};
    static const uint32_t zero[] = {
        [OP_JUMP] = 0xff0000, [OP_JNZ] = 0xf00000,  [OP_JX] = 0xf0fffc,
        [OP_CALL] = 0xff0000, [OP_BACK] = 0xffffff, [OP_MODE] = 0x0fffff};

    if (!o.op || o.op > OP_MODE || (w & zero[o.op]))
        o.op = OP_UNDEFINED;
    return o;
}

static struct op decode_low(uint32_t w)
{
    struct op o = {w >> 2 & 0x3f, w >> 8 & 15, w >> 12 & 15, 4, sign_extend(w >> 16, 16), w >> 16};

    if ((w & 3) == 3) {
        struct op same = decode_wide(o.op << 24 | o.rd << 20 | o.rn << 16 | o.raw);

        o.op = same.op;
        return o;
    }
    o.bytes = 2;
    w &= 0xffff;
    if ((w & 3) == 1)
        return (struct op){OP_ADD, w >> 2 & 15, w >> 6 & 15, 2, sign_extend(w >> 10, 6), 0};
    if ((w & 15) == 2)
        return (struct op){OP_JNZ, 0, w >> 4 & 15, 2, sign_extend(w >> 8, 8) << 1, 0};
    o.op = OP_UNDEFINED;
    return o;
}

static struct op decode_dense_long(uint32_t w)
{
    struct op o = {w >> 24 & 15, w >> 20 & 15, w >> 16 & 15, 4, sign_extend(w & 0xffff, 16),
                   w & 0xffff};

    if (w >> 24 == 0xe9)
        return (struct op){OP_JUMP, 0, 0, 4, sign_extend(w & 0xffffff, 24) << 1, 0};
    if (w >> 28 != 15 || o.op == OP_JUMP || !o.op || o.op > OP_STORE || o.op == OP_JX ||
        (o.op == OP_JNZ && o.rd))
        o.op = OP_UNDEFINED;
    return o;
}

static struct op decode_dense(uint32_t w, uint8_t it)
{
    struct op o = {w >> 12, w >> 8 & 15, w >> 4 & 15, 2, w & 15, w & 15};

    switch (o.op) {
    case OP_ADD:
    case OP_SUB:
    case OP_LOAD:
    case OP_STORE:
        return o;
    case OP_JUMP:
        o.value = sign_extend(w & 0xfff, 12) << 1;
        return o;
    case OP_JNZ:
        o.rn = w >> 8 & 15;
        o.value = sign_extend(w & 0xff, 8) << 1;
        return o;
    case OP_JX:
        o.op = o.rd || o.raw > 3 ? OP_UNDEFINED : OP_JX;
        return o;
    case OP_CALL:
        o.value = w & 0xfff;
        return o;
    case OP_BACK:
        o.op = w & 0xfff ? OP_UNDEFINED : OP_BACK;
        return o;
    case OP_MODE:
    case OP_SET_IT:
        o.op = w & 0xff ? OP_UNDEFINED : o.op;
        return o;
    case OP_THEN:
        if ((w & 0x3f) || !(w & 0xc00) || !(w & 0x3c0) || it)
            o.op = OP_UNDEFINED;
        o.value = w >> 6 & 0x3f;
        return o;
    default:
        o.op = OP_UNDEFINED;
        return o;
    }
}

/* Fetches and decodes an instruction. Returns false after a fault. */
static bool fetch_op(struct model *m, struct op *o)
{
    uint32_t unit = m->mode == MODE_WIDE ? 4 : 2, w, second;
    bool more;

    if ((m->pc & (unit - 1)) || !may_access(m, m->pc, false)) {
        m->met.fetch_faults++;
        take_fault(m, m->pc, CPU_FETCH, m->pc & (unit - 1) ? CPU_FAULT_ALIGNMENT : MAP_FAULT);
        return false;
    }
    w = *memory_at(m, m->pc) | (uint32_t)*memory_at(m, m->pc + 1) << 8;
    if (m->mode == MODE_WIDE) {
        *o = decode_wide(w | (uint32_t)*memory_at(m, m->pc + 2) << 16 |
                         (uint32_t)*memory_at(m, m->pc + 3) << 24);
        return true;
    }
    more = m->mode == MODE_DENSE ? w >> 12 == 15 || w >> 11 == 0x1d : (w & 3) == 3;
    if (!more) {
        *o = m->mode == MODE_DENSE ? decode_dense(w, m->it) : decode_low(w);
        return true;
    }
    m->met.crossings += (m->pc & (PAGE - 1)) == PAGE - 2;
    if (!may_access(m, m->pc + 2, false)) {
        m->met.crossing_faults++;
        take_fault(m, m->pc + 2, CPU_FETCH, MAP_FAULT);
        return false;
    }
    second = *memory_at(m, m->pc + 2) | (uint32_t)*memory_at(m, m->pc + 3) << 8;
    *o = m->mode == MODE_DENSE ? decode_dense_long(w << 16 | second) : decode_low(w | second << 16);
    return true;
}

/* ---- execution ------------------------------------------------------------------------------- */

static void load_word(struct model *m, const struct op *o)
{
    uint32_t va = m->r[o->rn] + o->value, v = 0;

    if (!access_ok(m, va, false))
        return;
    for (unsigned n = 4; n--;)
        v = v << 8 | *memory_at(m, va + n);
    m->r[o->rd] = v;
    m->pc += o->bytes;
}

static void store_word(struct model *m, const struct op *o)
{
    uint32_t va = m->r[o->rn] + o->value, v = m->r[o->rd];

    if (!access_ok(m, va, true))
        return;
    for (unsigned n = 0; n < 4; n++)
        *memory_at(m, va + n) = (uint8_t)(v >> 8 * n);
    m->pc += o->bytes;
}

static void jump_mode(struct model *m, const struct op *o)
{
    uint32_t to = m->r[o->rn];

    if (o->raw >= MODES) { /* not a mode: nothing changes */
        m->pc = to & ~UINT32_C(1);
        return;
    }
    m->met.modes += o->raw != m->mode;
    m->mode = (uint8_t)o->raw;
    m->pc = m->mode == MODE_WIDE ? to & ~UINT32_C(3) : to & ~UINT32_C(1);
}

static void return_from_exception(struct model *m)
{
    m->mode = m->cause >> 20 & 3;
    m->it = m->mode == MODE_DENSE ? (uint8_t)(m->cause >> 12) : 0;
    m->pc = m->back + m->r[14];
}

static void go_on_in_context(struct model *m, uint8_t context)
{
    m->it = context & 7 ? (context & 0xf0) | (context << 1 & 15) : 0;
}

static void execute_op(struct model *m, const struct op *o, uint8_t context)
{
    switch (o->op) {
    case OP_ADD:
        m->r[o->rd] = m->r[o->rn] + o->value;
        break;
    case OP_SUB:
        m->r[o->rd] = m->r[o->rn] - o->value;
        if (!context)
            m->z = m->r[o->rd] == 0;
        break;
    case OP_JUMP:
        m->pc += o->value;
        return;
    case OP_JNZ:
        m->pc += m->r[o->rn] ? o->value : o->bytes;
        return;
    case OP_MODE:
        m->r[o->rd] = m->mode;
        break;
    case OP_SET_IT:
        m->it = (uint8_t)m->r[o->rd];
        break;
    case OP_THEN:
        m->it = (uint8_t)o->value;
        break;
    }
    m->pc += o->bytes;
}

static bool passes_condition(const struct model *m, uint8_t context)
{
    unsigned cond = context ? context >> 4 : 3;

    return cond == 1 ? m->z != 0 : cond == 2 ? m->z == 0 : true;
}

void model_step(struct model *m)
{
    uint8_t context = m->mode == MODE_DENSE ? m->it : 0;
    struct op o;

    m->met.contexts += context != 0;
    if (!fetch_op(m, &o))
        return;
    if (o.op == OP_UNDEFINED) {
        enter_exception(m, 2, 0);
    } else if (!passes_condition(m, context)) {
        go_on_in_context(m, context);
        m->pc += o.bytes;
    } else if (o.op == OP_CALL) {
        enter_exception(m, 1, o.value);
    } else if (o.op == OP_LOAD || o.op == OP_STORE) {
        uint32_t pc = m->pc;

        (o.op == OP_LOAD ? load_word : store_word)(m, &o);
        if (m->pc == pc + o.bytes && m->mode != MODE_WIDE)
            go_on_in_context(m, context);
    } else {
        if (m->mode == MODE_DENSE)
            go_on_in_context(m, context);
        if (o.op == OP_JX)
            jump_mode(m, &o);
        else if (o.op == OP_BACK)
            return_from_exception(m);
        else
            execute_op(m, &o, context);
    }
}
