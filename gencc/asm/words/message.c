/*
 * The message for a line that has no word. If the line can be read, each operand's demands are
 * dropped in turn. If a word exists without them, that operand is the error. Its valid range is
 * computed from its expression over the open bits of that word.
 */
#include "gencc/asm/words/job.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SAMPLES = 24, MAX_WEIGHTS = 64, MAX_NAMED = 40 };

/* Numbers from `min` to `max` with distance `step`. */
struct range {
    int64_t min, max;
    uint64_t step; /* 0: not known */
};

/* The wrong operand; of several candidates the best. */
struct blame {
    struct asm_job *job;
    const char *text; /* in the statement; NULL: none was found */
    size_t length;
    const struct asm_syntax *syntax;
    const struct asm_piece *piece;
    int64_t number; /* value as read */
    struct range range;
};

/* ---- what an operand may be ------------------------------------------------------------------ */

static uint64_t size_of(int64_t weight)
{
    return weight < 0 ? -(uint64_t)weight : (uint64_t)weight;
}

static bool has_weight(const int64_t *weights, unsigned n, uint64_t size)
{
    for (unsigned i = 0; i < n; i++)
        if (size_of(weights[i]) == size)
            return true;
    return false;
}

/* The range of sums of `n` weights. If weights are a step times consecutive powers of two, sums are
 * all multiples in between. */
static struct range range_of_sums(int64_t base, const int64_t *weights, unsigned n)
{
    struct range r = {.min = base, .max = base};
    uint64_t step = UINT64_MAX;

    for (unsigned i = 0; i < n; i++) {
        if (weights[i] < 0)
            r.min += weights[i];
        else
            r.max += weights[i];
        if (size_of(weights[i]) < step)
            step = size_of(weights[i]);
    }
    for (unsigned i = 0; i < n; i++)
        if (!has_weight(weights, n, step << i))
            return r;
    r.step = n ? step : 0;
    return r;
}

/* The range of the expression over the `open` bits of a word, if each bit adds a number of its
 * own. */
static struct range range_of(struct asm_job *j, struct form *form, const struct word_expr *e,
                             u128 word, u128 open)
{
    int64_t base, value, weights[MAX_WEIGHTS];
    unsigned n = count_bits(open);
    uint64_t dice = 1;

    if (!n || n > MAX_WEIGHTS || !word_expr_value(j->text, form, e, word & ~open, &base))
        return (struct range){0};
    for (unsigned i = 0; i < n; i++) {
        u128 bit = bits_scatter((uint64_t)1 << i, open);

        if (!word_expr_value(j->text, form, e, (word & ~open) | bit, &value) || value == base)
            return (struct range){0};
        weights[i] = (int64_t)((uint64_t)value - (uint64_t)base);
    }
    for (unsigned k = 0; k < SAMPLES; k++) {
        uint64_t some = k ? dice : UINT64_MAX;
        uint64_t sum = (uint64_t)base;

        for (unsigned i = 0; i < n; i++)
            sum += some >> i & 1 ? (uint64_t)weights[i] : 0;
        if (!word_expr_value(j->text, form, e, (word & ~open) | bits_scatter(some, open), &value) ||
            (uint64_t)value != sum)
            return (struct range){0};
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407U;
    }
    return range_of_sums(base, weights, n);
}

/* Bits of the word that are open in the pattern of the form to which the word belongs. */
static u128 open_bits(const struct form *form, u128 word)
{
    vec_for_each (&form->patterns, p)
        if ((word & p->mask) == p->value)
            return ~p->mask & low_bits(form->instr->format->width);
    return 0;
}

/* ---- which operand it is --------------------------------------------------------------------- */

static enum solve_verdict take_first(void *opaque, u128 word)
{
    struct asm_job *j = opaque;
    struct form *form = text_decode(j->text, word, j->line->instr->format->width);

    if (!form || form != j->form)
        return SOLVE_NO;
    for (unsigned i = 0; i < j->count; i++)
        if (!demand_met(j->text, form, &j->demands[i], word))
            return SOLVE_NO;
    j->word = word;
    return SOLVE_YES;
}

static bool is_wider(const struct range *a, const struct range *b)
{
    return a->step &&
           (!b->step || (uint64_t)a->max - (uint64_t)a->min > (uint64_t)b->max - (uint64_t)b->min);
}

/* Records a piece without which there is a word. Numbers are preferred to maps, and wide ranges to
 * narrow ones. */
static void note_range(struct blame *b, const struct matcher *m, unsigned piece, struct range range)
{
    const struct operand *o = &m->operands[piece];
    const struct asm_piece *p = &m->syntax->pieces.data[piece];

    if (b->text && !(!p->map && b->piece->map) && !is_wider(&range, &b->range))
        return;
    b->text = o->text + strspn(o->text, " \t");
    b->length = o->length - (size_t)(b->text - o->text);
    b->syntax = m->syntax;
    b->piece = p;
    b->number = o->number;
    b->range = range;
}

static void try_without(struct blame *b, const struct matcher *m, unsigned piece,
                        const struct word_expr *e)
{
    const struct asm_piece *p = &m->syntax->pieces.data[piece];
    struct asm_job *j = b->job;

    j->undemanded_piece = piece + 1;
    vec_for_each (&j->line->instr->forms, f) {
        struct solver s = {
            .text = j->text, .judge = take_first, .opaque = j, .limit = ASM_MESSAGE_TRIALS};
        struct range range = {0};

        j->form = *f;
        if (!asm_collect_demands(j, m, NULL))
            continue;
        s.demands = j->demands;
        s.count = j->open_count;
        if (!solve_form(&s, *f))
            continue;
        if (!p->map)
            range = range_of(j, *f, e, j->word, e->depends & open_bits(*f, j->word));
        note_range(b, m, piece, range);
    }
    j->undemanded_piece = 0;
}

/* Called for each reading of the line. */
static bool find_blame(void *opaque, const struct matcher *m)
{
    struct blame *b = opaque;
    struct line *line = b->job->line;
    unsigned value = 0;

    if (!line_prepare(b->job->text, line))
        return false;
    for (unsigned i = 0; i < m->syntax->pieces.len; i++) {
        const struct asm_piece *p = &m->syntax->pieces.data[i];

        if (!p->text && p->values.len && m->operands[i].length)
            try_without(b, m, i, line->values.data[value]);
        value += p->values.len;
    }
    return false;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void range_text(char *out, size_t n, const struct blame *b)
{
    const struct range *r = &b->range;
    bool hex = b->piece->number == ASM_HEX || b->piece->number == ASM_CAPITAL ||
               b->piece->number == ASM_WORD;
    size_t k;

    k = (size_t)snprintf(
        out, n, hex && r->min >= 0 ? "%" PRId64 " to %#" PRIx64 : "%" PRId64 " to %" PRId64, r->min,
        r->max);
    if (r->step > 1 && k < n)
        snprintf(out + k, n - k,
                 r->min % (int64_t)r->step ? ", in steps of %" PRIu64 : ", a multiple of %" PRIu64,
                 r->step);
}

/* Whether the number is outside the range, so that the range explains the error. */
static bool range_tells(const struct blame *b)
{
    const struct range *r = &b->range;

    return r->step && (b->number < r->min || b->number > r->max ||
                       ((uint64_t)b->number - (uint64_t)r->min) % r->step);
}

static void explain_operand(const struct blame *b, struct arena *scratch, char *err, size_t n)
{
    const char *name = syntax_operand(b->piece);
    int length = b->length > MAX_NAMED ? MAX_NAMED : (int)b->length;
    char range[128];

    if (b->piece->map || !range_tells(b)) {
        snprintf(err, n, "%.*s cannot be <%s> here: %s", length, b->text, name,
                 syntax_text(scratch, b->syntax));
        return;
    }
    range_text(range, sizeof(range), b);
    if (asm_is_target(b->piece->number))
        snprintf(err, n, "%.*s is out of reach: it is %" PRId64 " away, and <%s> is %s: %s", length,
                 b->text, b->number, name, range, syntax_text(scratch, b->syntax));
    else
        snprintf(err, n, "%.*s is out of range: <%s> is %s: %s", length, b->text, name, range,
                 syntax_text(scratch, b->syntax));
}

/* Explains a line that can be read. */
static void explain_operands(struct asm_job *j, const char *mnemonic, size_t length,
                             struct arena *scratch, char *err, size_t n)
{
    struct blame b = {.job = j};

    if (!j->around) {
        j->matcher.found = find_blame;
        j->matcher.opaque = &b;
        asm_try_all(j, mnemonic, length);
    }
    if (b.text)
        explain_operand(&b, scratch, err, n);
    else
        snprintf(err, n, "no encoding of '%.*s' takes these operands; closest: %s", (int)length,
                 mnemonic, syntax_text(scratch, j->closest));
}

static void explain_rest(const struct asm_job *j, const char *mnemonic, size_t length,
                         struct arena *scratch, char *err, size_t n)
{
    const char *rest = j->statement + j->closest_at;

    if (isalnum((unsigned char)*rest)) /* show the whole word */
        while (rest > j->statement && isalnum((unsigned char)rest[-1]))
            rest--;
    rest += strspn(rest, " \t");
    j->text->assembler->error_offset = (size_t)(rest - j->statement);
    if (*rest)
        snprintf(err, n, "no syntax of '%.*s' fits at '%.32s'; closest: %s", (int)length, mnemonic,
                 rest, syntax_text(scratch, j->closest));
    else
        snprintf(err, n, "no syntax of '%.*s' ends here; closest: %s", (int)length, mnemonic,
                 syntax_text(scratch, j->closest));
}

/* Explains an unknown name in place of a number, or an error in an expression there. */
static bool explain_name(const struct asm_job *j, struct arena *scratch, char *err, size_t n)
{
    const struct asm_names *names = j->matcher.names;
    const char *rest = j->statement + j->closest_at;

    if (names && names->problem) {
        snprintf(err, n, "%s", names->problem);
        return true;
    }
    rest += strspn(rest, " \t");
    if (!names || !names->unknown || names->unknown < rest)
        return false;
    snprintf(err, n, "unknown name '%.*s'; closest: %s", (int)names->unknown_length, names->unknown,
             syntax_text(scratch, j->closest));
    return true;
}

static void explain_mnemonic(const struct asm_job *j, const char *mnemonic, size_t length,
                             char *err, size_t n)
{
    struct name_guess guess = {.wrong = mnemonic};

    vec_for_each (&j->text->assembler->index.lines, line)
        if ((*line)->start[0])
            name_guess_offer(&guess, (*line)->start);
    snprintf(err, n,
             guess.best ? "unknown mnemonic '%.*s'; did you mean '%s'?" : "unknown mnemonic '%.*s'",
             (int)length, mnemonic, guess.best);
}

void asm_explain(struct asm_job *j, const char *mnemonic, size_t length, char *err, size_t n)
{
    struct arena scratch = {0};

    if (j->has_match)
        explain_operands(j, mnemonic, length, &scratch, err, n);
    else if (j->closest && j->closest_at >= length && explain_name(j, &scratch, err, n))
        ;
    else if (j->closest && j->closest_at >= length)
        explain_rest(j, mnemonic, length, &scratch, err, n);
    else
        explain_mnemonic(j, mnemonic, length, err, n);
    arena_free(&scratch);
}
