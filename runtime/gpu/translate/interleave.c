/*
 * Operations in long blocks without branches are put in an order that the host runs well. Compilers
 * of shaders order for the shader's processor: in code of an unrolled loop each chain of operations
 * may come after another, and one that is longer than what the host's processor looks ahead leaves
 * it with one operation at a time. LLVM's own scheduler keeps to what it finds.
 *
 * The new order is that of a processor that begins one operation per cycle: the first whose
 * operands are there, among those that have room in the registers. Memory is not touched: what
 * loads, stores or calls stays where it is, and parts of a block between such are ordered apart. A
 * part keeps its order if the new one is not much better.
 *
 * Bounds      LONGEST operations of a part; LOOKS of which operands are there
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/translate/internal.h"

enum {
    SHORTEST = 128, /* a processor looks ahead over most of less */
    LONGEST = 16384,
    LOOKS = 64,    /* at operations per choice */
    WINDOW = 224,  /* operations of host registers that a processor looks ahead */
    TOGETHER = 64, /* operations that LLVM may order again */
    MOST_OPERANDS = 4,
    NONE = -1,
    /* cycles until the result is there */
    OF_WORDS = 1,
    OF_FLOATS = 4,
    OF_PRODUCTS = 10,
    OF_QUOTIENTS = 13
};

/* Operands are indices of values. First come the operations of the part, in their order. */
struct value {
    LLVMValueRef v;
    unsigned index;
    bool is_vector;
    bool seen; /* it has been made, or an operation has used it */
};

struct operation {
    int operand[MOST_OPERANDS]; /* NONE: none */
    unsigned first_user;        /* its users are from there to the next one's, in `users` */
    unsigned awaited;           /* operands in the part that have no place yet */
    unsigned latency;
    uint64_t ready; /* the cycle at which all operands are there */
};

struct part {
    struct jit_build *j;
    unsigned per_vector;             /* host registers that a vector of the row takes */
    unsigned registers;              /* vectors that fit into registers */
    unsigned fma, fabs, sqrt, label; /* numbers of intrinsics */
    unsigned count, values;          /* operations; with values from elsewhere */
    struct operation *op;
    struct value *value, *by_address;
    unsigned *uses;      /* of a value in the part */
    unsigned *uses_left; /* those of operations that have no place yet */
    unsigned *users;
    unsigned *order, ordered;
    unsigned *able, ables; /* operations whose operands have places, first ones first */
    unsigned live;
};

/* ---- what an operation is -------------------------------------------------------------------- */

static unsigned latency_of_call(const struct part *p, LLVMValueRef v)
{
    const struct llvm *l = p->j->l;
    LLVMValueRef fn = l->GetCalledValue(v);
    unsigned id = l->IsAFunction(fn) ? l->GetIntrinsicID(fn) : 0;

    return !id             ? 0
           : id == p->fma  ? OF_FLOATS
           : id == p->fabs ? OF_WORDS
           : id == p->sqrt ? OF_QUOTIENTS
                           : 0;
}

/* The latency of an operation that may have another place; 0: it stays. */
static unsigned latency_of(const struct part *p, LLVMValueRef v)
{
    switch (p->j->l->GetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFNeg:
    case LLVMBitCast:
    case LLVMInsertElement:
    case LLVMExtractElement:
    case LLVMShuffleVector:
        return OF_WORDS;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFCmp:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return OF_FLOATS;
    case LLVMMul:
        return OF_PRODUCTS;
    case LLVMFDiv:
        return OF_QUOTIENTS;
    case LLVMCall:
        return latency_of_call(p, v);
    default:
        return 0;
    }
}

/* ---- reading a part -------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct value *)a)->v,
              y = (uintptr_t)((const struct value *)b)->v;

    return x < y ? -1 : x > y;
}

static struct value *find(struct value *sorted, unsigned count, LLVMValueRef v)
{
    struct value key = {.v = v};

    return bsearch(&key, sorted, count, sizeof(key), by_address);
}

static void add_value(struct part *p, LLVMValueRef v)
{
    LLVMTypeKind kind = p->j->l->GetTypeKind(p->j->l->TypeOf(v));

    p->value[p->values] = (struct value){v, p->values, kind == LLVMVectorTypeKind, false};
    p->values++;
}

/* Adds the values from elsewhere that operations take. Constants are none: they are in memory. */
static void add_outer_values(struct part *p)
{
    const struct llvm *l = p->j->l;
    unsigned outer = 0, kept = 0;
    struct value *all = xcalloc((size_t)p->count * MOST_OPERANDS, sizeof(*all));

    for (unsigned n = 0; n < p->count; n++)
        for (unsigned i = 0; i < (unsigned)l->GetNumOperands(p->value[n].v) && i < MOST_OPERANDS;
             i++) {
            LLVMValueRef v = l->GetOperand(p->value[n].v, i);

            if (!l->IsConstant(v) && !find(p->by_address, p->count, v))
                all[outer++].v = v;
        }
    qsort(all, outer, sizeof(*all), by_address);
    for (unsigned n = 0; n < outer; n++)
        if (!kept || all[n].v != all[kept - 1].v)
            all[kept++] = all[n];
    for (unsigned n = 0; n < kept; n++)
        add_value(p, all[n].v);
    free(all);
}

static void sort_values(struct part *p)
{
    memcpy(p->by_address, p->value, p->values * sizeof(*p->value));
    qsort(p->by_address, p->values, sizeof(*p->by_address), by_address);
}

/* Finds the values that operation n takes. false: there are too many. */
static bool read_operands(struct part *p, unsigned n)
{
    const struct llvm *l = p->j->l;
    unsigned count = (unsigned)l->GetNumOperands(p->value[n].v), kept = 0;

    for (unsigned i = 0; i < MOST_OPERANDS; i++)
        p->op[n].operand[i] = NONE;
    for (unsigned i = 0; i < count; i++) {
        const struct value *v = find(p->by_address, p->values, l->GetOperand(p->value[n].v, i));
        bool known = !v;

        for (unsigned k = 0; v && k < kept; k++)
            known |= p->op[n].operand[k] == (int)v->index;
        if (known)
            continue;
        if (kept == MOST_OPERANDS)
            return false;
        p->op[n].operand[kept++] = (int)v->index;
        p->uses[v->index]++;
        p->op[n].awaited += v->index < p->count;
    }
    return true;
}

/* Lists the users of each operation, in their order. */
static void list_users(struct part *p)
{
    unsigned *next = xcalloc(p->count + 1, sizeof(*next)), at = 0;

    for (unsigned n = 0; n <= p->count; n++) {
        p->op[n].first_user = next[n] = at;
        at += n < p->count ? p->uses[n] : 0;
    }
    p->users = xcalloc(at + 1, sizeof(*p->users));
    for (unsigned n = 0; n < p->count; n++)
        for (unsigned i = 0; i < MOST_OPERANDS && p->op[n].operand[i] != NONE; i++)
            if ((unsigned)p->op[n].operand[i] < p->count)
                p->users[next[p->op[n].operand[i]]++] = n;
    free(next);
}

/* Reads what is between `from` and `to`. false: an operation takes too many values. */
static bool read_part(struct part *p, LLVMValueRef from, LLVMValueRef to)
{
    const struct llvm *l = p->j->l;
    size_t most = (size_t)p->count * (MOST_OPERANDS + 1);
    bool readable = true;

    p->op = xcalloc(p->count + 1, sizeof(*p->op));
    p->value = xcalloc(most, sizeof(*p->value));
    p->by_address = xcalloc(most, sizeof(*p->by_address));
    p->uses = xcalloc(most, sizeof(*p->uses));
    p->uses_left = xcalloc(most, sizeof(*p->uses_left));
    p->order = xcalloc(p->count, sizeof(*p->order));
    p->able = xcalloc(p->count, sizeof(*p->able));
    p->values = p->ordered = p->ables = p->live = 0;
    for (LLVMValueRef v = from; v != to; v = l->GetNextInstruction(v)) {
        p->op[p->values].latency = latency_of(p, v);
        add_value(p, v);
    }
    sort_values(p);
    add_outer_values(p);
    sort_values(p);
    for (unsigned n = 0; n < p->count && readable; n++)
        readable = read_operands(p, n);
    if (readable)
        list_users(p);
    return readable;
}

static void free_part(struct part *p)
{
    free(p->op);
    free(p->value);
    free(p->by_address);
    free(p->uses);
    free(p->uses_left);
    free(p->users);
    free(p->order);
    free(p->able);
    p->users = NULL;
}

/* ---- what an order costs --------------------------------------------------------------------- */

/* The values in a processor's registers, those that were used last first. */
struct file {
    unsigned *value, count, most;
};

/* Takes out the value at a place, if there is one. */
static void take_out(struct file *f, unsigned at)
{
    if (at < f->count)
        memmove(f->value + at, f->value + at + 1, (--f->count - at) * sizeof(*f->value));
}

/* The place of a value, or the number of values. */
static unsigned place_in(const struct file *f, unsigned v)
{
    unsigned at = 0;

    while (at < f->count && f->value[at] != v)
        at++;
    return at;
}

/* Puts a value first, in place of the last one if there is no room. Returns whether it had to be
 * loaded. */
static bool touch(struct file *f, unsigned v)
{
    unsigned at = place_in(f, v);
    bool absent = at == f->count;

    take_out(f, at);
    if (f->count == f->most)
        f->count--;
    memmove(f->value + 1, f->value, f->count++ * sizeof(*f->value));
    f->value[0] = v;
    return absent;
}

/* Operation n uses registers. Returns the number of those that had to be loaded. */
static unsigned use_registers(struct part *p, struct file *f, unsigned n)
{
    const int *operand = p->op[n].operand;
    unsigned loads = 0;

    for (unsigned i = 0; i < MOST_OPERANDS && operand[i] != NONE; i++)
        loads += p->value[operand[i]].is_vector && touch(f, (unsigned)operand[i]);
    for (unsigned i = 0; i < MOST_OPERANDS && operand[i] != NONE; i++)
        if (p->value[operand[i]].is_vector && !--p->uses_left[operand[i]])
            take_out(f, place_in(f, (unsigned)operand[i]));
    if (p->value[n].is_vector && p->uses[n])
        touch(f, n);
    return loads;
}

/* Cycles that the operations take in an order (NULL: their own), by a processor that looks WINDOW
 * ahead, and begins one operation or two loads per cycle. */
static uint64_t cost_of(struct part *p, const unsigned *order)
{
    struct file f = {xcalloc(p->registers + 1, sizeof(*f.value)), 0, p->registers};
    uint64_t *done = xcalloc(p->count, sizeof(*done)), end = 0, begun = 0;
    uint64_t *left = xcalloc(p->count, sizeof(*left)); /* operations leave in their order */
    unsigned window = WINDOW / p->per_vector;

    memcpy(p->uses_left, p->uses, p->values * sizeof(*p->uses));
    for (unsigned at = 0; at < p->count; at++) {
        unsigned n = order ? order[at] : at;
        uint64_t own;

        begun += 2 + use_registers(p, &f, n);
        if (at >= window && left[at - window] > begun)
            begun = left[at - window];
        own = begun;
        for (unsigned i = 0; i < MOST_OPERANDS && p->op[n].operand[i] != NONE; i++) {
            unsigned operand = (unsigned)p->op[n].operand[i];

            if (operand < p->count && done[operand] > own)
                own = done[operand];
        }
        done[n] = own + 2 * p->op[n].latency;
        end = left[at] = end > done[n] ? end : done[n];
    }
    free(f.value);
    free(done);
    free(left);
    return end / 2;
}

/* ---- the order ------------------------------------------------------------------------------- */

/* By how many the vectors in registers grow if operation n comes next. What is used by no later
 * operation of the part is none of them. */
static int growth(const struct part *p, unsigned n)
{
    int by = p->value[n].is_vector && p->uses[n];

    for (unsigned i = 0; i < MOST_OPERANDS && p->op[n].operand[i] != NONE; i++) {
        const struct value *v = &p->value[p->op[n].operand[i]];

        if (v->is_vector)
            by += !v->seen - (p->uses_left[v->index] == 1);
    }
    return by;
}

static void become_able(struct part *p, unsigned n)
{
    unsigned at = p->ables++;

    for (; at && p->able[at - 1] > n; at--)
        p->able[at] = p->able[at - 1];
    p->able[at] = n;
}

/* Gives the operation at able[at] the next place, at cycle `now`. */
static void place(struct part *p, unsigned at, uint64_t now)
{
    unsigned n = p->able[at];
    const struct operation *op = &p->op[n];

    memmove(p->able + at, p->able + at + 1, (--p->ables - at) * sizeof(*p->able));
    p->order[p->ordered++] = n;
    p->live += (unsigned)growth(p, n);
    for (unsigned i = 0; i < MOST_OPERANDS && op->operand[i] != NONE; i++) {
        p->value[op->operand[i]].seen = true;
        p->uses_left[op->operand[i]]--;
    }
    p->value[n].seen = true;
    for (unsigned i = op->first_user; i < op[1].first_user; i++) {
        struct operation *user = &p->op[p->users[i]];

        if (user->ready < now + op->latency)
            user->ready = now + op->latency;
        if (!--user->awaited)
            become_able(p, p->users[i]);
    }
}

/* Chooses the first operation that can begin by now; else the one that can begin first. What has
 * no room in the registers waits, unless it is the first of all. */
static unsigned choose(const struct part *p, uint64_t now)
{
    unsigned best = 0, looks = p->ables < LOOKS ? p->ables : LOOKS;
    uint64_t soonest = UINT64_MAX;

    for (unsigned at = 0; at < looks; at++) {
        const struct operation *op = &p->op[p->able[at]];
        int by = op->ready < soonest ? growth(p, p->able[at]) : 0;

        if (op->ready >= soonest || (by > 0 && p->live + (unsigned)by > p->registers))
            continue;
        best = at;
        soonest = op->ready;
        if (soonest <= now)
            break;
    }
    return best;
}

static void find_order(struct part *p)
{
    uint64_t now = 0;

    for (unsigned n = 0; n < p->count; n++)
        if (!p->op[n].awaited)
            become_able(p, n);
    memcpy(p->uses_left, p->uses, p->values * sizeof(*p->uses));
    while (p->ables) {
        unsigned at = choose(p, now);

        if (p->op[p->able[at]].ready > now)
            now = p->op[p->able[at]].ready;
        place(p, at, now);
        now++;
    }
}

/* A label that no operation passes when LLVM orders operations again. */
static void separate(const struct part *p)
{
    const struct llvm *l = p->j->l;
    LLVMMetadataRef text = l->MDStringInContext2(p->j->x, "", 0);
    LLVMValueRef of = l->MetadataAsValue(p->j->x, l->MDNodeInContext2(p->j->x, &text, 1));

    l->BuildCall2(p->j->b, l->IntrinsicGetType(p->j->x, p->label, NULL, 0),
                  l->GetIntrinsicDeclaration(p->j->module, p->label, NULL, 0), &of, 1, "");
}

static void move(const struct part *p, LLVMValueRef end)
{
    const struct llvm *l = p->j->l;

    for (unsigned n = 0; n < p->count; n++)
        l->InstructionRemoveFromParent(p->value[n].v);
    l->PositionBuilderBefore(p->j->b, end);
    for (unsigned n = 0; n < p->ordered; n++) {
        l->InsertIntoBuilder(p->j->b, p->value[p->order[n]].v);
        if (n % TOGETHER == TOGETHER - 1)
            separate(p);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Orders the operations from `from` to `end`, of which there are p->count, if they then take less
 * than four fifths of the time. */
static void order_part(struct part *p, LLVMValueRef from, LLVMValueRef end)
{
    uint64_t before;

    if (p->count < SHORTEST || p->count > LONGEST)
        return;
    if (read_part(p, from, end)) {
        before = cost_of(p, NULL);
        if (before > p->count + p->count / 4) {
            find_order(p);
            if (cost_of(p, p->order) * 5 < before * 4)
                move(p, end);
        }
    }
    free_part(p);
}

static void order_block(struct part *p, LLVMBasicBlockRef block)
{
    const struct llvm *l = p->j->l;
    LLVMValueRef v = l->GetFirstInstruction(block), from = NULL, next;

    for (; v; v = next) {
        next = l->GetNextInstruction(v);
        if (!l->IsAPHINode(v) && latency_of(p, v)) {
            p->count = from ? p->count + 1 : 1;
            from = from ? from : v;
        } else if (from) {
            order_part(p, from, v);
            from = NULL;
        }
    }
}

static unsigned intrinsic(const struct jit_build *j, const char *name)
{
    return j->l->LookupIntrinsicID(name, strlen(name));
}

void lanes_interleave(struct jit_build *j, unsigned registers, unsigned per_vector)
{
    /* One more than there are: values at which chains begin are used there alone. */
    struct part p = {.j = j, .per_vector = per_vector, .registers = registers / per_vector + 1};

    p.fma = intrinsic(j, "llvm.fma");
    p.fabs = intrinsic(j, "llvm.fabs");
    p.label = intrinsic(j, "llvm.codeview.annotation");
    p.sqrt = intrinsic(j, "llvm.sqrt");
    for (LLVMBasicBlockRef b = j->l->GetFirstBasicBlock(j->fn); b; b = j->l->GetNextBasicBlock(b))
        order_block(&p, b);
}
