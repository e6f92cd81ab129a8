#include "gencc/text/asm.h"
#include "gencc/text/index.h"
#include "gencc/text/internal.h"
#include "gencc/text/syntax.h"

#include <ctype.h>
#include <stdlib.h>

enum {
    MAX_LINE = 512,    /* characters of a statement */
    MAX_DEMANDS = 256, /* values and conditions of an asm line */
    MAX_READINGS = 64, /* ways to read a line by one asm line */
};

struct text_asm {
    struct line_index index;
    struct match_table *tables; /* by map->index */
};

/* The assembly of one line. */
struct job {
    struct text *text;
    const char *statement;
    uint64_t address;
    struct line *line; /* asm line being tried */
    struct matcher matcher;
    struct demand demands[MAX_DEMANDS];
    unsigned count;
    bool readable; /* some asm line has this form */
    const struct asm_syntax *closest;
    size_t closest_at;
    /* Result: the best word so far. */
    bool found, same; /* same: it is disassembled by the asm line it was read with */
    u128 word;
    unsigned width;
};

/* ---- from operands to demands ---------------------------------------------------------------- */

static bool demand_value(struct job *j, struct word_expr *e, int64_t value, uint64_t mask)
{
    if (j->count == MAX_DEMANDS)
        return false;
    j->demands[j->count++] = (struct demand){.expr = e, .want = {mask, (uint64_t)value & mask}};
    return true;
}

/* Addresses wrap round at their width. */
static uint64_t address_mask(const struct job *j)
{
    unsigned bits = j->text->out.addr_bits;

    return bits && bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool demand_sysreg(struct job *j, struct word_expr **values, int64_t code)
{
    const struct asm_sysregs *s = j->text->sysregs;
    unsigned shift = 0;

    for (unsigned i = s->fields; i-- > 0;) {
        int64_t v = (int64_t)((uint64_t)code >> shift & (((uint64_t)1 << s->widths[i]) - 1));

        if (!demand_value(j, values[i], v, UINT64_MAX))
            return false;
        shift += s->widths[i];
    }
    return true;
}

static bool demand_piece(struct job *j, const struct asm_piece *p, const struct operand *o,
                         struct word_expr **values)
{
    if (p->text)
        return true;
    if (p->map) {
        for (unsigned i = 0; i < p->map->arity; i++) {
            if (!demand_value(j, values[i], o->entry->keys.at[i], UINT64_MAX))
                return false;
        }
        return true;
    }
    if (p->number == ASM_SYSREG)
        return demand_sysreg(j, values, o->number);
    return demand_value(j, values[0], o->number,
                        p->number == ASM_ADDRESS || p->number == ASM_PAGE ? address_mask(j)
                                                                          : UINT64_MAX);
}

static bool collect_demands(struct job *j, const struct matcher *m)
{
    struct line *line = j->line;
    unsigned value = 0;

    j->count = 0;
    for (unsigned i = 0; i < line->syntax->pieces.count; i++) {
        const struct asm_piece *p = &line->syntax->pieces.at[i];

        if (!demand_piece(j, p, &m->operands[i],
                          line->values.count ? line->values.at + value : NULL))
            return false;
        value += p->values.count;
    }
    vec_for_each (&line->conditions, c) {
        if (j->count == MAX_DEMANDS)
            return false;
        j->demands[j->count++] = (struct demand){.expr = *c, .truth = true};
    }
    return true;
}

/* ---- judging a word -------------------------------------------------------------------------- */

static bool same_operands(const struct job *j, const struct operand *a, const struct operand *b)
{
    for (unsigned i = 0; i < j->line->syntax->pieces.count; i++) {
        const struct asm_piece *p = &j->line->syntax->pieces.at[i];

        if (p->map && memcmp(a[i].entry->keys.at, b[i].entry->keys.at,
                             p->map->arity * sizeof *a[i].entry->keys.at))
            return false;
        if (!p->map && !p->text && a[i].number != b[i].number)
            return false;
    }
    return true;
}

static bool compare_operands(void *opaque, const struct matcher *m)
{
    const struct job *j = opaque;

    return same_operands(j, m->operands, j->matcher.operands);
}

/* Whether the word is printed by the asm line that it was read with. */
static bool prints_the_same(struct job *j, struct instr *instr, u128 word)
{
    struct text *t = j->text;
    char buf[MAX_LINE];
    struct matcher m = j->matcher;

    t->out.text = buf;
    t->out.size = sizeof buf;
    t->out.length = 0;
    t->out.address = j->address;
    buf[0] = '\0';
    if (!text_run_disasm(t, instr, word))
        return false;
    m.line = buf;
    m.found = compare_operands;
    m.opaque = j;
    m.max_found = MAX_READINGS;
    return match_line(&m);
}

static enum solve_verdict judge(void *opaque, u128 word)
{
    struct job *j = opaque;
    struct instr *instr = j->line->instr;
    struct form *form = text_decode(j->text, word, instr->format->width);
    bool same;

    if (!form || form->instr != instr)
        return SOLVE_NO;
    for (unsigned i = 0; i < j->count; i++) {
        if (!demand_met(j->text, form, &j->demands[i], word))
            return SOLVE_NO;
    }
    text_run_decode(j->text, form, word);
    same = prints_the_same(j, instr, word);
    if (!j->found || (same && !j->same)) {
        j->word = word;
        j->width = instr->format->width;
        j->same = same;
    }
    j->found = true;
    return same ? SOLVE_YES : SOLVE_NO; /* a better one may come */
}

/* ---- trying asm lines ------------------------------------------------------------------------ */

static bool try_reading(void *opaque, const struct matcher *m)
{
    struct job *j = opaque;
    struct solver s = {.text = j->text, .judge = judge, .opaque = j};

    j->readable = true;
    if (!line_prepare(j->text, j->line) || !collect_demands(j, m))
        return false;
    s.demands = j->demands;
    s.count = j->count;
    vec_for_each (&j->line->instr->forms, f) {
        if (solve_form(&s, *f))
            return true;
    }
    return false;
}

static bool try_line(struct job *j, struct line *line)
{
    bool done;

    j->line = line;
    j->matcher.syntax = line->syntax;
    j->matcher.max_found = MAX_READINGS;
    done = match_line(&j->matcher);
    if (!j->closest || j->matcher.furthest > j->closest_at) {
        j->closest = line->syntax;
        j->closest_at = j->matcher.furthest;
    }
    return done;
}

/* All asm lines whose start is a prefix of the mnemonic, the longest start first. */
static void try_all(struct job *j, const char *mnemonic, size_t length)
{
    const struct line_index *x = &j->text->assembler->index;

    for (size_t n = (length < x->longest ? length : x->longest) + 1; n-- > 0;) {
        for (struct line *line = index_find(x, mnemonic, n); line; line = line->next) {
            if ((!line->closed || n == length) && try_line(j, line))
                return;
        }
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void explain(struct job *j, const char *mnemonic, size_t length, char *err, size_t n)
{
    struct text *t = j->text;
    struct name_guess guess = {.wrong = mnemonic};
    struct arena scratch = {0};

    if (j->readable) {
        snprintf(err, n, "no encoding of '%.*s' takes these operands; closest: %s", (int)length,
                 mnemonic, syntax_text(&scratch, j->closest));
    } else if (j->closest && j->closest_at >= length) {
        const char *rest = j->statement + j->closest_at;

        if (isalnum((unsigned char)*rest)) /* show the whole word */
            while (rest > j->statement && isalnum((unsigned char)rest[-1]))
                rest--;
        rest += strspn(rest, " \t");
        snprintf(err, n, "no syntax of '%.*s' fits at '%.32s'; closest: %s", (int)length, mnemonic,
                 rest, syntax_text(&scratch, j->closest));
    } else {
        vec_for_each (&t->assembler->index.lines, line) {
            if ((*line)->start[0])
                name_guess_offer(&guess, (*line)->start);
        }
        snprintf(err, n,
                 guess.best ? "unknown mnemonic '%.*s'; did you mean '%s'?"
                            : "unknown mnemonic '%.*s'",
                 (int)length, mnemonic, guess.best);
    }
    arena_free(&scratch);
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Copies the statement without its comment and the blanks around it. */
static bool clean_line(const struct text *t, const char *line, char *out, size_t size)
{
    const char *comment = t->isa->ast ? t->isa->ast->line_comment : NULL;
    size_t n = 0;

    while (match_is_blank(*line))
        line++;
    for (const char *p = line; *p && *p != '\n' && *p != '\r'; p++) {
        if (!strncmp(p, "//", 2) || (comment && *comment && !strncmp(p, comment, strlen(comment))))
            break;
        if (n + 1 == size)
            return false;
        out[n++] = *p;
    }
    while (n && match_is_blank(out[n - 1]))
        n--;
    out[n] = '\0';
    return true;
}

/* .inst number */
static bool raw_word(struct text *t, const char *number, u128 *word, unsigned *width, char *err,
                     size_t n)
{
    unsigned bits = t->isa->fetch_bits;
    unsigned long long v;
    char *end;

    v = strtoull(number, &end, 0);
    while (match_is_blank(*end))
        end++;
    if (end == number || *end || (bits < 64 && v >> bits)) {
        snprintf(err, n, ".inst takes a number of %u bits, not '%.32s'", bits, number);
        return false;
    }
    *word = v;
    *width = bits;
    return true;
}

static void prepare_assembler(struct text *t)
{
    struct text_asm *a = arena_new(t->arena, struct text_asm);

    index_build(&a->index, t);
    a->tables = arena_alloc(t->arena, (t->isa->maps.count + 1) * sizeof *a->tables);
    for (unsigned i = 0; i < t->isa->maps.count; i++)
        a->tables[i] = match_table_of(t->arena, t->isa->maps.at[i]);
    t->assembler = a;
}

bool text_asm(struct text *t, const char *line, uint64_t address, u128 *word, unsigned *width,
              char *err, size_t n)
{
    char statement[MAX_LINE], mnemonic[MAX_LINE];
    struct job j = {.text = t, .statement = statement, .address = address};
    size_t length = 0;

    if (!t->assembler)
        prepare_assembler(t);
    if (!clean_line(t, line, statement, sizeof statement)) {
        snprintf(err, n, "the line is longer than %d characters", MAX_LINE - 1);
        return false;
    }
    for (; statement[length] && !match_is_blank(statement[length]); length++)
        mnemonic[length] = (char)tolower((unsigned char)statement[length]);
    mnemonic[length] = '\0';
    if (!length) {
        snprintf(err, n, "there is no instruction");
        return false;
    }
    if (!strcmp(mnemonic, ".inst"))
        return raw_word(t, statement + length, word, width, err, n);
    j.matcher = (struct matcher){.line = statement,
                                 .tables = t->assembler->tables,
                                 .address = address,
                                 .sysregs = t->sysregs,
                                 .found = try_reading,
                                 .opaque = &j};
    try_all(&j, mnemonic, length);
    *word = j.word;
    *width = j.width;
    if (!j.found)
        explain(&j, mnemonic, length, err, n);
    return j.found;
}
