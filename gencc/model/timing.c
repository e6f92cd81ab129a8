/*
 * Timings (ac_timing): what an instruction takes on an in-order core, or on another one, by its
 * class. The numbers are those of a manual; a class's ticks are computed here.
 */
#include "gencc/model/internal.h"

#include <string.h>

/* A number that a timing or a class may have. */
struct word {
    const char *name;
    unsigned least, most;
};

enum { CLOCK, TICKS, ISSUE, TIMING_WORDS };
enum { LATENCY, PIPES, BUSY, CYCLES, CLASS_WORDS };

static const struct word timing_words[TIMING_WORDS] = {
    [CLOCK] = {"clock", 1, 1000000},
    [TICKS] = {"ticks", 1, 64},
    [ISSUE] = {"issue", 1, 64},
};
static const struct word class_words[CLASS_WORDS] = {
    [LATENCY] = {"latency", 1, 1000},
    [PIPES] = {"pipes", 1, 64},
    [BUSY] = {"busy", 1, 1000},
    [CYCLES] = {"cycles", 1, 1000},
};

/* Enters a number into `values`, which are 0 at first. */
static void read_word(struct builder *b, const struct ast_timing_word *w, const struct word *known,
                      unsigned count, unsigned *values)
{
    struct name_guess guess = {.wrong = w->name};

    for (unsigned n = 0; n < count; n++) {
        const struct word *k = &known[n];

        name_guess_offer(&guess, k->name);
        if (strcmp(k->name, w->name) != 0)
            continue;
        if (values[n])
            diag_error(b->d, w->pos, "\"%s\" is given twice", w->name);
        if (w->value < k->least || w->value > k->most)
            diag_error(b->d, w->pos, "\"%s\" is %u to %u, not %u", w->name, k->least, k->most,
                       w->value);
        values[n] = w->value < k->least || w->value > k->most ? k->least : w->value;
        return;
    }
    diag_unknown(b->d, w->pos, &guess, "unknown number \"%s\" of a timing", guess.wrong);
}

static void check_class(struct builder *b, const struct ast_timing *t,
                        const struct ast_timing_class *c)
{
    struct name_guess guess = {.wrong = c->name};

    for (const struct ast_timing_class *old = t->classes.data; old != c; old++)
        if (strcmp(old->name, c->name) == 0)
            diag_error(b->d, c->pos, "class \"%s\" has its numbers already", c->name);
    vec_for_each (&b->m->isas, isa) {
        vec_for_each (&(*isa)->instrs, i) {
            if (strcmp((*i)->klass, c->name) == 0)
                return;
            name_guess_offer(&guess, (*i)->klass);
        }
    }
    if (!b->incomplete)
        diag_unknown(b->d, c->pos, &guess, "unknown class \"%s\"", guess.wrong);
}

/*
 * The ticks of a class: an issue slot, half of the further time for which its pipe is occupied,
 * since other pipes run in the meantime, and half of the cycles beyond the first for which its
 * result is awaited, as if every other result were needed at once. Rounded to nearest, at least 1.
 */
static unsigned ticks_of_class(const unsigned timing[], const unsigned row[])
{
    unsigned latency = row[LATENCY] ? row[LATENCY] : 1, pipes = row[PIPES] ? row[PIPES] : 1;
    unsigned issue = timing[ISSUE], used = (row[BUSY] ? row[BUSY] : 1) * issue;
    /* In units of 1 / (2 * issue * pipes) cycles */
    uint64_t slot = 2u * pipes, further = used > pipes ? used - pipes : 0;
    uint64_t awaited = (uint64_t)(latency - 1) * issue * pipes, unit = (uint64_t)2 * issue * pipes;
    uint64_t ticks = (2 * timing[TICKS] * (slot + further + awaited) + unit) / (2 * unit);

    if (row[CYCLES])
        return row[CYCLES] * timing[TICKS];
    return ticks ? (unsigned)ticks : 1;
}

static void build_class(struct builder *b, const struct ast_timing_class *c,
                        const unsigned timing[], struct timing *out)
{
    unsigned row[CLASS_WORDS] = {0};
    struct class_time time = {.name = c->name};

    vec_for_each (&c->words, w)
        read_word(b, w, class_words, CLASS_WORDS, row);
    if (row[CYCLES] && (row[LATENCY] || row[PIPES] || row[BUSY]))
        diag_error(b->d, c->pos, "the cycles of class \"%s\" leave nothing to compute", c->name);
    time.ticks = ticks_of_class(timing, row);
    vec_push_in(b->a, &out->classes, time);
}

static void build_timing(struct builder *b, const struct ast_timing *ast)
{
    struct timing t = {.name = ast->name, .source = ast->source};
    unsigned values[TIMING_WORDS] = {0};

    vec_for_each (&b->m->timings, old)
        if (strcmp(old->name, t.name) == 0)
            diag_error(b->d, ast->pos, "timing \"%s\" is declared twice", t.name);
    vec_for_each (&ast->words, w)
        read_word(b, w, timing_words, TIMING_WORDS, values);
    for (unsigned n = 0; n < TIMING_WORDS; n++) {
        if (!values[n])
            diag_error(b->d, ast->pos, "timing \"%s\" has no \"%s\"", t.name, timing_words[n].name);
        values[n] = values[n] ? values[n] : 1;
    }
    t.mhz = values[CLOCK];
    t.ticks_per_cycle = values[TICKS];
    vec_for_each (&ast->classes, c) {
        check_class(b, ast, c);
        build_class(b, c, values, &t);
    }
    vec_push_in(b->a, &b->m->timings, t);
}

void build_timings(struct builder *b)
{
    if (b->m->is_lane && b->ast->timings.len)
        diag_error(b->d, b->ast->timings.data[0].pos, "only CPUs have timings, not lanes");
    vec_for_each (&b->ast->timings, t)
        build_timing(b, t);
}
