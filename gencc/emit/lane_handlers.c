/*
 * Handlers of lanes in C.
 */
#include "gencc/emit/lane.h"

#include <string.h>

/* ---- sources --------------------------------------------------------------------------------- */

static bool is_source(const struct ir_value *v)
{
    return ir_is_intrinsic(v, IR_I_READ_SOURCE) || ir_is_intrinsic(v, IR_I_READ_SOURCE_LANE);
}

static bool same_selector(const struct ir_value *a, const struct ir_value *b)
{
    return a == b || (a->op == IR_CONST && b->op == IR_CONST && a->imm == b->imm);
}

static const char *source_name(struct cfn *c, const struct lane_handler *h,
                               const struct ir_value *selector)
{
    const char *name = selector->op == IR_FIELD
                           ? selector->field->name
                           : arena_printf(c->e->arena, "source%u", selector->id);

    for (;;) {
        bool taken = false;

        vec_for_each (&h->sources, s)
            taken |= !strcmp(s->name, name);
        vec_for_each (&c->operands, o)
            taken |= !strcmp(o->name, name);
        if (!taken)
            return name;
        name = arena_printf(c->e->arena, "%s_", name);
    }
}

static void add_source(struct cfn *c, struct lane_handler *h, struct ir_value *v)
{
    struct ir_value *selector = v->ops.at[0];
    struct lane_source s = {.selector = selector};
    unsigned n = 0;

    if (selector->op != IR_CONST && !is_decodable(selector)) {
        diag_error(c->e->diag, v->pos, "the selector of a source must be known when decoding");
        c->e->failed = true;
        return;
    }
    while (n < h->sources.count && !same_selector(h->sources.at[n].selector, selector))
        n++;
    if (n == h->sources.count) {
        s.name = source_name(c, h, selector);
        vec_push(c->e->arena, &h->sources, s);
    }
    c->at[v->id].operand = n;
    if (ir_is_intrinsic(v, IR_I_READ_SOURCE))
        c->at[v->id].place = PLACE_SOURCE;
    else
        h->sources.at[n].crosses = true;
}

static void sort_operands(struct cfn *c, struct lane_handler *h)
{
    for (unsigned size = 8; size; size /= 2)
        vec_for_each (&c->operands, o)
            if (ir_bytes(o->stored) == size)
                vec_push(c->e->arena, &h->operands, *o);
    for (unsigned i = 0; i < h->operands.count; i++)
        c->at[h->operands.at[i].value->id].operand = i;
    memcpy(&c->operands, &h->operands, sizeof(h->operands));
}

/* The structure's members stand widest first: no holes. */
static unsigned struct_bytes(const struct lane_handler *h)
{
    unsigned bytes = 2 * h->sources.count;

    vec_for_each (&h->operands, o)
        bytes += ir_bytes(o->stored);
    return (bytes + 7) & ~7u;
}

void lane_find_operands(struct cfn *c, struct lane_handler *h)
{
    find_operands(c);
    vec_for_each (&c->f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (is_source(v))
                add_source(c, h, v);
    sort_operands(c, h);
    h->operand_bytes = struct_bytes(h);
    if (h->operand_bytes > LANE_MAX_OPERANDS) {
        diag_error(c->e->diag, h->form->instr->pos,
                   "'%s' has %u bytes of operands, more than the %d there is room for", h->name,
                   h->operand_bytes, LANE_MAX_OPERANDS);
        c->e->failed = true;
    }
    if (h->operand_bytes > c->e->max_operand_bytes)
        c->e->max_operand_bytes = h->operand_bytes;
}

/* ---- the parts of a handler ------------------------------------------------------------------ */

static void prologue(struct cfn *c, const struct lane_handler *h)
{
    FILE *o = c->o;

    if (h->operands.count || h->sources.count)
        fprintf(o, "    const struct %s_o_%s *const o = (const void *)(op + 1);\n", c->e->p,
                h->name);
    for (unsigned i = 0; i < h->sources.count; i++) {
        const struct lane_source *s = &h->sources.at[i];

        fprintf(o, "    const uint32_t *const in%u = GPU_SLOT(w, o->%s);\n", i, s->name);
        if (s->crosses)
            fprintf(o, "    uint32_t all%u[GPU_MAX_LANES];\n", i);
    }
    vec_for_each (&h->operands, p) {
        const char *t = cvalue_type(c, p->value);

        fprintf(o, "    const %s o_%s = (%s)o->%s;\n", t, p->name, t, p->name);
    }
}

static void copy_crossed(struct cfn *c, const struct lane_handler *h)
{
    for (unsigned i = 0; i < h->sources.count; i++)
        if (h->sources.at[i].crosses)
            fprintf(c->o, "    gpu_copy_lanes(w, all%u, in%u);\n", i, i);
}

static void load_sources(struct cfn *c, const struct lane_handler *h)
{
    VEC(bool) seen = {0};

    for (unsigned i = 0; i < h->sources.count; i++)
        vec_push(c->e->arena, &seen, false);
    vec_for_each (&c->f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const struct cvalue *cv = &c->at[v->id];

            if (cv->skip || cv->place != PLACE_SOURCE || seen.at[cv->operand])
                continue;
            seen.at[cv->operand] = true;
            fprintf(c->o, "        const uint32_t s%u = in%u[l];\n", cv->operand, cv->operand);
        }
}

static bool uses_result(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (ir_is_intrinsic(v, IR_I_WRITE_RESULT) || ir_is_intrinsic(v, IR_I_OLD_RESULT))
                return true;
    return false;
}

static void refuse_always(struct cfn *c)
{
    fputs("    gpu_fault(w, GPU_FAULT_UNIMPLEMENTED);\n", c->o);
}

static bool is_known(const struct cfn *c, const struct ir_value *v)
{
    return v->op == IR_CONST || c->at[v->id].place == PLACE_OPERAND;
}

/* All lanes of a chunk at once; inactive ones keep their result. */
static void straight_loop(struct cfn *c, const struct lane_handler *h)
{
    const struct ir_value *result = lane_result(c->f), *refusal = lane_refusal(c->f);
    FILE *o = c->o;

    if (refusal && is_known(c, refusal)) {
        if (refusal->op != IR_CONST) {
            fputs("    if (", o);
            cexpr(c, refusal);
            fputs(") {\n        gpu_fault(w, GPU_FAULT_UNIMPLEMENTED);\n"
                  "        GPU_NEXT(w, op);\n    }\n",
                  o);
        } else {
            refuse_always(c);
            return;
        }
        refusal = NULL;
    }
    if (!result && !refusal)
        return;
    fprintf(o, "    const uint32_t *const active = GPU_ACTIVE(w, %s_REGISTERS);\n", c->e->P);
    if (result)
        fputs("    uint32_t *const r = GPU_SLOT(w, op->result);\n", o);
    if (refusal)
        fputs("    uint32_t refused = 0;\n", o);
    copy_crossed(c, h);
    fputs("    for (size_t base = 0; base < w->lanes; base += GPU_LANE_CHUNK) {\n"
          "    GPU_IVDEP\n"
          "    for (size_t chunk = 0; chunk < GPU_LANE_CHUNK; chunk++) {\n"
          "        const size_t l = base + chunk;\n",
          o);
    load_sources(c, h);
    cfn_body(c);
    fputs("    }\n    }\n", o);
    if (refusal) {
        fputs("    if (refused)\n    ", o);
        refuse_always(c);
    }
}

void lane_leave(struct cfn *c, bool last)
{
    const struct ir_value *result = c->straight ? lane_result(c->f) : NULL;
    const struct ir_value *refusal = c->straight ? lane_refusal(c->f) : NULL;

    if (refusal && !is_known(c, refusal)) {
        fputs("    refused |= active[l] & ", c->o);
        cexpr(c, refusal);
        fputs(";\n", c->o);
    }
    if (result) {
        fputs("    r[l] = GPU_BLEND(active[l], ", c->o);
        cexpr(c, result);
        fputs(", r[l]);\n", c->o);
    }
    if (!last)
        fputs("    continue;\n", c->o);
}

/* Effects are those of active lanes only. */
static void effects_loop(struct cfn *c, const struct lane_handler *h)
{
    if (uses_result(c->f))
        fputs("    uint32_t *const r = GPU_SLOT(w, op->result);\n", c->o);
    copy_crossed(c, h);
    fputs("    for (uint32_t left = w->active; left; left &= left - 1) {\n"
          "        const unsigned l __attribute__((unused)) = (unsigned)__builtin_ctz(left);\n",
          c->o);
    load_sources(c, h);
    cfn_body(c);
    fputs("    }\n", c->o);
}

static void write_handler(struct emit *e, FILE *o, struct lane_handler *h)
{
    struct cfn c = {.e = e, .o = o, .f = h->f, .kind = CFN_LANE, .straight = h->straight};

    c.at = arena_alloc(e->arena, h->f->next_value * sizeof(*c.at));
    lane_find_operands(&c, h);
    cfn_plan(&c);
    cfn_where_from(o, h->form->exec);
    fprintf(o, "static void h_%s(GPU_HANDLER_ARGS)\n{\n", h->name);
    prologue(&c, h);
    if (h->straight)
        straight_loop(&c, h);
    else
        effects_loop(&c, h);
    fputs("    GPU_NEXT(w, op);\n}\n\n", o);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool file_of_part(struct emit *e, unsigned part, unsigned parts)
{
    unsigned n = e->lanes.count, from = n * part / parts, to = n * (part + 1) / parts;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_exec_%u.c", e->p, part)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    for (unsigned i = from; i < to; i++) {
        e->lanes.at[i]->part = part;
        e->lanes.at[i]->number = i - from;
        write_handler(e, o.f, e->lanes.at[i]);
    }
    fprintf(o.f, "gpu_handler *const GPU_LEVEL_NAME(%s_handlers_%u)[] = {\n", e->p, part);
    for (unsigned i = from; i < to; i++)
        fprintf(o.f, "    h_%s,\n", e->lanes.at[i]->name);
    fputs("    NULL,\n};\n", o.f);
    return out_close(e, &o);
}

bool lane_emit_handlers(struct emit *e)
{
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(e, i, e->opt->parts);
    return ok;
}
