/*
 * A region as one LLVM function: its guest blocks, the branches between them, and the exit.
 *
 * Each guest block begins with the checks of the dispatch loop (budget, attention, ticks). They are
 * one subtraction from the variable `left` and a test of its sign: only calls of the region can
 * raise attention or move the end of the budget, and these subtract LOOK_UP from `left`. The first
 * block has been accounted for when a region is entered.
 */
#include <inttypes.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/llvm_build.h"

/* ---- leaving --------------------------------------------------------------------------------- */

static void leave_to(struct jit_build *j, LLVMValueRef pc)
{
    build_store_cold(j);
    build_cpu_store(j, offsetof(struct cpu, pc), pc);
    j->l->BuildBr(j->b, j->exit);
}

/* Counts an execution of a block, whose address is a pointer. */
static void count_run(struct jit_build *j, LLVMValueRef block)
{
    const struct llvm *l = j->l;
    LLVMValueRef at, n;

    if (!j->counter_at)
        return;
    at = l->BuildGEP2(j->b, j->i8, block, &j->counter_at, 1, "");
    at = build_at(j, at, 0, j->i64);
    n = l->BuildLoad2(j->b, j->i64, at, "");
    l->BuildStore(j->b, l->BuildAdd(j->b, n, build_int(j, j->i64, 1), ""), at);
}

/* Adds the block's ticks minus its instructions to cpu->over. */
static void count_over(struct jit_build *j, const struct source *s)
{
    LLVMValueRef over;

    if (s->ticks == s->count)
        return;
    over = build_cpu_load(j, offsetof(struct cpu, over), j->i64);
    over = j->l->BuildAdd(j->b, over, build_int(j, j->i64, s->ticks - s->count), "");
    build_cpu_store(j, offsetof(struct cpu, over), over);
}

static LLVMValueRef block_const(struct jit_build *j, const struct block *b)
{
    return j->l->ConstIntToPtr(build_int(j, j->i64, (uintptr_t)b), j->bytes);
}

/* Pointer to the jump cache entry of an address. */
static LLVMValueRef jump_entry(struct jit_build *j, LLVMValueRef pc)
{
    const struct llvm *l = j->l;
    LLVMValueRef n = l->BuildLShr(j->b, pc, build_int(j, j->i64, JUMP_SHIFT), ""), flip;

    if (cpu_unit_bytes(j->r->map->isa) < 1 << JUMP_SHIFT) {
        flip = l->BuildShl(j->b, pc, build_int(j, j->i64, JUMP_FLIP), "");
        n = l->BuildXor(j->b, n, flip, "");
    }
    n = l->BuildAnd(j->b, n, build_int(j, j->i64, (1 << JUMP_CACHE_BITS) - 1), "");
    n = l->BuildMul(j->b, n, build_int(j, j->i64, sizeof(struct jump_entry)), "");
    n = l->BuildAdd(j->b, n, build_int(j, j->i64, offsetof(struct cpu, jumps)), "");
    return l->BuildGEP2(j->b, j->i8, j->cpu, &n, 1, "");
}

/* Whether the entry is of the address and of the CPU's current key. */
static LLVMValueRef jump_matches(struct jit_build *j, LLVMValueRef entry, LLVMValueRef pc)
{
    const struct llvm *l = j->l;
    LLVMValueRef epc, ekey;

    epc = l->BuildLoad2(j->b, j->i64, build_at(j, entry, offsetof(struct jump_entry, pc), j->i64),
                        "");
    ekey = l->BuildLoad2(j->b, j->i64, build_at(j, entry, offsetof(struct jump_entry, key), j->i64),
                         "");
    return l->BuildAnd(j->b, l->BuildICmp(j->b, LLVMIntEQ, epc, pc, ""),
                       l->BuildICmp(j->b, LLVMIntEQ, ekey,
                                    build_cpu_load(j, offsetof(struct cpu, key), j->i64), ""),
                       "");
}

/* Builds the exit, which expects cpu->pc to be stored. */
static void build_exit(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMTypeRef types[] = {j->bytes, j->bytes};
    LLVMTypeRef type = l->FunctionType(l->VoidTypeInContext(j->x), types, 2, false);
    LLVMValueRef args[] = {j->cpu, l->ConstNull(j->bytes)};
    LLVMValueRef fn = build_own_function(j, "jit_leave", type);

    l->PositionBuilderAtEnd(j->b, j->exit);
    build_store_ticks(j);
    l->SetTailCall(l->BuildCall2(j->b, type, fn, args, 2, ""), true);
    l->BuildRetVoid(j->b);
}

/* ---- between blocks -------------------------------------------------------------------------- */

static void build_head(struct jit_build *j, unsigned n)
{
    const struct llvm *l = j->l;
    const struct source *s = &j->r->sources[n];
    struct per_source *of = &j->of[n];
    LLVMBasicBlockRef here = l->GetInsertBlock(j->b), enter = build_block(j, "enter"),
                      stop = build_block(j, "stop");
    struct changes now = j->now;
    unsigned source = j->source;
    LLVMValueRef left;

    of->head = build_block(j, "head");
    l->PositionBuilderAtEnd(j->b, of->head);
    left = l->BuildLoad2(j->b, j->i64, j->ticks_left, "");
    left = l->BuildSub(j->b, left, build_int(j, j->i64, s->ticks), "");
    build_cond(j, l->BuildICmp(j->b, LLVMIntSLT, left, build_int(j, j->i64, 0), ""), stop, enter,
               j->unlikely);
    l->PositionBuilderAtEnd(j->b, stop);
    build_cold(j);
    j->now = (struct changes){.stored = false};
    j->source = n;
    leave_to(j, build_pc(j, s->delta));
    j->now = now;
    j->source = source;
    l->PositionBuilderAtEnd(j->b, enter);
    l->BuildStore(j->b, left, j->ticks_left);
    count_over(j, s);
    count_run(j, block_const(j, s->block));
    if (!of->body)
        of->body = build_block(j, "body");
    l->BuildBr(j->b, of->body);
    l->PositionBuilderAtEnd(j->b, here);
}

static int64_t page_of(const struct jit_build *j, int64_t delta)
{
    return ((int64_t)(j->r->sources[0].pa & CPU_PAGE_MASK) + delta) >> CPU_PAGE_BITS;
}

/* Index of the source with that delta, or -1. */
static int source_at(const struct jit_build *j, int64_t delta)
{
    for (unsigned n = 0; n < j->r->source_count; n++) {
        if (j->r->sources[n].delta == delta)
            return (int)n;
    }
    return -1;
}

/* Checks by the jump cache that another page is still mapped as it was; not in flat memory, whose
 * mapping does not change. */
static void check_page(struct jit_build *j, const struct source *to)
{
    const struct llvm *l = j->l;
    LLVMBasicBlockRef same = build_block(j, "same"), other = build_block(j, "other");
    LLVMValueRef pc = build_pc(j, to->delta), entry = jump_entry(j, pc), block;

    block = l->BuildLoad2(j->b, j->bytes,
                          build_at(j, entry, offsetof(struct jump_entry, block), j->bytes), "");
    block = l->BuildICmp(j->b, LLVMIntEQ, block, block_const(j, to->block), "");
    block = l->BuildAnd(j->b, block, jump_matches(j, entry, pc), "");
    build_cond(j, block, same, other, j->likely);
    l->PositionBuilderAtEnd(j->b, other);
    leave_to(j, pc);
    l->PositionBuilderAtEnd(j->b, same);
}

/* Ends the current block by a branch to a known guest address. */
static void go_to(struct jit_build *j, int64_t delta)
{
    int n = source_at(j, delta);

    if (n < 0) {
        leave_to(j, build_pc(j, delta));
        return;
    }
    if (!j->r->flat && page_of(j, delta) != page_of(j, j->r->sources[j->source].delta))
        check_page(j, &j->r->sources[n]);
    if (!j->of[n].head)
        build_head(j, (unsigned)n);
    j->of[n].wanted = true;
    vec_push(&j->edges, (struct edge){j->source, (unsigned)n});
    j->l->BuildBr(j->b, j->of[n].head);
}

/* Ends the current block by a branch to a computed address, after comparing it with recorded
 * successors. */
static void go_to_value(struct jit_build *j, LLVMValueRef pc)
{
    const struct source *s = &j->r->sources[j->source];
    int64_t delta;

    if (build_known_pc(j, pc, &delta)) {
        go_to(j, delta);
        return;
    }
    for (unsigned k = 0; k < BLOCK_NEXT; k++) {
        LLVMBasicBlockRef yes, no;
        LLVMValueRef same;

        delta = s->delta + s->next[k];
        if (!s->next[k] || source_at(j, delta) < 0)
            continue;
        yes = build_block(j, "guess");
        no = build_block(j, "");
        same = j->l->BuildICmp(j->b, LLVMIntEQ, pc, build_pc(j, delta), "");
        build_cond(j, same, yes, no, NULL);
        j->l->PositionBuilderAtEnd(j->b, yes);
        go_to(j, delta);
        j->l->PositionBuilderAtEnd(j->b, no);
    }
    leave_to(j, pc);
}

/* ---- the end of a guest block ---------------------------------------------------------------- */

static bool is_done(const struct jit_build *j, LLVMBasicBlockRef b)
{
    for (size_t n = 0; n < j->dones.len; n++) {
        if (j->dones.data[n] == b)
            return true;
    }
    return false;
}

/* Whether a block that writes the PC does nothing else before the instruction ends: it ends the
 * instruction itself (*br NULL), or branches to an empty block that does. */
static bool ends_directly(const struct jit_build *j, LLVMBasicBlockRef b, LLVMValueRef *br)
{
    LLVMBasicBlockRef to;

    *br = NULL;
    if (is_done(j, b))
        return true;
    *br = j->l->GetBasicBlockTerminator(b);
    if (!*br || !j->l->IsABranchInst(*br) || j->l->IsConditional(*br))
        return false;
    to = j->l->GetSuccessor(*br, 0);
    return is_done(j, to) && !j->l->GetFirstInstruction(to);
}

static void drop_done(struct jit_build *j, LLVMBasicBlockRef b)
{
    for (size_t n = 0; n < j->dones.len; n++) {
        if (j->dones.data[n] == b)
            j->dones.data[n] = j->dones.data[--j->dones.len];
    }
}

/* If every write of the PC is the last effect on its path, gives each path a branch of its own. */
static bool end_by_ways(struct jit_build *j)
{
    LLVMValueRef br;

    for (size_t n = 0; n < j->writes.len; n++) {
        if (!ends_directly(j, j->writes.data[n].block, &br))
            return false;
    }
    for (size_t n = 0; n < j->writes.len; n++) {
        const struct pc_write *w = &j->writes.data[n];

        ends_directly(j, w->block, &br);
        if (br)
            j->l->InstructionEraseFromParent(br);
        else
            drop_done(j, w->block);
        j->l->PositionBuilderAtEnd(j->b, w->block);
        go_to_value(j, w->value);
    }
    return true;
}

static void end_source(struct jit_build *j)
{
    const struct source *s = &j->r->sources[j->source];
    bool fall = end_by_ways(j);

    for (size_t n = 0; n < j->dones.len; n++) {
        j->l->PositionBuilderAtEnd(j->b, j->dones.data[n]);
        if (fall)
            go_to(j, s->delta + s->bytes);
        else
            go_to_value(j, j->l->BuildLoad2(j->b, j->i64, j->next_pc, ""));
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Joins all paths through an instruction in one block; false when there is no path. */
static bool join_paths(struct jit_build *j)
{
    LLVMBasicBlockRef to;

    if (!j->dones.len)
        return false;
    to = j->dones.data[0];
    if (j->dones.len > 1) {
        to = build_block(j, "next");
        for (size_t n = 0; n < j->dones.len; n++) {
            j->l->PositionBuilderAtEnd(j->b, j->dones.data[n]);
            j->l->BuildBr(j->b, to);
        }
    }
    j->l->PositionBuilderAtEnd(j->b, to);
    return true;
}

static void translate_insn(struct jit_build *j, const struct source *s, unsigned index)
{
    const struct isa_map *m = j->r->map;
    const struct insn *i = source_insn(j->r, s, index);
    insn_translate_fn *fn = j->c->jit->options.handlers ? NULL : isa_map_translator(m, i);

    j->index = index;
    j->insn = i;
    j->last = index + 1 == s->count;
    j->interpreted = j->branched = false;
    j->writes.len = j->dones.len = 0;
    if (j->last)
        j->l->BuildStore(j->b, build_pc(j, s->delta + s->bytes), j->next_pc);
    if (fn)
        fn(j, i);
    else
        llvm_interpret(j, i);
    j->r->interpreted += j->interpreted;
}

static void build_source(struct jit_build *j, unsigned n)
{
    const struct source *s = &j->r->sources[n];
    struct per_source *of = &j->of[n];

    of->built = true;
    j->source = n;
    if (!of->body)
        of->body = build_block(j, "body");
    j->l->PositionBuilderAtEnd(j->b, of->body);
    j->now = (struct changes){.stored = false};
    for (unsigned k = 0; k < s->count; k++) {
        translate_insn(j, s, k);
        if (k + 1 == s->count)
            end_source(j);
        else if (!join_paths(j))
            break;
    }
    of->end = j->now;
}

/* ---- the function ---------------------------------------------------------------------------- */

static void find_types(struct jit_build *j)
{
    const struct llvm *l = j->l;

    j->i1 = l->IntTypeInContext(j->x, 1);
    j->i8 = l->IntTypeInContext(j->x, 8);
    j->i16 = l->IntTypeInContext(j->x, 16);
    j->i32 = l->IntTypeInContext(j->x, 32);
    j->i64 = l->IntTypeInContext(j->x, 64);
    j->i128 = l->IntTypeInContext(j->x, 128);
    j->f32 = l->FloatTypeInContext(j->x);
    j->f64 = l->DoubleTypeInContext(j->x);
    j->bytes = l->PointerType(j->i8, 0);
}

static LLVMValueRef weight_metadata(struct jit_build *j, unsigned yes, unsigned no)
{
    LLVMMetadataRef node[] = {j->l->MDStringInContext2(j->x, "branch_weights", 14),
                              j->l->ValueAsMetadata(build_int(j, j->i32, yes)),
                              j->l->ValueAsMetadata(build_int(j, j->i32, no))};

    return j->l->MetadataAsValue(j->x, j->l->MDNodeInContext2(j->x, node, 3));
}

static void add_function(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMTypeRef args[] = {j->bytes, j->bytes};
    unsigned kind = l->GetEnumAttributeKindForName("nounwind", 8);
    char name[REGION_NAME];

    region_name(name, j->r);
    j->fn = l->AddFunction(j->module, name,
                           l->FunctionType(l->VoidTypeInContext(j->x), args, 2, false));
    l->AddAttributeAtIndex(j->fn, LLVMAttributeFunctionIndex,
                           l->CreateEnumAttribute(j->x, kind, 0));
    j->cpu = l->GetParam(j->fn, 0);
}

/* Computes the offset of this CPU's counter in front of a block. */
static void find_counter(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMValueRef slot = build_cpu_load(j, offsetof(struct cpu, slot), j->i32);

    slot = l->BuildZExt(j->b, slot, j->i64, "");
    slot = l->BuildShl(j->b, slot, build_int(j, j->i64, 3), "");
    j->counter_at = l->BuildSub(j->b, build_int(j, j->i64, (uint64_t)-8), slot, "");
}

/* Initialises `left` by the budget, limited so that LOOK_UP can be subtracted. */
static void find_left(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMValueRef ticks = build_cpu_load(j, offsetof(struct cpu, ticks), j->i64), left, max;

    left = l->BuildSub(j->b, build_cpu_load(j, offsetof(struct cpu, stop_at), j->i64), ticks, "");
    max = build_int(j, j->i64, (uint64_t)LOOK_UP / 4);
    left = l->BuildSelect(j->b, l->BuildICmp(j->b, LLVMIntULT, left, max, ""), left, max, "");
    j->base = l->BuildAdd(j->b, ticks, left, "");
    j->ticks_left = build_variable(j, j->i64);
    l->BuildStore(j->b, left, j->ticks_left);
}

/* Makes the metadata that tells LLVM that kinds of memory do not overlap. */
static void make_tags(struct jit_build *j)
{
    static const char *const names[MEMORY_KINDS] = {
        [MEMORY_CPU] = "cpu", [MEMORY_TLB] = "tlb", [MEMORY_GUEST] = "guest"};
    const struct llvm *l = j->l;
    LLVMMetadataRef zero = l->ValueAsMetadata(build_int(j, j->i64, 0)), root;

    j->tbaa = l->GetMDKindIDInContext(j->x, "tbaa", 4);
    root = l->MDStringInContext2(j->x, "gencc", 5);
    root = l->MDNodeInContext2(j->x, &root, 1);
    for (unsigned n = 0; n < MEMORY_KINDS; n++) {
        LLVMMetadataRef type[] = {l->MDStringInContext2(j->x, names[n], strlen(names[n])), root,
                                  zero};
        LLVMMetadataRef tag[3];

        tag[0] = tag[1] = l->MDNodeInContext2(j->x, type, 3);
        tag[2] = zero;
        j->memory_tag[n] = l->MetadataAsValue(j->x, l->MDNodeInContext2(j->x, tag, 3));
    }
}

static void begin_function(struct jit_build *j)
{
    const struct llvm *l = j->l;
    LLVMBuilderRef b = j->b;

    add_function(j);
    j->prof = l->GetMDKindIDInContext(j->x, "prof", 4);
    make_tags(j);
    j->unlikely = weight_metadata(j, 1, 2000);
    j->likely = weight_metadata(j, 2000, 1);
    j->entry = build_block(j, "entry");
    j->exit = build_block(j, "exit");
    l->PositionBuilderAtEnd(j->entry_builder, j->entry);
    j->next_pc = build_variable(j, j->i64);
    j->b = j->entry_builder;
    j->entry_pc = build_cpu_load(j, offsetof(struct cpu, block_pc), j->i64);
    build_cpu_store(j, offsetof(struct cpu, region_pc), j->entry_pc);
    if (j->r->flat)
        j->flat = build_cpu_load(j, offsetof(struct cpu, flat_base), j->i64);
    find_left(j);
    if (j->r->jit->counts)
        find_counter(j);
    j->b = b;
}

/* Ends blocks that a translator left open as unreachable. */
static void close_blocks(struct jit_build *j)
{
    for (LLVMBasicBlockRef b = j->l->GetNextBasicBlock(j->entry); b;
         b = j->l->GetNextBasicBlock(b)) {
        if (j->l->GetBasicBlockTerminator(b))
            continue;
        j->l->PositionBuilderAtEnd(j->b, b);
        j->l->BuildUnreachable(j->b);
    }
}

static void build_all(struct jit_build *j)
{
    bool more = true;

    begin_function(j);
    j->of[0].wanted = true;
    while (more && !j->failed) {
        more = false;
        for (unsigned n = 0; n < j->r->source_count; n++) {
            if (j->of[n].wanted && !j->of[n].built) {
                build_source(j, n);
                more = true;
            }
        }
    }
    build_exit(j);
    close_blocks(j);
    build_transfers(j);
    j->l->BuildBr(j->entry_builder, j->of[0].body);
}

void region_name(char name[REGION_NAME], const struct region *r)
{
    snprintf(name, REGION_NAME, "region_%" PRIxPTR, (uintptr_t)r);
}

bool region_build(struct compiler *c, LLVMModuleRef module, struct region *r)
{
    struct jit_build j = {.head.backend = &llvm_backend,
                          .l = c->l,
                          .c = c,
                          .r = r,
                          .x = c->context,
                          .module = module};
    bool ok;

    j.b = c->l->CreateBuilderInContext(c->context);
    j.entry_builder = c->l->CreateBuilderInContext(c->context);
    j.of = xcalloc(r->source_count, sizeof(*j.of));
    j.var_of = xcalloc(r->map->slots.len + 1, sizeof(*j.var_of));
    find_types(&j);
    build_all(&j);
    for (unsigned n = 0; n < r->source_count; n++)
        r->built += j.of[n].built;
    ok = !j.failed;
    if (ok && c->l->VerifyFunction(j.fn, LLVMReturnStatusAction)) {
        snprintf(r->failure, sizeof(r->failure), "the code is not valid");
        ok = false;
    }
    c->l->DisposeBuilder(j.b);
    c->l->DisposeBuilder(j.entry_builder);
    free(j.of);
    free(j.var_of);
    vec_free(&j.reloads);
    vec_free(&j.stores);
    vec_free(&j.edges);
    vec_free(&j.writes);
    vec_free(&j.dones);
    if (!ok)
        c->l->DeleteFunction(j.fn);
    return ok;
}
