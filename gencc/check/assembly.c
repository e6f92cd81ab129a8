/*
 * Checks assembly text: prints words of each form, assembles the text and compares.
 */
#include "gencc/check/assembly.h"
#include "gencc/referee/words.h"
#include "gencc/asm/words/asm.h"
#include "gencc/asm/solve/bits.h"

#include <inttypes.h>
#include <string.h>

enum { WORDS = 4, SEED = 0x5eed, TEXT = 256 };

/* Base of the words' address, which is one unit above: not 0, and no multiple of 4 for units of 16
 * bits. */
enum { ADDRESS = 0x40000 };

struct assembly_check {
    struct isa *isa;
    struct text *text;
    struct diag *diag;
    uint64_t address;
    bool is_unit; /* words of units are assembled within bundles, whose text says more */
};

/* A word, its text, and the word that the text assembles to. Both have the same bits above the
 * word. */
struct trip {
    const struct form *form;
    u128 word, again;
    unsigned width, width_again;
    char text[TEXT];
};

static const char *word_text(const struct assembly_check *c, const struct trip *t)
{
    return word_hex(c->isa->model->arena, t->word & low_bits(t->width), t->width);
}

static const char *again_text(const struct assembly_check *c, const struct trip *t)
{
    return word_hex(c->isa->model->arena, t->again & low_bits(t->width_again), t->width_again);
}

/* ---- which fields decide the text ------------------------------------------------------------ */

/* A search for a field in expressions */
struct naming {
    const struct format *format;
    const struct field *f;
    struct arena scratch;
    bool *seen; /* by field index: the computed field's value was searched; NULL: none was */
};

static bool expr_names(struct naming *n, const struct ast_expr *e);

/* Whether the computed field is visited for the first time: computed fields often refer to each
 * other. */
static bool is_first_time(struct naming *n, const struct field *computed)
{
    bool again;

    if (!n->seen)
        n->seen = arena_alloc(&n->scratch, n->format->fields.len);
    again = n->seen[computed->index];
    n->seen[computed->index] = true;
    return !again;
}

static bool is_named(struct naming *n, const struct field *named)
{
    if (named == n->f)
        return true;
    return named->computed && is_first_time(n, named) &&
           (!named->value || expr_names(n, named->value));
}

static bool expr_names(struct naming *n, const struct ast_expr *e)
{
    const struct field *named = NULL;

    if (!e)
        return false;
    if (e->kind == AST_NAME || e->kind == AST_MEMBER)
        named = format_field(n->format, e->name);
    if (named && is_named(n, named))
        return true;
    for (unsigned k = 0; k < e->args.len; k++)
        if (expr_names(n, e->args.data[k]))
            return true;
    return expr_names(n, e->a) || expr_names(n, e->b) || expr_names(n, e->c);
}

/* Whether the value of an expression can depend on the field. */
static bool names_field(const struct instr *i, const struct ast_expr *e, const struct field *f)
{
    struct naming n = {.format = i->format, .f = f};
    bool found = expr_names(&n, e);

    arena_free(&n.scratch);
    return found;
}

/* Whether the value of a computed field may depend on the field. */
static bool comes_from(const struct instr *i, const struct field *computed, const struct field *f)
{
    return !computed->value || names_field(i, computed->value, f);
}

/* Whether the field is a key of the instruction's family. */
static bool is_key(const struct instr *i, const struct field *f)
{
    if (i->family)
        vec_for_each (&i->family->fields, name)
            if (!strcmp(*name, f->name))
                return true;
    return false;
}

static bool line_names(const struct instr *i, const struct asm_syntax *s, const struct field *f)
{
    if (names_field(i, s->condition, f))
        return true;
    vec_for_each (&s->constraints, c)
        if (!strcmp((*c)->field, f->name) || names_field(i, (*c)->value, f))
            return true;
    vec_for_each (&s->pieces, p)
        vec_for_each (&p->values, v)
            if (names_field(i, *v, f))
                return true;
    return false;
}

/* Whether the behaviour can depend on the field. */
static bool is_read(const struct form *form, const struct field *f)
{
    if (!form->exec || is_key(form->instr, f))
        return true;
    vec_for_each (&form->exec->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_WORD ||
                (v->op == IR_FIELD &&
                 (v->field == f || (v->field->computed && comes_from(form->instr, v->field, f)))))
                return true;
    return false;
}

/* A field that differs between the two words, is in no asm line, and matters; NULL if there is
 * none. */
static const struct field *lost_field(const struct trip *t)
{
    vec_for_each (&t->form->instr->format->fields, f) {
        bool named = false;

        if (!(*f)->width || field_extract(*f, t->word) == field_extract(*f, t->again))
            continue;
        vec_for_each (&t->form->instr->syntax, s)
            named |= line_names(t->form->instr, s, *f);
        if (!named && is_read(t->form, *f))
            return *f;
    }
    return NULL;
}

/* ---- what a word shows ----------------------------------------------------------------------- */

/* Whether the other instruction's text usually begins with the same mnemonic. If not, `text` is a
 * special case of the other instruction that shares this text. */
static bool usually_begins_so(const struct assembly_check *c, struct form *other, const char *text)
{
    struct words source = {c->text, SEED};
    size_t length = strcspn(text, " ");
    char its[TEXT];
    u128 word;

    return random_word(&source, other, &word) &&
           text_disasm(c->text, word, other->instr->format->width, c->address, its, sizeof(its)) &&
           strcspn(its, " ") == length && !strncmp(its, text, length);
}

static void judge_again(const struct assembly_check *c, const struct trip *t)
{
    const struct instr *i = t->form->instr;
    bool comes_back = t->again == t->word && t->width_again == t->width;
    struct form *other = comes_back ? NULL : text_decode(c->text, t->again, t->width_again);
    const struct field *f = other && other->instr == i ? lost_field(t) : NULL;
    bool same = other && other->instr != i && t->width == t->width_again &&
                usually_begins_so(c, other, t->text);

    if (f)
        diag_judge(c->diag, WARN_ASM_LOSES, i->pos, true,
                   "no asm line of \"%s\" shows \"%s\": '%s' is %s and assembles to %s", i->name,
                   f->name, t->text, word_text(c, t), again_text(c, t));
    diag_judge(c->diag, WARN_ASM_SAME, i->pos, same,
               "\"%s\" (line %u) has the same text: '%s' is %s and assembles to %s",
               same ? other->instr->name : "", same ? other->instr->pos.line : 0, t->text,
               word_text(c, t), again_text(c, t));
}

static void judge_word(const struct assembly_check *c, struct trip *t)
{
    const struct instr *i = t->form->instr;
    u128 above = t->word & ~low_bits(t->width);
    const struct text_line line = {.text = t->text, .address = c->address};
    struct text_word again;
    char err[512];

    if (!text_disasm(c->text, t->word, t->width, c->address, t->text, sizeof(t->text))) {
        diag_judge(c->diag, WARN_ASM_MISSING, i->pos, !c->is_unit,
                   "no asm line of \"%s\" writes %s", i->name, word_text(c, t));
        return;
    }
    if (text_is_cut(c->text) || (c->is_unit && !*t->text))
        return;
    if (c->isa->context.slot)
        text_asm_in_context(c->text, (unsigned)(above >> CONTEXT_LSB));
    if (!text_asm(c->text, &line, &again, err, sizeof(err))) {
        diag_judge(c->diag, WARN_ASM_UNREAD, i->pos, true,
                   "'%s', the text of %s, cannot be assembled: %s", t->text, word_text(c, t), err);
        return;
    }
    t->again = again.bits | above;
    t->width_again = again.width;
    judge_again(c, t);
}

/* Whether the instruction has asm lines of its own. Lines that a unit's format provides depend on
 * the whole bundle; assembling them is a search that takes seconds per word. */
static bool has_words_of_its_own(const struct assembly_check *c, const struct instr *i)
{
    return !c->is_unit || i->ast->syntax.len;
}

static void judge_form(const struct assembly_check *c, struct form *form, struct words *source)
{
    struct trip t = {.form = form, .width = form->instr->format->width};

    if (!form->instr->syntax.len) {
        diag_judge(c->diag, WARN_ASM_MISSING, form->instr->pos, true, "\"%s\" has no asm line",
                   form->instr->name);
        return;
    }
    if (!has_words_of_its_own(c, form->instr))
        return;
    for (unsigned n = 0; n < WORDS && random_word(source, form, &t.word); n++)
        judge_word(c, &t);
}

static bool is_unit(const struct isa *isa)
{
    vec_for_each (&isa->model->isas, i)
        if ((*i)->bundle)
            return true;
    return false;
}

void check_assembly(struct isa *isa, struct text *t)
{
    struct assembly_check c = {
        .isa = isa,
        .text = t,
        .diag = isa->model->diag,
        .address = ADDRESS + isa->fetch_bits / 8,
        .is_unit = is_unit(isa),
    };
    struct words source = {t, SEED};

    vec_for_each (&isa->forms, f)
        judge_form(&c, *f, &source);
    text_asm_in_context(t, 0);
}
