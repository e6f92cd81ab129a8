/*
 * Attempts to find the word of a line: reads the line by each asm line that may match, solves the
 * demands of its operands, and prefers a word that is disassembled in the same way.
 */
#include "gencc/asm/words/asm.h"
#include "gencc/asm/words/job.h"
#include "gencc/asm/words/walk.h"

#include <string.h>

enum {
    MAX_DEMANDS = SOLVE_MAX_DEMANDS,
    MAX_CHOICES = 64,     /* combinations of keys that are tried */
    AROUND_TRIALS = 3000, /* evaluations per word within a bundle */
    MAX_STRANGERS = 16,   /* a form is given up after this many words of other forms */
};

/* ---- from operands to demands ---------------------------------------------------------------- */

static bool demand_value(struct asm_job *j, struct word_expr *e, int64_t value, uint64_t mask)
{
    if (j->count == MAX_DEMANDS)
        return false;
    j->demands[j->count++] = (struct demand){.expr = e, .want = {mask, (uint64_t)value & mask}};
    return true;
}

/* Mask of the address width, at which addresses wrap. */
static uint64_t address_mask(const struct asm_job *j)
{
    unsigned bits = j->text->out.addr_bits;

    return bits && bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool demand_sysreg(struct asm_job *j, struct word_expr **values, int64_t code)
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

/* Demands the first of the keys that read as the text. */
static bool demand_decided(struct asm_job *j, const struct asm_piece *p, const struct operand *o,
                           struct word_expr **values, bool proved)
{
    struct asm_decided *d = &j->decided[j->decided_count++];

    *d = (struct asm_decided){
        .map = p->map, .expr = values[0], .text = o->text, .length = o->length, .demand = j->count};
    d->proved = proved;
    if (proved)
        return true;
    d->count =
        j->around->keys(j->around->opaque, p->map, o->text, o->length, d->keys, ASM_MAX_KEYS);
    if (!d->count || p->map->arity != 1)
        return false;
    return d->count > ASM_MAX_KEYS || demand_value(j, d->expr, d->keys[0], UINT64_MAX);
}

static bool demand_piece(struct asm_job *j, const struct asm_piece *p, const struct operand *o,
                         struct word_expr **values, bool proved)
{
    if (p->text)
        return true;
    if (p->map && !p->list && j->around && j->around->decides(j->around->opaque, p->map))
        return demand_decided(j, p, o, values, proved);
    if (p->list)
        return demand_value(j, values[0], o->number, UINT64_MAX);
    if (p->map) {
        for (unsigned i = 0; i < p->map->arity; i++) {
            if (!demand_value(j, values[i], o->entry->keys.data[i], UINT64_MAX))
                return false;
        }
        return true;
    }
    if (p->number == ASM_SYSREG)
        return demand_sysreg(j, values, o->number);
    return demand_value(j, values[0], o->number,
                        asm_is_target(p->number) ? address_mask(j) : UINT64_MAX);
}

/* Demands for the pieces that are `proved` (`which` true), or for the others. */
static bool collect_pieces(struct asm_job *j, const struct matcher *m, const bool *proved,
                           bool which)
{
    const struct line *line = j->line;
    unsigned value = 0;

    for (unsigned i = 0; i < line->syntax->pieces.len; i++) {
        const struct asm_piece *p = &line->syntax->pieces.data[i];
        bool is = proved && proved[i];

        if (is == which && i + 1 != j->undemanded_piece &&
            !demand_piece(j, p, &m->operands[i],
                          line->values.len ? line->values.data + value : NULL, is))
            return false;
        value += p->values.len;
    }
    return true;
}

bool asm_collect_demands(struct asm_job *j, const struct matcher *m, const bool *proved)
{
    j->count = j->decided_count = 0;
    if (!collect_pieces(j, m, proved, false))
        return false;
    vec_for_each (&j->line->conditions, c) {
        if (j->count == MAX_DEMANDS)
            return false;
        j->demands[j->count++] = (struct demand){.expr = *c, .any_nonzero = true};
    }
    j->open_count = j->count;
    return !proved || collect_pieces(j, m, proved, true);
}

/* ---- judging a word -------------------------------------------------------------------------- */

static bool same_operands(const struct asm_job *j, const struct operand *a, const struct operand *b)
{
    for (unsigned i = 0; i < j->line->syntax->pieces.len; i++) {
        const struct asm_piece *p = &j->line->syntax->pieces.data[i];

        if (p->map && !p->list &&
            memcmp(a[i].entry->keys.data, b[i].entry->keys.data,
                   p->map->arity * sizeof(*a[i].entry->keys.data)))
            return false;
        if ((!p->map || p->list) && !p->text && a[i].number != b[i].number)
            return false;
    }
    return true;
}

static bool compare_operands(void *opaque, const struct matcher *m)
{
    const struct asm_job *j = opaque;

    return same_operands(j, m->operands, j->matcher.operands);
}

/* Whether the word is printed by the asm line that it was read with. */
static bool prints_the_same(struct asm_job *j, struct instr *instr, u128 word)
{
    struct text *t = j->text;
    char buf[ASM_MAX_LINE];
    struct matcher m = j->matcher;

    t->out.text = buf;
    t->out.size = sizeof(buf);
    t->out.length = 0;
    t->out.address = j->address;
    buf[0] = '\0';
    if (!text_run_disasm(t, instr, word))
        return false;
    m.line = buf;
    m.found = compare_operands;
    m.opaque = j;
    m.max_found = ASM_MAX_READINGS;
    return match_line(&m);
}

/* Whether the bundle decides the pieces as the line has them. */
static bool reads_around(struct asm_job *j, const struct form *form, u128 word)
{
    const struct text_around *a = j->around;

    a->begin(a->opaque);
    for (unsigned i = 0; i < j->decided_count; i++) {
        const struct asm_decided *d = &j->decided[i];
        int64_t key;

        if (!word_expr_value(j->text, (struct form *)form, d->expr, word, &key) ||
            !a->reads(a->opaque, d->map, key, d->text, d->length)) {
            a->give_up(a->opaque);
            return false;
        }
    }
    return true;
}

/* Judges a word within a bundle: the first word that fits is taken. */
static enum solve_verdict judge_around(struct asm_job *j, struct form *form, u128 word)
{
    if (!reads_around(j, form, word))
        return SOLVE_NO;
    j->word = word;
    j->width = j->line->instr->format->width;
    j->found = j->same_syntax = true;
    return SOLVE_YES;
}

static enum solve_verdict judge_word(void *opaque, u128 word)
{
    struct asm_job *j = opaque;
    struct instr *instr = j->line->instr;
    struct form *form = text_decode(j->text, word, instr->format->width);
    bool same;

    if (!form || form->instr != instr) {
        if (j->solver && ++j->strangers == MAX_STRANGERS)
            j->solver->trials_left = 0;
        return SOLVE_NO;
    }
    for (unsigned i = 0; i < j->count; i++) {
        if (!demand_met(j->text, form, &j->demands[i], word))
            return SOLVE_NO;
    }
    if (j->around)
        return judge_around(j, form, word);
    text_run_decode(j->text, form, word);
    same = prints_the_same(j, instr, word);
    if (!j->found || (same && (!j->same_syntax || instr->format->width < j->width))) {
        j->word = word;
        j->width = instr->format->width;
        j->same_syntax = same;
    }
    j->found = true;
    return same ? SOLVE_YES : SOLVE_NO; /* a better word may come */
}

/* ---- trying asm lines ------------------------------------------------------------------------ */

/* Whether the form's fixed bits give the line's first value, and it differs from the operand. */
static bool is_excluded(struct asm_job *j, struct form *form, const struct matcher *m)
{
    const struct asm_piece *first = j->line->syntax->pieces.data;
    const struct word_expr *e = line_first_value(j->text, j->line);
    int64_t value;

    if (!e || first->list || !first->map || first->map->arity != 1 || !m->operands[0].entry)
        return false;
    vec_for_each (&form->patterns, p)
        if ((e->depends & ~p->mask) || e->uses_decode ||
            !word_expr_value(j->text, form, e, p->value, &value) ||
            value == m->operands[0].entry->keys.data[0])
            return false;
    return true;
}

/* Selects the next combination of keys; false after the last. */
static bool next_choice(struct asm_job *j)
{
    for (unsigned i = 0; i < j->decided_count; i++) {
        struct asm_decided *d = &j->decided[i];

        if (d->proved || d->count > ASM_MAX_KEYS)
            continue;
        d->chosen = d->chosen + 1 < d->count ? d->chosen + 1 : 0;
        j->demands[d->demand].want.value = (uint64_t)d->keys[d->chosen];
        if (d->chosen)
            return true;
    }
    return false;
}

static bool solve_choice(struct asm_job *j, struct form *form)
{
    struct solver s = {.text = j->text,
                       .judge = judge_word,
                       .opaque = j,
                       .demands = j->demands,
                       .count = j->open_count,
                       .start = j->start};

    for (unsigned i = 0; i < j->decided_count; i++)
        if (!j->decided[i].proved && j->decided[i].count > ASM_MAX_KEYS)
            s.tried |= j->decided[i].expr->depends;
    s.limit = j->around ? AROUND_TRIALS : 0;
    j->strangers = 0;
    j->solver = j->around ? &s : NULL;
    return solve_form(&s, form);
}

bool asm_try_reading(void *opaque, const struct matcher *m)
{
    struct asm_job *j = opaque;

    j->has_match = true;
    vec_for_each (&j->line->instr->forms, f) {
        unsigned choices = 0;

        if (is_excluded(j, *f, m))
            continue;
        if (!line_prepare(j->text, j->line) || !asm_collect_demands(j, m, NULL))
            return false;
        do {
            if (solve_choice(j, *f))
                return true;
        } while (++choices < MAX_CHOICES && next_choice(j));
    }
    return false;
}

/* Tries a reading of a word within a bundle, whose pieces were read one by one. */
static bool try_walked(void *opaque, const struct matcher *m, struct bits known, const bool *proved)
{
    struct asm_job *j = opaque;
    unsigned choices = 0;

    j->has_match = true;
    j->start = known;
    if (!line_prepare(j->text, j->line) || !asm_collect_demands(j, m, proved))
        return false;
    do {
        if (solve_choice(j, j->form))
            return true;
    } while (++choices < MAX_CHOICES && next_choice(j));
    return false;
}

/* The key of the line's first piece, if the instruction's fixed bits decide it. */
static bool start_key(struct asm_job *j, struct line *line, int64_t *key)
{
    const struct asm_piece *first = line->syntax->pieces.data;
    const struct word_expr *e = line_first_value(j->text, line);
    bool decided = false;
    int64_t value;

    if (!e || e->uses_decode || !first->map || first->list || first->map->arity != 1 ||
        j->around->decides(j->around->opaque, first->map))
        return false;
    vec_for_each (&line->instr->forms, f)
        vec_for_each (&(*f)->patterns, p) {
            if ((e->depends & ~p->mask) || !word_expr_value(j->text, *f, e, p->value, &value) ||
                (decided && value != *key))
                return false;
            decided = true;
            *key = value;
        }
    return decided;
}

static void look_at_start(struct asm_job *j, struct line *line)
{
    const struct match_table *table;
    int64_t key;

    line->start_is = LINE_STARTS_ANYHOW;
    if (!start_key(j, line, &key))
        return;
    line->start_is = LINE_STARTS_SO;
    table = &j->matcher.tables[line->syntax->pieces.data[0].map->index];
    for (unsigned i = 0; i < table->count; i++)
        if (table->at[i].entry->keys.data[0] == key)
            vec_push_in(j->text->arena, &line->starts, table->at[i].text);
}

/* Whether the statement begins with a text of the line's first piece, if that piece is decided. */
static bool begins_so(struct asm_job *j, struct line *line)
{
    if (line->start_is == LINE_NOT_LOOKED_AT)
        look_at_start(j, line);
    vec_for_each (&line->starts, text)
        if (match_text(&j->matcher, j->statement, *text))
            return true;
    return line->start_is == LINE_STARTS_ANYHOW;
}

static bool walk_forms(struct asm_job *j)
{
    struct walk w = {
        .text = j->text, .line = j->line, .m = &j->matcher, .found = try_walked, .opaque = j};

    if (j->line->syntax->pieces.len > MATCH_MAX_PIECES || !begins_so(j, j->line) ||
        !walk_may_read(&j->matcher, j->line->syntax))
        return false;
    vec_for_each (&j->line->instr->forms, f) {
        w.form = j->form = *f;
        if (walk_line(&w))
            return true;
    }
    return false;
}

static bool try_line(struct asm_job *j, struct line *line)
{
    bool done;

    j->line = line;
    j->matcher.syntax = line->syntax;
    j->matcher.max_found = ASM_MAX_READINGS;
    j->matcher.furthest = 0;
    done = j->around ? walk_forms(j) : match_line(&j->matcher);
    if (!j->closest || j->matcher.furthest > j->closest_at) {
        j->closest = line->syntax;
        j->closest_at = j->matcher.furthest;
    }
    return done;
}

/* Whether a narrower word may have the same text. The narrowest is taken. */
static bool may_be_narrower(const struct asm_job *j)
{
    return !j->around && j->text->isa->word_widths.len && j->width > j->text->isa->fetch_bits;
}

void asm_try_all(struct asm_job *j, const char *mnemonic, size_t length)
{
    const struct line_index *x = &j->text->assembler->index;

    for (size_t n = (length < x->longest ? length : x->longest) + 1; n-- > 0;) {
        for (struct line *line = index_find(x, mnemonic, n); line; line = line->next) {
            if ((!line->start_is_whole || n == length) && try_line(j, line) && !may_be_narrower(j))
                return;
        }
    }
}
