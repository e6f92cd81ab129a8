/*
 * A second host for the quick tier: a machine that exists in this file only. Its instructions are
 * records, one per operation, which enter_code() interprets; its registers are in the frame. Unlike
 * x86-64 it has other registers with other numbers, no condition flags and no memory operands; it
 * only moves vectors and leaves computing with them to handlers. It shows that a host is only a
 * table: linked before the library, it replaces the host of the library.
 */
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

enum { LEFT = 1, SCRATCH, FLAG, ZERO, FIRST, GENERAL = 9, FIRST_VECTOR = Q_V + 3, VECTORS = 5 };
enum { ARGUMENTS = 6, ARGUMENT = 16 /* register of the first argument */ };

enum code {
    MOVE,
    LOAD,
    STORE,
    CONSTANT,
    ADDRESS,
    PC,
    EVALUATE, /* calls quick_evaluate() */
    CHOOSE,
    LOW,
    JUMP,
    JUMP_UNLESS, /* b: register that is compared with 0 */
    TAKE,
    DIFFERS,
    GIVE,
    COUNT,
    CALL,
    CHECK_PAGE,
    STORE_MAP,
    THUNK,
    ADD_TO_MEMBER,
    SET_ADDRESS,
    JUMP_TO_VALUE,
    GUEST_LOAD,
    GUEST_STORE,
    /* thunks */
    LEAVE,
    UNLINKED,
    LOOKUP,
    HANDLER,
    TRAP,
    LINK,
};

struct record {
    uint8_t code, op, sub, bits;
    uint8_t dst, a, b;
    jit_type type;
    struct q_place place;
    uint64_t imm[2];
    const void *object;
    const struct record *to; /* target of a jump, which patch_jump() sets */
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends a record. Returns NULL if the buffer is full. */
static uint8_t *append_record(struct q_buffer *x, struct record r)
{
    uint8_t *at = x->at;

    if (x->full || (size_t)(x->end - at) < sizeof(r)) {
        x->full = true;
        return NULL;
    }
    memcpy(at + x->write, &r, sizeof(r));
    x->at += sizeof(r);
    return at;
}

static void patch_jump(uint8_t *jump, const void *to, ptrdiff_t write)
{
    if (jump)
        memcpy(jump + write + offsetof(struct record, to), &to, sizeof(to));
}

static void move_register(struct quick *q, unsigned dst, unsigned src)
{
    append_record(&q->out, (struct record){.code = MOVE, .dst = (uint8_t)dst, .a = (uint8_t)src});
}

static void load_place(struct quick *q, unsigned bits, unsigned dst, struct q_place from)
{
    append_record(
        &q->out,
        (struct record){.code = LOAD, .bits = (uint8_t)bits, .dst = (uint8_t)dst, .place = from});
}

static void store_place(struct quick *q, unsigned bits, struct q_place to, unsigned src)
{
    append_record(
        &q->out,
        (struct record){.code = STORE, .bits = (uint8_t)bits, .a = (uint8_t)src, .place = to});
}

static void emit_constant(struct quick *q, unsigned dst, uint64_t low, uint64_t high)
{
    append_record(&q->out,
                  (struct record){.code = CONSTANT, .dst = (uint8_t)dst, .imm = {low, high}});
}

static void store_constant(struct quick *q, unsigned bits, struct q_place to, uint64_t value)
{
    emit_constant(q, SCRATCH, value, 0);
    store_place(q, bits, to, SCRATCH);
}

static void load_constant(struct quick *q, unsigned dst, const struct q_node *n)
{
    unsigned width = q_lane_bits(n->type);
    uint64_t low = n->imm, high = n->sub ? n->imm2 : 0;

    if (dst >= Q_V && !n->sub && width < 64)
        low &= (UINT64_C(1) << width) - 1;
    for (; dst >= Q_V && !n->sub && width < 64; width *= 2)
        low |= low << width;
    if (!n->sub && q_lanes(n->type) > 1)
        high = low;
    if (!n->sub && n->type == JIT_S128 && low >> 63)
        high = UINT64_MAX;
    emit_constant(q, dst, low, high);
}

static void load_pc(struct quick *q, unsigned dst, int64_t delta)
{
    append_record(&q->out,
                  (struct record){.code = PC, .dst = (uint8_t)dst, .imm = {(uint64_t)delta}});
}

static void load_address(struct quick *q, unsigned dst, size_t frame_offset)
{
    append_record(&q->out,
                  (struct record){.code = ADDRESS, .dst = (uint8_t)dst, .imm = {frame_offset}});
}

/* ---- selection ------------------------------------------------------------------------------- */

static bool can_select(const struct quick *q, const struct q_node *n)
{
    (void)q;
    (void)n;
    return false;
}

/* Returns the register of an operand, of either kind, numbered as in q_node.host. */
static uint8_t use_node(struct quick *q, uint32_t node)
{
    if (!node)
        return 0;
    if (q_in_vector(q_node(q, node)->result))
        return (uint8_t)(Q_V + q_use_x(q, node));
    return (uint8_t)q_use(q, node);
}

static uint8_t define_result(struct quick *q)
{
    if (q_in_vector(q_node(q, q->at)->result))
        return (uint8_t)(Q_V + q_def_x(q));
    return (uint8_t)q_def(q);
}

/* Computes a condition for the next record, in FLAG. */
static void emit_compare(struct quick *q, unsigned sub, jit_type t, uint8_t a, uint8_t b)
{
    append_record(&q->out, (struct record){.code = EVALUATE,
                                           .op = Q_BINARY,
                                           .sub = (uint8_t)sub,
                                           .type = t,
                                           .dst = FLAG,
                                           .a = a,
                                           .b = b});
}

static void select_value(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    struct record r = {.code = EVALUATE, .op = n.op, .sub = n.sub, .type = n.type, .imm = {n.imm}};
    uint8_t c = use_node(q, n.in[2]), d = use_node(q, n.in[3]);

    r.a = use_node(q, n.in[0]);
    r.b = use_node(q, n.in[1]);
    if (n.op == Q_SELECT) {
        emit_compare(q, n.sub, n.from, c, d);
        r.code = CHOOSE;
    } else if (n.op == Q_BITCAST || n.op == Q_LOW) {
        r.code = LOW;
        r.imm[0] = n.op == Q_LOW ? n.imm : q_bits(n.type);
    } else if (q_in_vector(n.type)) {
        q->failure = "this host has no such instruction";
    }
    r.dst = define_result(q);
    append_record(&q->out, r);
}

static void select_guard(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    uint8_t a = use_node(q, n.in[0]), b = use_node(q, n.in[1]);
    uint32_t leave;

    if (n.op == Q_GUARD_TEST) {
        emit_compare(q, JIT_AND, n.type, a, b);
        emit_compare(q, n.sub, n.type, FLAG, ZERO);
    } else {
        emit_compare(q, n.sub, n.type, a, b);
    }
    leave = q_leave_prepare(q, &q->side_exits.data[n.imm]);
    q_leave_jump(q, append_record(&q->out, (struct record){.code = JUMP_UNLESS, .b = FLAG}), leave);
}

/* ---- guest memory: all of it by C ------------------------------------------------------------ */

static void select_access(struct quick *q, unsigned kind)
{
    const struct q_node n = *q_node(q, q->at);
    struct record r = {.code = kind == Q_SITE_READ ? GUEST_LOAD : GUEST_STORE};
    struct q_site *s;
    uint8_t *skips = NULL, *insn;

    if (q->flat)
        q->failure = "this host has no flat memory";
    use_node(q, n.in[0]);
    use_node(q, n.in[1]);
    if (n.when)
        emit_compare(q, n.when, n.from, use_node(q, n.in[2]), use_node(q, n.in[3]));
    s = q_access_site(q, kind);
    if (kind == Q_SITE_READ)
        s->value = (struct q_where){.kind = Q_IN_HOST, .host = define_result(q)};
    else
        s->value = q_where_is(q, n.in[1]);
    if (n.when)
        skips = append_record(&q->out, (struct record){.code = JUMP_UNLESS, .b = FLAG});
    insn = append_record(&q->out, r);
    patch_jump(skips, q->out.at, q->out.write);
    q_access_end(q, insn, insn, s);
}

static void select_load(struct quick *q)
{
    select_access(q, Q_SITE_READ);
}

static void select_store(struct quick *q)
{
    select_access(q, Q_SITE_WRITE);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint8_t *emit_take(struct quick *q, unsigned count)
{
    return append_record(&q->out, (struct record){.code = TAKE, .imm = {count}});
}

static void give_back(struct quick *q, unsigned count)
{
    append_record(&q->out, (struct record){.code = GIVE, .imm = {count}});
}

static void keep_low(struct quick *q, unsigned host, unsigned bits)
{
    append_record(
        &q->out,
        (struct record){.code = LOW, .dst = (uint8_t)host, .a = (uint8_t)host, .imm = {bits}});
}

static void count_run(struct quick *q, const struct block *b)
{
    append_record(&q->out, (struct record){.code = COUNT, .object = b});
}

static void emit_call(struct quick *q, const void *fn)
{
    const struct jit_callee *callee = q->calls.data[q_node(q, q->at)->imm].callee;

    if (q_in_vector(callee->result))
        q->failure = "a call with a vector";
    append_record(&q->out, (struct record){.code = CALL, .object = fn});
}

static void check_page(struct quick *q, int64_t delta, const struct block *to, uint32_t leave)
{
    struct record r = {.code = CHECK_PAGE, .imm = {(uint64_t)delta}, .object = to};

    q_leave_jump(q, append_record(&q->out, r), leave);
}

/* Copies the map, which the exit that it belongs to does not keep. */
static void store_map(struct quick *q, const struct q_map_entry *map, size_t count)
{
    struct q_map_entry *copy = q_take(q->code, (count + 1) * sizeof(*copy));

    if (count)
        memcpy(copy, map, count * sizeof(*copy));
    append_record(&q->out, (struct record){
                               .code = STORE_MAP, .imm = {count, (uintptr_t)q->r}, .object = copy});
}

static void call_thunk(struct quick *q, const void *thunk, const struct q_site *s)
{
    append_record(&q->out, (struct record){.code = THUNK, .object = s, .to = thunk});
}

static void add_to_member(struct quick *q, size_t offset, int64_t delta)
{
    append_record(&q->out,
                  (struct record){.code = ADD_TO_MEMBER, .imm = {offset, (uint64_t)delta}});
}

static uint8_t *emit_jump(struct quick *q)
{
    return append_record(&q->out, (struct record){.code = JUMP});
}

static uint8_t *append_address(struct quick *q, struct q_where address, struct record r)
{
    struct q_where *copy = q_take(q->code, sizeof(*copy));

    *copy = address;
    r.imm[0] = (uintptr_t)q->r;
    r.object = copy;
    return append_record(&q->out, r);
}

static uint8_t *differs(struct quick *q, struct q_where address, int64_t delta)
{
    return append_address(q, address, (struct record){.code = DIFFERS, .imm[1] = (uint64_t)delta});
}

static void set_address(struct quick *q, struct q_where address)
{
    append_address(q, address, (struct record){.code = SET_ADDRESS});
}

static void jump_to_value(struct quick *q, struct q_where address)
{
    append_address(q, address,
                   (struct record){.code = JUMP_TO_VALUE, .to = q->tier->thunks.unlinked});
}

/* ---- the machine ----------------------------------------------------------------------------- */

struct machine {
    struct cpu *cpu;
    const struct record *at;
    struct q_frame f;
};

static void *place_of(struct machine *m, struct q_place p)
{
    return (uint8_t *)(p.in_frame ? (void *)&m->f : (void *)m->cpu) + p.offset;
}

static struct q_vec get_register(const struct machine *m, unsigned r)
{
    return r >= Q_V ? m->f.vector[r - Q_V] : (struct q_vec){{m->f.general[r], 0}};
}

static void set_register(struct machine *m, unsigned r, struct q_vec v)
{
    if (r >= Q_V)
        m->f.vector[r - Q_V] = v;
    else
        m->f.general[r] = v.w[0];
}

static void load_bytes(struct machine *m, const struct record *r)
{
    struct q_vec v = {{0}};

    memcpy(&v, place_of(m, r->place), r->bits / 8);
    set_register(m, r->dst, v);
}

static struct q_vec low_part(struct q_vec v, unsigned bits)
{
    if (bits <= 64)
        v.w[1] = 0;
    if (bits < 64)
        v.w[0] &= (UINT64_C(1) << bits) - 1;
    return v;
}

static void store_slots(struct machine *m, const struct record *r)
{
    const struct region *region = (const struct region *)(uintptr_t)r->imm[1];
    const struct q_map_entry *map = r->object;
    struct q_vec values[REGION_MAX_SLOTS];

    for (size_t n = 0; n < r->imm[0]; n++)
        values[n] = quick_value(region, m->cpu, &m->f, map[n].at);
    for (size_t n = 0; n < r->imm[0]; n++) {
        const struct slot *slot = &region->map->slots.data[map[n].slot];

        memcpy(m->cpu->state + slot->offset, &values[n], slot->size);
    }
}

static const struct jump_entry *jump_of(const struct cpu *cpu, uint64_t pc)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];

    return e->pc == pc && e->key == cpu->key ? e : NULL;
}

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static void call_c(struct machine *m, const struct record *r)
{
    const uint64_t *a = &m->f.general[ARGUMENT], *out = m->f.out;

    m->f.general[ARGUMENT] = ((function *)(uintptr_t)r->object)(
        a[0], a[1], a[2], a[3], a[4], a[5], out[0], out[1], out[2], out[3], out[4], out[5]);
}

static void go_by_cache(struct machine *m, const struct record *otherwise)
{
    const struct jump_entry *e = jump_of(m->cpu, m->cpu->region_pc);

    m->at = e ? e->host : otherwise;
}

/* Runs records that compute and move values. */
static void run_value(struct machine *m, const struct record *r)
{
    struct q_vec a = get_register(m, r->a), b = get_register(m, r->b);
    uint64_t value;

    switch (r->code) {
    case MOVE:
        set_register(m, r->dst, a);
        break;
    case LOAD:
        load_bytes(m, r);
        break;
    case STORE:
        memcpy(place_of(m, r->place), &a, r->bits / 8);
        break;
    case CONSTANT:
        set_register(m, r->dst, (struct q_vec){{r->imm[0], r->imm[1]}});
        break;
    case ADDRESS:
        m->f.general[r->dst] = (uintptr_t)&m->f + r->imm[0];
        break;
    case PC:
        m->f.general[r->dst] = m->cpu->region_pc + r->imm[0];
        break;
    case CHOOSE:
        set_register(m, r->dst,
                     low_part(m->f.general[FLAG] ? a : b, q_bits(r->type) > 32 ? 64 : 32));
        break;
    case LOW:
        set_register(m, r->dst, low_part(a, (unsigned)r->imm[0]));
        break;
    default: /* EVALUATE */
        if (r->op == Q_BINARY && (r->sub == JIT_SHL || r->sub == JIT_SHR))
            b.w[0] &= q_bits(r->type) - 1;
        value = quick_evaluate((struct q_operation){r->op, r->sub, r->type, r->imm[0]}, a.w[0],
                               b.w[0], 0);
        m->f.general[r->dst] = value;
    }
}

/* The address that a record has the location of. */
static uint64_t address_of(const struct machine *m, const struct record *r)
{
    const struct region *region = (const struct region *)(uintptr_t)r->imm[0];

    return quick_value(region, m->cpu, &m->f, *(const struct q_where *)r->object).w[0];
}

static uint64_t first_address(const struct machine *m, const struct record *r)
{
    const struct region *region = (const struct region *)(uintptr_t)r->imm[0];

    return region->flat ? region->pc : m->cpu->region_pc;
}

/* Runs records that may jump. */
static void run_jump(struct machine *m, const struct record *r)
{
    const struct jump_entry *e;
    bool taken = true;

    switch (r->code) {
    case JUMP_UNLESS:
        taken = !m->f.general[r->b];
        break;
    case TAKE:
        m->f.general[LEFT] -= r->imm[0];
        taken = (int64_t)m->f.general[LEFT] < 0;
        break;
    case DIFFERS:
        taken = address_of(m, r) != first_address(m, r) + r->imm[1];
        break;
    case CHECK_PAGE:
        e = jump_of(m->cpu, m->cpu->region_pc + r->imm[0]);
        taken = !e || e->block != r->object;
        break;
    default: /* JUMP, GUEST_LOAD, GUEST_STORE */
        break;
    }
    if (taken)
        m->at = r->to;
}

/* Runs the thunk that a record calls; m->at is already at the next record. */
static void run_thunk(struct machine *m, const struct record *r)
{
    struct q_site *s = (struct q_site *)(uintptr_t)r->object;
    const void *to;

    if (r->to->code == HANDLER) {
        m->f.general[LEFT] = quick_handle(m->cpu, s, m->f.general[LEFT]);
        return;
    }
    if (r->to->code == LINK)
        to = quick_follow(m->cpu, s, m->f.general[LEFT]);
    else
        to = quick_trap(m->cpu, s, &m->f);
    if (to)
        m->at = to;
}

static void run_rest(struct machine *m, const struct record *r)
{
    switch (r->code) {
    case GIVE:
        m->f.general[LEFT] += r->imm[0];
        break;
    case COUNT:
        ++*block_runs((struct block *)(uintptr_t)r->object, m->cpu->slot);
        break;
    case CALL:
        call_c(m, r);
        break;
    case STORE_MAP:
        store_slots(m, r);
        break;
    case THUNK:
        run_thunk(m, r);
        break;
    case ADD_TO_MEMBER:
        *(uint64_t *)(void *)((uint8_t *)m->cpu + r->imm[0]) += r->imm[1];
        break;
    case SET_ADDRESS:
    case JUMP_TO_VALUE:
        m->cpu->region_pc = address_of(m, r);
        if (r->code == JUMP_TO_VALUE)
            go_by_cache(m, r->to);
        break;
    default: /* LOOKUP */
        go_by_cache(m, r->to);
    }
}

static void enter_code(struct cpu *cpu, const void *host)
{
    struct machine m = {.cpu = cpu, .at = host};

    m.f.general[LEFT] = cpu->left_base - cpu->ticks;
    while (m.at->code != LEAVE && m.at->code != UNLINKED) {
        const struct record *r = m.at++;

        if (r->code <= LOW)
            run_value(&m, r);
        else if (r->code <= DIFFERS || r->code == CHECK_PAGE || r->code == GUEST_LOAD ||
                 r->code == GUEST_STORE)
            run_jump(&m, r);
        else
            run_rest(&m, r);
    }
    if (m.at->code == UNLINKED)
        cpu->pc = cpu->region_pc;
    cpu->ticks = cpu->left_base - m.f.general[LEFT];
}

static void make_thunks(struct q_thunks *t, struct q_buffer *out)
{
    t->enter = enter_code;
    t->leave = append_record(out, (struct record){.code = LEAVE});
    t->unlinked = t->search = append_record(out, (struct record){.code = UNLINKED});
    t->lookup = append_record(out, (struct record){.code = LOOKUP, .to = t->unlinked});
    t->handler = append_record(out, (struct record){.code = HANDLER});
    t->trap = t->trap_general = append_record(out, (struct record){.code = TRAP});
    t->link = append_record(out, (struct record){.code = LINK});
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A function of the x86-64 host's table, which is not linked here and therefore NULL. */
extern void x64_make_thunks(struct q_thunks *t, struct q_buffer *out) __attribute__((weak));

static bool is_near(uintptr_t flat_base)
{
    (void)flat_base;
    return false;
}

static bool is_supported(struct error *err)
{
    return !x64_make_thunks || error_set(err, "two hosts are linked");
}

/* Instructions of this host never fault. */
static uintptr_t signal_pc(const ucontext_t *context)
{
    (void)context;
    return 0;
}

static void set_signal_pc(ucontext_t *context, uintptr_t pc)
{
    (void)context;
    (void)pc;
}

#define HOSTS(first, count) (((((q_hosts)1 << (count)) - 1) << (first)))

const struct q_target q_target = {
    .name = "records",
    .reach = (size_t)64 << 20,
    .is_supported = is_supported,
    .is_near = is_near,
    .allocatable = HOSTS(FIRST, GENERAL) | HOSTS(FIRST_VECTOR, VECTORS),
    .preserved = HOSTS(FIRST, 4),
    .left = LEFT,
    .scratch = SCRATCH,
    .vector_scratch = Q_V,
    .arguments = {ARGUMENT, ARGUMENT + 1, ARGUMENT + 2, ARGUMENT + 3, ARGUMENT + 4, ARGUMENT + 5},
    .argument_count = ARGUMENTS,
    .vector_arguments = 0,
    .result = ARGUMENT,
    .vector_result = Q_V,
    .move = move_register,
    .load = load_place,
    .store = store_place,
    .store_constant = store_constant,
    .load_constant = load_constant,
    .load_pc = load_pc,
    .load_address = load_address,
    .can_select = can_select,
    .select = select_value,
    .select_load = select_load,
    .select_store = select_store,
    .select_guard = select_guard,
    .take = emit_take,
    .give_back = give_back,
    .near_guards = true,
    .differs = differs,
    .keep_low = keep_low,
    .count_run = count_run,
    .call = emit_call,
    .check_page = check_page,
    .store_map = store_map,
    .call_thunk = call_thunk,
    .add_to_member = add_to_member,
    .jump = emit_jump,
    .set_address = set_address,
    .jump_to_value = jump_to_value,
    .patch = patch_jump,
    .make_thunks = make_thunks,
    .signal_pc = signal_pc,
    .set_signal_pc = set_signal_pc,
};
