/* Accesses of guest memory, calls of C functions, and instructions left to their handlers. */
#include "runtime/base/alloc.h"
#include "runtime/jit/llvm_build.h"

static LLVMValueRef pointer_const(struct jit_build *j, const void *p)
{
    return j->l->ConstIntToPtr(build_int(j, j->i64, (uintptr_t)p), j->bytes);
}

/* ---- guest memory ---------------------------------------------------------------------------- */

/* Continuations of an access, and the host address that the soft TLB gives. */
struct place {
    LLVMValueRef host; /* i64 */
    LLVMBasicBlockRef slow, hit, join;
};

static LLVMTypeRef type_of_bits(struct jit_build *j, unsigned bits)
{
    return build_type(j, JIT_TYPE(JIT_UINT, bits, 1));
}

static struct place new_place(struct jit_build *j)
{
    return (struct place){.slow = build_block(j, "slow"),
                          .hit = build_block(j, "hit"),
                          .join = build_block(j, "join")};
}

/* Looks the address up in the soft TLB, as cpu_read64() does, and continues in the block of hits.
 * The table is that of the region's ring, at a fixed offset in struct cpu. */
static struct place look_up(struct jit_build *j, unsigned size, unsigned iface, LLVMValueRef va,
                            size_t tag)
{
    const struct llvm *l = j->l;
    const struct cpu_isa *isa = j->r->map->isa;
    bool own = isa->iface_ring && iface < isa->iface_count && isa->iface_ring[iface] < CPU_RINGS;
    unsigned ring = own ? isa->iface_ring[iface] : j->r->ring;
    uint64_t table = offsetof(struct cpu, tlbs) + cpu_table(j->r->bank, ring) * sizeof(struct tlb);
    unsigned shift = CPU_PAGE_BITS - 5;
    struct place p = new_place(j);
    LLVMValueRef index, entry, off;

    _Static_assert(sizeof(struct tlb_entry) == 32, "an entry has 2 to the 5th bytes");
    index = l->BuildLShr(j->b, va, build_int(j, j->i64, shift), "");
    index = l->BuildAnd(j->b, index, build_int(j, j->i64, (uint64_t)(TLB_SIZE - 1) << 5), "");
    entry = l->BuildGEP2(j->b, j->i8, j->cpu, &index, 1, "");
    off = l->BuildLoad2(j->b, j->i64, build_at(j, entry, table + tag, j->i64), "");
    build_tag(j, off, MEMORY_TLB);
    off = l->BuildSub(j->b, va, off, "");
    off = l->BuildICmp(j->b, LLVMIntUGT, off, build_int(j, j->i64, CPU_PAGE_SIZE - size), "");
    build_cond(j, off, p.slow, p.hit, j->unlikely);
    l->PositionBuilderAtEnd(j->b, p.hit);
    p.host = l->BuildLoad2(
        j->b, j->i64, build_at(j, entry, table + offsetof(struct tlb_entry, addend), j->i64), "");
    build_tag(j, p.host, MEMORY_TLB);
    p.host = l->BuildAdd(j->b, p.host, va, "");
    return p;
}

void build_take(struct jit_build *j, LLVMValueRef taken)
{
    LLVMValueRef left = j->l->BuildLoad2(j->b, j->i64, j->ticks_left, "");

    j->l->BuildStore(j->b, j->l->BuildSub(j->b, left, taken, ""), j->ticks_left);
}

static LLVMValueRef load_stop_at(struct jit_build *j)
{
    return build_cpu_load(j, offsetof(struct cpu, stop_at), j->i64);
}

void build_look_up(struct jit_build *j, LLVMValueRef stop_at)
{
    const struct llvm *l = j->l;
    LLVMValueRef attention = build_cpu_load(j, offsetof(struct cpu, attention), j->i32), any;

    any = l->BuildOr(j->b, l->BuildICmp(j->b, LLVMIntNE, attention, build_int(j, j->i32, 0), ""),
                     l->BuildICmp(j->b, LLVMIntNE, stop_at, load_stop_at(j), ""), "");
    build_take(j, l->BuildSelect(j->b, any, build_int(j, j->i64, (uint64_t)LOOK_UP),
                                 build_int(j, j->i64, 0), ""));
}

/* Fills in the first arguments of slow path functions: cpu, address, site. */
static void slow_arguments(struct jit_build *j, unsigned iface, LLVMValueRef va, unsigned size,
                           LLVMValueRef args[3])
{
    const struct source *from = &j->r->sources[j->source];
    struct site *s = xcalloc(1, sizeof(*s));

    *s = (struct site){build_insn_address(j), from->block, from->delta, iface, size};
    vec_push(&j->r->copies, (void *)s);
    args[0] = j->cpu;
    args[1] = va;
    args[2] = pointer_const(j, s);
}

static LLVMValueRef read_slow(struct jit_build *j, LLVMValueRef *args)
{
    const struct llvm *l = j->l;
    LLVMValueRef both = build_keep(j, (const void *)jit_read_slow, j->i128, 3, args), taken;

    taken = l->BuildLShr(j->b, both, build_int(j, j->i128, 64), "");
    build_take(j, l->BuildTrunc(j->b, taken, j->i64, ""));
    return l->BuildTrunc(j->b, both, j->i64, "");
}

static LLVMValueRef read128_slow(struct jit_build *j, LLVMValueRef *args)
{
    LLVMValueRef stop_at = load_stop_at(j), value;

    value = build_keep(j, (const void *)jit_read128_slow, j->i128, 3, args);
    build_look_up(j, stop_at);
    return value;
}

/* The fast path of a read; the block of its success becomes the current one. */
static LLVMValueRef read_fast(struct jit_build *j, unsigned iface, LLVMValueRef va,
                              LLVMTypeRef type, struct place *p)
{
    const struct llvm *l = j->l;
    unsigned bits = type_bits(type, j);
    LLVMValueRef value;

    if (j->flat) {
        LLVMValueRef args[] = {j->flat, va};

        *p = new_place(j);
        value = build_flat(j, false, bits == 128 ? l->VectorType(j->i64, 2) : type, args);
        build_cond(j, l->BuildExtractValue(j->b, value, 1, ""), p->slow, p->hit, j->unlikely);
        l->PositionBuilderAtEnd(j->b, p->hit);
        value = l->BuildExtractValue(j->b, value, 0, "");
        return bits == 128 ? l->BuildBitCast(j->b, value, type, "") : value;
    }
    *p = look_up(j, bits / 8, iface, va, offsetof(struct tlb_entry, read_tag));
    value = l->BuildIntToPtr(j->b, p->host, l->PointerType(type, 0), "");
    value = build_tag(j, l->BuildLoad2(j->b, type, value, ""), MEMORY_GUEST);
    l->SetAlignment(value, 1);
    return value;
}

static void write_fast(struct jit_build *j, unsigned iface, LLVMValueRef va, LLVMValueRef value,
                       struct place *p)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->TypeOf(value);
    unsigned bits = type_bits(type, j);
    LLVMValueRef store;

    if (j->flat) {
        LLVMTypeRef as = bits == 128 ? l->VectorType(j->i64, 2) : type_of_bits(j, bits);
        LLVMValueRef args[] = {j->flat, va, l->BuildBitCast(j->b, value, as, "")};

        *p = new_place(j);
        build_cond(j, build_flat(j, true, as, args), p->slow, p->hit, j->unlikely);
        l->PositionBuilderAtEnd(j->b, p->hit);
        return;
    }
    *p = look_up(j, bits / 8, iface, va, offsetof(struct tlb_entry, write_tag));
    store =
        l->BuildStore(j->b, value, l->BuildIntToPtr(j->b, p->host, l->PointerType(type, 0), ""));
    l->SetAlignment(build_tag(j, store, MEMORY_GUEST), 1);
}

jit_value llvm_mem_read(struct jit_build *j, unsigned bits, unsigned iface, jit_value address)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = type_of_bits(j, bits);
    LLVMValueRef va = build_resize(j, address, j->i64), args[3], values[2], phi;
    LLVMBasicBlockRef from[2];
    struct place p;

    values[0] = read_fast(j, iface, va, type, &p);
    from[0] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, p.join);

    l->PositionBuilderAtEnd(j->b, p.slow);
    build_cold(j);
    build_store_cold(j);
    build_store_ticks(j);
    slow_arguments(j, iface, va, bits / 8, args);
    values[1] = bits == 128 ? read128_slow(j, args) : read_slow(j, args);
    values[1] = build_resize(j, values[1], type);
    from[1] = l->GetInsertBlock(j->b);
    l->BuildBr(j->b, p.join);

    l->PositionBuilderAtEnd(j->b, p.join);
    phi = l->BuildPhi(j->b, type, "");
    l->AddIncoming(phi, values, from, 2);
    return phi;
}

void llvm_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                    jit_value value)
{
    const struct llvm *l = j->l;
    LLVMValueRef va = build_resize(j, address, j->i64), args[4];
    struct place p;

    write_fast(j, iface, va, value, &p);
    l->BuildBr(j->b, p.join);

    l->PositionBuilderAtEnd(j->b, p.slow);
    build_cold(j);
    build_store_cold(j);
    build_store_ticks(j);
    slow_arguments(j, iface, va, bits / 8, args);
    if (bits == 128) {
        LLVMValueRef stop_at = load_stop_at(j);

        args[3] = l->BuildBitCast(j->b, value, j->i128, "");
        build_keep(j, (const void *)jit_write128_slow, l->VoidTypeInContext(j->x), 4, args);
        build_look_up(j, stop_at);
    } else {
        args[3] = build_resize(j, value, j->i64);
        build_take(j, build_keep(j, (const void *)jit_write_slow, j->i64, 4, args));
    }
    l->BuildBr(j->b, p.join);
    l->PositionBuilderAtEnd(j->b, p.join);
}

/* ---- calls of helpers and externals ---------------------------------------------------------- */

/* The type in which C passes a value: vectors in the low part of a vector register. */
static LLVMTypeRef passed_as(struct jit_build *j, jit_type t)
{
    LLVMTypeRef type;
    unsigned bits;

    if (t & JIT_REF)
        return j->bytes;
    if (!t)
        return j->l->VoidTypeInContext(j->x);
    type = build_type(j, t);
    if (t >> 16 <= 1)
        return type;
    bits = type_bits(type, j);
    if (bits != 64 && bits != 128)
        build_fail(j, "a call passes a vector of neither 8 nor 16 bytes");
    return bits == 64 ? j->f64 : j->l->VectorType(j->i64, 2);
}

/* Marks narrow integer arguments as extended, as some compilers expect. */
static void mark_extended(struct jit_build *j, LLVMValueRef call, unsigned at, jit_type t)
{
    const char *name = (t & 0x7f) == JIT_SINT ? "signext" : "zeroext";
    unsigned kind;

    if ((t & JIT_REF) || (t & 0x7f) == JIT_FLOAT || t >> 16 > 1 || (t >> 8 & 0xff) >= 32)
        return;
    kind = j->l->GetEnumAttributeKindForName(name, strlen(name));
    j->l->AddCallSiteAttribute(call, at, j->l->CreateEnumAttribute(j->x, kind, 0));
}

struct arguments {
    unsigned count, hidden; /* hidden: cpu, instruction */
    LLVMTypeRef types[JIT_MAX_PARAMS + 2];
    LLVMValueRef values[JIT_MAX_PARAMS + 2];
    LLVMValueRef refs[JIT_MAX_PARAMS]; /* variables, by parameter */
};

static void add_argument(struct arguments *a, LLVMTypeRef type, LLVMValueRef value)
{
    a->types[a->count] = type;
    a->values[a->count++] = value;
}

static void find_arguments(struct jit_build *j, const struct jit_callee *f, const jit_value *args,
                           struct arguments *a)
{
    const struct llvm *l = j->l;

    if (f->flags & JIT_CALL_CPU)
        add_argument(a, j->bytes, j->cpu);
    if (f->flags & JIT_CALL_INSN)
        add_argument(a, j->bytes, pointer_const(j, build_insn_address(j)));
    a->hidden = a->count;
    for (unsigned n = 0; n < f->count; n++) {
        LLVMTypeRef type = passed_as(j, f->params[n]);

        if (!(f->params[n] & JIT_REF)) {
            add_argument(a, type,
                         type == l->TypeOf(args[n]) ? args[n]
                                                    : l->BuildBitCast(j->b, args[n], type, ""));
            continue;
        }
        a->refs[n] = build_variable(j, build_type(j, f->params[n] & ~JIT_REF));
        if (args[n])
            l->BuildStore(j->b, args[n], a->refs[n]);
        add_argument(a, type, l->BuildBitCast(j->b, a->refs[n], type, ""));
    }
}

/* Whether the call may write the PC. Then cpu->pc is set before it, and read after it. */
static bool may_write_pc(const struct jit_build *j, const struct jit_callee *f)
{
    return j->last && (f->flags & JIT_CALL_CPU) && !(f->flags & JIT_CALL_NORETURN);
}

/* Tells LLVM that a pure call accesses only the variables whose addresses it receives. */
static void mark_pure(struct jit_build *j, const struct jit_callee *f, LLVMValueRef call)
{
    const char *memory = "readnone";
    unsigned kind;

    for (unsigned n = 0; n < f->count; n++) {
        if (f->params[n] & JIT_REF)
            memory = "argmemonly";
    }
    kind = j->l->GetEnumAttributeKindForName(memory, strlen(memory));
    j->l->AddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                               j->l->CreateEnumAttribute(j->x, kind, 0));
    for (unsigned n = 0; n < 2; n++) {
        static const char *const other[] = {"nounwind", "willreturn"};

        kind = j->l->GetEnumAttributeKindForName(other[n], strlen(other[n]));
        j->l->AddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                                   j->l->CreateEnumAttribute(j->x, kind, 0));
    }
}

static LLVMValueRef call_guarded(struct jit_build *j, const struct jit_callee *f,
                                 struct arguments *a, LLVMTypeRef type)
{
    const struct llvm *l = j->l;
    LLVMValueRef fn = build_function_at(j, f->fn, type), call, stop_at = NULL;
    bool changes = !(f->flags & (JIT_CALL_PURE | JIT_CALL_READS));

    if (!(f->flags & JIT_CALL_PURE)) {
        build_context(j);
        if (changes && may_write_pc(j, f))
            build_cpu_store(j, offsetof(struct cpu, pc),
                            l->BuildLoad2(j->b, j->i64, j->next_pc, ""));
        stop_at = load_stop_at(j);
    }
    if (f->flags & JIT_CALL_PURE &&
        build_can_keep(j, l->GetReturnType(type), a->count, a->values)) {
        build_cold(j);
        call = build_keep(j, f->fn, l->GetReturnType(type), a->count, a->values);
        mark_pure(j, f, call);
        return call;
    }
    call = l->BuildCall2(j->b, type, fn, a->values, a->count, "");
    if (f->flags & JIT_CALL_PURE)
        mark_pure(j, f, call);
    if (changes && !(f->flags & JIT_CALL_NORETURN)) {
        build_reload(j, call);
        build_look_up(j, stop_at);
        if (may_write_pc(j, f))
            llvm_write_pc(j, build_cpu_load(j, offsetof(struct cpu, pc), j->i64));
    }
    return call;
}

void llvm_call(struct jit_build *j, const struct jit_callee *f, const jit_value *args,
               jit_value *results)
{
    const struct llvm *l = j->l;
    struct arguments a = {0};
    LLVMTypeRef type;
    LLVMValueRef call;
    unsigned outs = 0;

    if (f->count > JIT_MAX_PARAMS) {
        build_fail(j, "a call has too many parameters");
        return;
    }
    find_arguments(j, f, args, &a);
    type = l->FunctionType(passed_as(j, f->result), a.types, a.count, false);
    call = call_guarded(j, f, &a, type);
    for (unsigned n = 0; n < f->count; n++)
        mark_extended(j, call, n + l->GetNumArgOperands(call) - f->count + 1, f->params[n]);
    if (!results)
        return;
    results[0] = NULL;
    if (f->result) {
        LLVMTypeRef result = build_type(j, f->result);

        results[0] = l->TypeOf(call) == result ? call : l->BuildBitCast(j->b, call, result, "");
    }
    for (unsigned n = 0; n < f->count; n++) {
        if (a.refs[n])
            results[++outs] =
                l->BuildLoad2(j->b, build_type(j, f->params[n] & ~JIT_REF), a.refs[n], "");
    }
}

void llvm_set_mode(struct jit_build *j, jit_value mode)
{
    static const jit_type params[] = {JIT_U32};
    static const struct jit_callee callee = {.fn = (const void *)cpu_set_mode,
                                             .name = "cpu_set_mode",
                                             .flags = JIT_CALL_CPU,
                                             .count = 1,
                                             .params = params};

    llvm_call(j, &callee, (jit_value[]){build_resize(j, mode, build_type(j, JIT_U32))}, NULL);
}

/* ---- the interpreter's handler --------------------------------------------------------------- */

/* Handler of the sentinel behind a copy of one instruction. */
static void end_alone(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
}

/* A copy of the instruction with a sentinel behind it, for running it alone. */
static const struct insn *copy_alone(struct jit_build *j, const struct insn *i)
{
    size_t bytes = j->r->stride;
    uint8_t *copy = xcalloc(2, bytes);
    struct insn *end = (struct insn *)(void *)(copy + bytes);

    memcpy(copy, i, bytes);
    *end = (struct insn){
        .fn = end_alone, .offset = (i->offset + i->bytes) & 0xfff, .form = UINT16_MAX};
    vec_push(&j->r->copies, (void *)copy);
    return (const struct insn *)(const void *)copy;
}

void llvm_interpret(struct jit_build *j, const struct insn *i)
{
    const struct insn *copy = copy_alone(j, i);
    LLVMValueRef args[] = {j->cpu, pointer_const(j, copy)}, stop_at;

    build_context(j);
    build_cpu_store(j, offsetof(struct cpu, alone), args[1]);
    stop_at = load_stop_at(j);
    build_reload(j, build_call(j, (const void *)copy->fn, j->l->VoidTypeInContext(j->x), 2, args));
    build_cpu_store(j, offsetof(struct cpu, alone), pointer_const(j, NULL));
    build_look_up(j, stop_at);
    if (j->last)
        llvm_write_pc(j, build_cpu_load(j, offsetof(struct cpu, pc), j->i64));
    j->interpreted = true;
    llvm_done(j);
}
