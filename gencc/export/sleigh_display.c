/*
 * The display of constructors: each path through the function that prints an instruction is a text,
 * for the words that take it.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_PATHS = 24, MAX_TEXT = 256 };

struct path {
    struct sl_form *f;
    sl_texts *out;
    VEC(const struct ir_value *) pieces;
    VEC(struct sl_condition) conditions;
    unsigned paths, unknown; /* paths, and those whose words cannot be told */
};

/* ---- texts of all values --------------------------------------------------------------------- */

/* The text of a key that a map does not have: SLEIGH's mark of a value without a name */
static const char missing[] = "_";

/* The text that a piece writes for a word, or `missing`; NULL: none can be told. */
static const char *text_for(struct sl_form *f, const struct ir_value *piece, u128 word)
{
    static const char *const formats[] = {
#define X(NAME, name) #name,
        ASM_FORMATS(X)
#undef X
    };
    char buffer[MAX_TEXT];
    struct asm_out o = {.text = buffer, .size = sizeof(buffer)};
    const char *name = piece->ops.data[0]->text;
    u128 value;

    buffer[0] = '\0';
    if (!sl_evaluate(f, piece->ops.data[1], word, &value))
        return NULL;
    if (piece->fn->intrinsic == IR_I_ASM_NUMBER) {
        for (unsigned i = 0; i < ASM_FORMAT_COUNT; i++)
            if (!strcmp(formats[i], name))
                asm_put_number(&o, (enum asm_format)i, (int64_t)value);
    } else {
        vec_for_each (&f->s->isa->maps, m)
            if (!strcmp((*m)->name, name)) {
                if (piece->fn->intrinsic == IR_I_ASM_MAP &&
                    !asm_table_find(text_table(f->s->text, *m), (int64_t)value))
                    return missing;
                if (piece->fn->intrinsic == IR_I_ASM_LIST)
                    asm_put_list(&o, text_table(f->s->text, *m), (int64_t)value);
                else
                    asm_put_map(&o, text_table(f->s->text, *m), (int64_t)value);
            }
    }
    return o.cut ? NULL : arena_strdup(f->s->arena, buffer);
}

static const char *quoted(struct sl_form *f, const char *text)
{
    char *copy = arena_strdup(f->s->arena, text);

    for (char *c = copy; *c; c++)
        if (*c == '"')
            *c = '\'';
    return arena_printf(f->s->arena, "\"%s\"", copy);
}

/* Whether the symbol stands in the display already: it cannot stand there twice. */
static bool is_shown(struct sl_form *f, const char *symbol)
{
    vec_for_each (&f->shown, s)
        if (!strcmp(*s, symbol))
            return true;
    vec_push_in(f->s->arena, &f->shown, symbol);
    return false;
}

/* A field with a name for each value */
static const char *named_field(struct sl_form *f, const struct ir_value *piece, u128 bits)
{
    unsigned lsb, count;
    const char *list = "names [";

    if (!sl_is_run(bits, &lsb, &count) || count > SL_ENUMERATED)
        return NULL;
    for (unsigned n = 0; n < 1u << count; n++) {
        const char *text = text_for(f, piece, sl_spread(f, bits, n));

        if (!text)
            return NULL;
        list = arena_printf(f->s->arena, "%s %s", list, text == missing ? text : quoted(f, text));
    }
    for (list = arena_printf(f->s->arena, "%s ]", list);;
         list = arena_printf(f->s->arena, "%s ", list)) {
        const char *symbol = sl_field(f, lsb, count, list);

        if (!is_shown(f, symbol))
            return sl_use(f, symbol);
    }
}

/* A subtable with a constructor for each value of bits that are not side by side */
static const char *named_table(struct sl_form *f, const struct ir_value *piece, u128 bits)
{
    const char *name, *body = "", *known;

    if (count_bits(bits) > SL_ENUMERATED)
        return NULL;
    for (unsigned n = 0; n < 1u << count_bits(bits); n++) {
        u128 word = sl_spread(f, bits, n);
        const char *text = text_for(f, piece, word);

        if (!text)
            return NULL;
        if (text != missing)
            body = arena_printf(f->s->arena, "%s@: %s is %s { }\n", body, quoted(f, text),
                                sl_constraint(f, bits, word & bits) + 3);
    }
    known = name_map_get(&f->s->table_names, body);
    if (!*body || (known && !is_shown(f, known)))
        return known ? sl_use(f, known) : NULL;
    name = arena_printf(f->s->arena, "_text%u", ++f->s->next_table);
    name_map_put(f->s->arena, &f->s->table_names, body, (void *)name);
    for (const char *c = body; *c; c++)
        fputs(*c == '@' ? name : (char[]){*c, '\0'}, f->s->tables);
    is_shown(f, name);
    return sl_use(f, name);
}

/* An action. Ghidra's compiler does not survive an operand that is nothing but another one. */
static const char *action(struct sl_form *f, const char *name, const char *value)
{
    bool operand = !strpbrk(value, " (") && *value != '0';

    return arena_printf(f->s->arena, "%s = %s%s;", name, value, operand ? " + 0" : "");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const char *address(struct sl_form *f, const char *base, const char *number)
{
    const char *sum = arena_printf(f->s->arena, "%s + %s", base, number);

    return f->s->model->word_bits == 64 ? sum
                                        : arena_printf(f->s->arena, "(%s) $and 0xffffffff", sum);
}

/* What a number shows, as an expression; NULL: SLEIGH cannot print it. */
static const char *shown(struct sl_form *f, const char *format, const char *x)
{
    static const char *const plain[] = {"dec", "unsigned", "hex", "word", "capital"};

    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        if (!strcmp(plain[i], format))
            return x;
    if (!strcmp(format, "address"))
        return address(f, "inst_start", x);
    if (!strcmp(format, "page"))
        return address(f, "(inst_start $and (-0x1000))", x);
    if (!strcmp(format, "aligned"))
        return address(f, "(inst_start $and (-4))", x);
    return NULL;
}

static const char *region(struct sl_form *f, const struct ir_value *v, const char *x)
{
    u128 packed;
    unsigned bits, ahead;

    if (!sl_evaluate(f, v, f->value, &packed))
        return NULL;
    bits = (unsigned)(packed >> ASM_REGION_BITS_AT) & 0xff;
    ahead = (unsigned)(packed >> ASM_REGION_AHEAD_AT) & 0xff;
    return arena_printf(f->s->arena, "((inst_start + %u) $and (-0x%llx)) | (%s $and 0x%llx)", ahead,
                        1ull << bits, x, (1ull << bits) - 1);
}

static const char *number(struct sl_form *f, const struct ir_value *piece)
{
    const struct ir_value *v = piece->ops.data[1];
    const char *x = sl_number(f, v), *value, *name, *format = piece->ops.data[0]->text;

    if (!x)
        return NULL;
    value = strcmp(format, "region") ? shown(f, format, x) : region(f, v, x);
    if (!value)
        return NULL;
    name = arena_printf(f->s->arena, "_shown%u", f->actions.len);
    vec_push_in(f->s->arena, &f->actions, action(f, name, value));
    return name;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* What a piece adds to the display; NULL: nothing can show it. */
static const char *piece_text(struct sl_form *f, const struct ir_value *piece)
{
    const struct ir_value *v;
    const char *symbol;
    u128 bits;

    if (piece->fn->intrinsic == IR_I_ASM_TEXT)
        return quoted(f, piece->ops.data[0]->text);
    v = piece->ops.data[1];
    symbol = piece->fn->intrinsic == IR_I_ASM_NUMBER ? number(f, piece) : NULL;
    if (symbol || !sl_depends(f, v, &bits))
        return symbol;
    if (!bits && piece->fn->intrinsic != IR_I_ASM_NUMBER)
        return quoted(f, text_for(f, piece, f->value));
    symbol = named_field(f, piece, bits);
    return symbol ? symbol : named_table(f, piece, bits);
}

/* What stands for a piece that cannot be shown: the bits that decide on it */
static const char *raw_bits(struct sl_form *f, const struct ir_value *piece)
{
    const char *text = "", *name, *field;
    u128 bits;

    f->s->skipped_texts++;
    if (!sl_depends(f, piece->ops.data[1], &bits))
        return "\"?\"";
    for (unsigned at = 0; at < f->width; at++) {
        unsigned end = at;

        if (!(bits >> at & 1))
            continue;
        while (end + 1 < f->width && bits >> (end + 1) & 1)
            end++;
        name = arena_printf(f->s->arena, "_shown%u", f->actions.len);
        field = sl_use(f, sl_field(f, at, end - at + 1, NULL));
        vec_push_in(f->s->arena, &f->actions, action(f, name, field));
        text = arena_printf(f->s->arena, "%s%s_shown%u", text, *text ? "^\":\"^" : "\"?\"^",
                            f->actions.len - 1);
        at = end;
    }
    return *text ? text : "\"?\"";
}

/* The first blank of the first text ends the mnemonic. */
static void add_text(struct path *p, const char *constraint)
{
    struct sl_form *f = p->f;
    struct sl_text t = {.constraint = constraint};
    const char *all = "";
    bool blank = false;

    memset(&f->uses, 0, sizeof(f->uses));
    memset(&f->actions, 0, sizeof(f->actions));
    memset(&f->shown, 0, sizeof(f->shown));
    vec_for_each (&p->pieces, it) {
        const char *text = piece_text(f, *it), *gap;

        text = text ? text : raw_bits(f, *it);
        gap = !blank && *text == '"' ? strchr(text, ' ') : NULL;
        if (gap) {
            text = arena_printf(f->s->arena, "%.*s\" \"%s", (int)(gap - text), text, gap + 1);
            blank = true;
        }
        all = arena_printf(f->s->arena, "%s^%s", all, text);
    }
    t.display = all;
    memcpy(&t.uses, &f->uses, sizeof(t.uses));
    memcpy(&t.actions, &f->actions, sizeof(t.actions));
    vec_push_in(f->s->arena, p->out, t);
}

static void end_path(struct path *p, const struct ir_value *ret)
{
    const char *constraint = sl_conditions(p->f, p->conditions.data, p->conditions.len);
    u128 value;

    if (sl_evaluate(p->f, ret->ops.data[0], p->f->value, &value) && !value)
        return;
    p->unknown += !constraint;
    if (constraint && constraint != sl_never)
        add_text(p, constraint);
}

static void walk(struct path *p, const struct ir_block *b)
{
    const struct ir_value *last = b->last;
    unsigned kept = p->pieces.len;

    for (const struct ir_value *v = b->first; v != last; v = v->next)
        if (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_ASM)
            vec_push_in(p->f->s->arena, &p->pieces, v);
    if (last->op == IR_BR) {
        walk(p, last->targets.data[0]);
    } else if (last->op == IR_RET && ++p->paths <= MAX_PATHS) {
        end_path(p, last);
    } else if (last->op == IR_CBR && p->paths < MAX_PATHS) {
        struct sl_condition c = {last->ops.data[0], true};

        for (unsigned i = 0; i < 2; i++, c.sense = false) {
            vec_push_in(p->f->s->arena, &p->conditions, c);
            walk(p, last->targets.data[i]);
            p->conditions.len--;
        }
    } else {
        p->unknown++;
    }
    p->pieces.len = kept;
}

void sl_display(struct sl_form *f, sl_texts *out)
{
    struct path p = {.f = f, .out = out};
    const struct instr *in = f->form->instr;
    const struct ir_func *text = in->ast->syntax.len ? in->text : in->format->text;

    if (text)
        walk(&p, text->blocks.data[0]);
    f->s->skipped_texts += p.unknown;
    if (out->len && !p.unknown)
        return;
    /* A text of all words: Ghidra takes no other of them, nor a second constructor like it. */
    vec_for_each (out, t)
        if (!*t->constraint)
            return;
    /* Words of which it cannot be told how they are printed */
    vec_push_in(f->s->arena, out,
                ((struct sl_text){.display = arena_printf(f->s->arena, "^\"%s\"", f->form->name),
                                  .constraint = "",
                                  .is_rest = true}));
}
