/*
 * Handlers of lanes in C.
 */
#include "gencc/emit/body.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/lane.h"
#include "gencc/emit/operands.h"

#include <string.h>

/* ---- sources --------------------------------------------------------------------------------- */

static bool same_selector(const struct ir_value *a, const struct ir_value *b)
{
    return a == b || (a->op == IR_CONST && b->op == IR_CONST && a->imm == b->imm);
}

static const char *source_name(struct body *b, const struct lane_handler *h,
                               const struct ir_value *selector)
{
    const char *name = selector->op == IR_FIELD
                           ? selector->field->name
                           : arena_printf(b->e->arena, "source%u", selector->id);

    for (;;) {
        bool taken = false;

        vec_for_each (&h->sources, s)
            taken |= !strcmp(s->name, name);
        vec_for_each (&b->operands, o)
            taken |= !strcmp(o->name, name);
        if (!taken)
            return name;
        name = arena_printf(b->e->arena, "%s_", name);
    }
}

static void add_source(struct body *b, struct lane_handler *h, struct ir_value *v)
{
    struct ir_value *selector = v->ops.data[0];
    struct lane_source s = {.selector = selector};
    unsigned n = 0;

    if (selector->op != IR_CONST && !is_decodable(selector)) {
        diag_error(b->e->diag, v->pos, "the selector of a source must be known when decoding");
        b->e->failed = true;
        return;
    }
    while (n < h->sources.len && !same_selector(h->sources.data[n].selector, selector))
        n++;
    if (n == h->sources.len) {
        s.name = source_name(b, h, selector);
        vec_push_in(b->e->arena, &h->sources, s);
    }
    b->at[v->id].number = n;
    if (ir_is_intrinsic(v, IR_I_READ_SOURCE))
        b->at[v->id].place = PLACE_SOURCE;
    else
        h->sources.data[n].reads_other_lanes = true;
}

enum { MOST_CROSSED = 32 }; /* staging registers that other lanes may read: bits of a mask */

/* Notes that a staging register is read from other lanes. */
static void add_staging(struct body *b, struct lane_handler *h, const struct ir_value *v)
{
    const struct ir_value *k = v->ops.data[0];

    if (k->op != IR_CONST || k->imm >= MOST_CROSSED) {
        diag_error(b->e->diag, v->pos,
                   "the number of another lane's staging register must be a constant below 32");
        b->e->failed = true;
        return;
    }
    b->at[v->id].number = (unsigned)k->imm;
    h->crossed_staging |= UINT32_C(1) << (unsigned)k->imm;
}

/* Finds the operands and sources of a handler, and where the decoder stores them. */
static void find_operands_and_sources(struct body *b, struct lane_handler *h)
{
    operands_find(b);
    vec_for_each (&b->f->blocks, it)
        for (struct ir_value *v = (*it)->first; v; v = v->next)
            if (is_source(v))
                add_source(b, h, v);
            else if (ir_is_intrinsic(v, IR_I_READ_STAGING_LANE))
                add_staging(b, h, v);
    operands_sort(b);
    h->operands = b->operands;
    h->operand_bytes = (2 * h->sources.len + operands_bytes(&h->operands) + 7) & ~7u;
    if (h->operand_bytes > LANE_MAX_OPERANDS) {
        diag_error(b->e->diag, h->form->instr->pos,
                   "'%s' has %u bytes of operands, more than the %d there is room for", h->name,
                   h->operand_bytes, LANE_MAX_OPERANDS);
        b->e->failed = true;
    }
    if (h->operand_bytes > b->e->max_operand_bytes)
        b->e->max_operand_bytes = h->operand_bytes;
}

/* ---- the parts of a handler ------------------------------------------------------------------ */

static void write_prologue(struct body *b, const struct lane_handler *h)
{
    FILE *o = b->o;

    if (h->operands.len || h->sources.len)
        fprintf(o, "    const struct %s_o_%s *const o = (const void *)(op + 1);\n", b->e->prefix,
                h->name);
    for (unsigned i = 0; i < h->sources.len; i++) {
        const struct lane_source *s = &h->sources.data[i];

        fprintf(o, "    const uint32_t *const in%u = GPU_SLOT(w, o->%s);\n", i, s->name);
        if (s->reads_other_lanes)
            fprintf(o, "    uint32_t all%u[GPU_MAX_LANES];\n", i);
    }
    for (unsigned k = 0; k < MOST_CROSSED; k++)
        if (h->crossed_staging >> k & 1)
            fprintf(o, "    uint32_t staging%u[GPU_MAX_LANES];\n", k);
    vec_for_each (&h->operands, p) {
        const char *t = expr_variable_type(b, p->value);

        fprintf(o, "    const %s o_%s = (%s)o->%s;\n", t, p->name, t, p->name);
    }
}

static void copy_crossed(struct body *b, const struct lane_handler *h)
{
    for (unsigned i = 0; i < h->sources.len; i++)
        if (h->sources.data[i].reads_other_lanes)
            fprintf(b->o, "    gpu_copy_lanes(w, all%u, in%u);\n", i, i);
    for (unsigned k = 0; k < MOST_CROSSED; k++)
        if (h->crossed_staging >> k & 1)
            fprintf(b->o, "    gpu_copy_staging(w, staging%u, op, REGISTERS, %u);\n", k, k);
}

static void load_sources(struct body *b, const struct lane_handler *h)
{
    VEC(bool) seen = {0};

    for (unsigned i = 0; i < h->sources.len; i++)
        vec_push_in(b->e->arena, &seen, false);
    vec_for_each (&b->f->blocks, it)
        for (const struct ir_value *v = (*it)->first; v; v = v->next) {
            const struct placement *p = &b->at[v->id];

            if (p->skip || p->place != PLACE_SOURCE || seen.data[p->number])
                continue;
            seen.data[p->number] = true;
            fprintf(b->o, "        const uint32_t s%u = in%u[l];\n", p->number, p->number);
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

static void refuse_always(struct body *b)
{
    fputs("    gpu_refuse(w, op, NULL);\n", b->o);
}

/* Writes a loop over all lanes of a chunk. Inactive lanes keep their result. */
static void straight_loop(struct body *b, const struct lane_handler *h)
{
    const struct ir_value *result = lane_result(b->f), *refusal = lane_refusal(b->f);
    FILE *o = b->o;

    if (refusal && lane_is_known(b, refusal)) {
        if (refusal->op != IR_CONST) {
            fputs("    if (", o);
            expr(b, refusal);
            fputs(") {\n        gpu_refuse(w, op, NULL);\n"
                  "        GPU_NEXT(w, op);\n    }\n",
                  o);
        } else {
            refuse_always(b);
            return;
        }
        refusal = NULL;
    }
    if (!result && !refusal)
        return;
    fprintf(o, "    const uint32_t *const active = GPU_ACTIVE(w, %s_REGISTERS);\n",
            b->e->capital_prefix);
    if (result)
        fputs("    uint32_t *const r = GPU_SLOT(w, op->result);\n", o);
    if (refusal)
        fputs("    uint32_t refused = 0;\n", o);
    copy_crossed(b, h);
    fputs("    for (size_t base = 0; base < w->lanes; base += GPU_LANE_CHUNK) {\n"
          "    GPU_IVDEP\n"
          "    for (size_t chunk = 0; chunk < GPU_LANE_CHUNK; chunk++) {\n"
          "        const size_t l = base + chunk;\n",
          o);
    load_sources(b, h);
    body_write(b);
    fputs("    }\n    }\n", o);
    if (refusal) {
        fputs("    if (refused)\n    ", o);
        refuse_always(b);
    }
}

/* Writes a loop over the active lanes, the only ones that have effects. */
static void effects_loop(struct body *b, const struct lane_handler *h)
{
    if (uses_result(b->f))
        fputs("    uint32_t *const r = GPU_SLOT(w, op->result);\n", b->o);
    copy_crossed(b, h);
    fputs("    for (uint32_t left = w->active; left; left &= left - 1) {\n"
          "        const unsigned l __attribute__((unused)) = (unsigned)__builtin_ctz(left);\n",
          b->o);
    load_sources(b, h);
    body_write(b);
    fputs("    }\n", b->o);
}

static void write_handler(struct emit *e, FILE *o, struct lane_handler *h)
{
    struct body b = body_new(e, o, h->f, h->is_straight ? &straight_dialect : &lane_dialect);

    find_operands_and_sources(&b, h);
    body_plan(&b);
    body_where_from(o, h->form->exec);
    fprintf(o, "static void h_%s(GPU_HANDLER_ARGS)\n{\n", h->name);
    write_prologue(&b, h);
    if (h->is_straight)
        straight_loop(&b, h);
    else
        effects_loop(&b, h);
    fputs("    GPU_NEXT(w, op);\n}\n\n", o);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool file_of_part(struct emit *e, const lane_list *handlers, unsigned part)
{
    unsigned n = handlers->len, parts = e->opt->parts;
    unsigned from = n * part / parts, to = n * (part + 1) / parts;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_exec_%u.c", e->prefix, part)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->prefix);
    for (unsigned i = from; i < to; i++) {
        handlers->data[i]->part = part;
        handlers->data[i]->number = i - from;
        write_handler(e, o.f, handlers->data[i]);
    }
    fprintf(o.f, "gpu_handler *const GPU_LEVEL_NAME(%s_handlers_%u)[] = {\n", e->prefix, part);
    for (unsigned i = from; i < to; i++)
        fprintf(o.f, "    h_%s,\n", handlers->data[i]->name);
    fputs("    NULL,\n};\n", o.f);
    return out_close(e, &o);
}

bool lane_emit_handlers(struct emit *e, const lane_list *handlers)
{
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(e, handlers, i);
    return ok;
}
