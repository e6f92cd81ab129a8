/*
 * Finds unused words: splits the space of words bit by bit into cubes that are either used or free.
 */
#include "gencc/model/free.h"
#include "gencc/model/internal.h"

#include <stdlib.h>

enum { MAX_WIDTH = 128 };

/* A stack of lists of patterns that may match words of the current cube; the list at the top is in
 * use. */
struct splitter {
    struct arena *a;
    unsigned width;
    VEC(const struct pattern *) stack;
    struct free_words *out;
};

static bool is_disjoint(const struct bit_test *cube, u128 mask, u128 value)
{
    return ((cube->value ^ value) & cube->mask & mask) != 0;
}

/* Whether all words of the cube satisfy (word & mask) == value. */
static bool is_inside(const struct bit_test *cube, u128 mask, u128 value)
{
    return !(mask & ~cube->mask) && (cube->value & mask) == value;
}

/* Whether no word of the cube matches the pattern. */
static bool matches_none(const struct bit_test *cube, const struct pattern *p)
{
    if (is_disjoint(cube, p->mask, p->value))
        return true;
    vec_for_each (&p->nots, n)
        if (is_inside(cube, n->mask, n->value))
            return true;
    return false;
}

/* Whether all words of the cube match the pattern. */
static bool matches_all(const struct bit_test *cube, const struct pattern *p)
{
    if (!is_inside(cube, p->mask, p->value))
        return false;
    vec_for_each (&p->nots, n)
        if (!is_disjoint(cube, n->mask, n->value))
            return false;
    return true;
}

enum { WEIGHT_OF_BITS = 16, WEIGHT_OF_EXCLUSION = 1 };

static void add_weight(unsigned asked[MAX_WIDTH], u128 mask, unsigned weight)
{
    for (uint64_t low = (uint64_t)mask; low; low &= low - 1)
        asked[__builtin_ctzll(low)] += weight;
    for (uint64_t high = (uint64_t)(mask >> 64); high; high &= high - 1)
        asked[64 + __builtin_ctzll(high)] += weight;
}

/* The bit that most patterns test; exclusions weigh less. Of several, the highest. */
static unsigned best_bit(const struct splitter *s, const struct bit_test *cube, unsigned from)
{
    unsigned asked[MAX_WIDTH] = {0}, best = s->width;

    for (unsigned i = from; i < s->stack.len; i++) {
        add_weight(asked, s->stack.data[i]->mask & ~cube->mask, WEIGHT_OF_BITS);
        vec_for_each (&s->stack.data[i]->nots, n)
            if (!is_disjoint(cube, n->mask, n->value))
                add_weight(asked, n->mask & ~cube->mask, WEIGHT_OF_EXCLUSION);
    }
    for (unsigned bit = s->width; bit-- > 0;)
        if (asked[bit] && (best == s->width || asked[bit] > asked[best]))
            best = bit;
    return best;
}

/* The recursion is at most `width` deep, since each step fixes a bit. */
static void split_cube(struct splitter *s, struct bit_test cube, unsigned from)
{
    unsigned end = s->stack.len, bit;

    for (unsigned i = from; i < end; i++)
        if (matches_all(&cube, s->stack.data[i]))
            return;
    if (from == end) {
        vec_push_in(s->a, &s->out->pictures, cube);
        return;
    }
    bit = best_bit(s, &cube, from);
    for (unsigned side = 0; side < 2; side++) {
        struct bit_test half = {cube.mask | (u128)1 << bit, cube.value | (u128)side << bit};

        for (unsigned i = from; i < end; i++) {
            const struct pattern *p = s->stack.data[i];

            if (!matches_none(&half, p))
                vec_push_in(s->a, &s->stack, p);
        }
        split_cube(s, half, end);
        s->stack.len = end;
    }
}

/* ---- fewer pictures -------------------------------------------------------------------------- */

struct candidate {
    struct bit_test cube;
    u128 key; /* value of the cube without the current bit */
};

static int by_number(u128 x, u128 y)
{
    return x < y ? -1 : x > y;
}

static int by_key(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    int order = by_number(a->cube.mask, b->cube.mask);

    return order ? order : by_number(a->key, b->key);
}

/* Merges the pairs of cubes that differ in one bit only; `all` has room for all cubes. */
static void merge_pairs(struct candidate *all, struct free_words *f, unsigned bit)
{
    unsigned count = f->pictures.len;

    for (unsigned i = 0; i < count; i++)
        all[i] =
            (struct candidate){f->pictures.data[i], f->pictures.data[i].value & ~((u128)1 << bit)};
    qsort(all, count, sizeof(*all), by_key);
    f->pictures.len = 0;
    for (unsigned i = 0; i < count; i++) {
        bool pair = i + 1 < count && all[i].cube.mask >> bit & 1 && !by_key(&all[i], &all[i + 1]);

        if (pair) {
            all[i].cube.mask &= ~((u128)1 << bit);
            all[i].cube.value = all[i].key;
        }
        f->pictures.data[f->pictures.len++] = all[i].cube;
        i += pair;
    }
}

static int by_value(const void *x, const void *y)
{
    const struct bit_test *a = x, *b = y;
    int order = by_number(a->value, b->value);

    return order ? order : by_number(a->mask, b->mask);
}

static void merge_cubes(struct arena *a, struct free_words *f)
{
    struct candidate *all = arena_alloc(a, sizeof(*all) * (f->pictures.len + 1));

    for (unsigned bit = 0; bit < f->width; bit++)
        merge_pairs(all, f, bit);
    f->count = 0;
    vec_for_each (&f->pictures, p)
        f->count += (u128)1 << (f->width - count_bits(p->mask));
    if (f->pictures.len)
        qsort(f->pictures.data, f->pictures.len, sizeof(*f->pictures.data), by_value);
}

/* ---- words of several widths ----------------------------------------------------------------- */

/* A row of ac_widths as a picture of words of `width` bits. */
static struct bit_test width_row_picture(const struct isa *isa, const struct word_width *w,
                                         unsigned width)
{
    unsigned shift = isa->high_first ? width - isa->fetch_bits : 0;

    return (struct bit_test){w->mask << shift, w->value << shift};
}

/* Splits the words of this width according to ac_widths from `row` on. Earlier rows have
 * precedence. */
static void split_row(struct splitter *s, const struct isa *isa, unsigned row)
{
    struct bit_test cube = {0};
    unsigned keep = s->stack.len;

    for (unsigned i = 0; i < row; i++) {
        struct bit_test before = width_row_picture(isa, &isa->word_widths.data[i], s->width);
        struct pattern *p = arena_new(s->a, struct pattern);

        p->mask = before.mask;
        p->value = before.value;
        vec_push_in(s->a, &s->stack, p);
    }
    if (row < isa->word_widths.len)
        cube = width_row_picture(isa, &isa->word_widths.data[row], s->width);
    split_cube(s, cube, 0);
    s->stack.len = keep;
}

static u128 words_of_width(struct arena *a, const struct isa *isa, unsigned width)
{
    struct free_words all = {.width = width};
    struct splitter s = {.a = a, .width = width, .out = &all};

    for (unsigned row = 0; row <= isa->word_widths.len; row++)
        if (width ==
            (row < isa->word_widths.len ? isa->word_widths.data[row].bits : isa->fetch_bits))
            split_row(&s, isa, row);
    merge_cubes(a, &all);
    return all.count;
}

/* The words that the pattern matches in any decode context. Exclusions concern the word only. */
static const struct pattern *without_context(struct arena *a, const struct pattern *p,
                                             unsigned width)
{
    struct pattern *word;

    if (!(p->mask & ~low_bits(width)))
        return p;
    word = arena_new(a, struct pattern);
    *word = *p;
    word->mask &= low_bits(width);
    word->value &= low_bits(width);
    return word;
}

static void free_of_width(struct arena *a, const struct isa *isa, unsigned width, free_list *out)
{
    struct free_words f = {.width = width};
    struct splitter s = {.a = a, .width = width, .out = &f};

    vec_for_each (&isa->forms, form)
        vec_for_each (&(*form)->patterns, p)
            if ((*form)->instr->format->width == width)
                vec_push_in(a, &s.stack, without_context(a, p, width));
    for (unsigned row = 0; row <= isa->word_widths.len; row++)
        if (width ==
            (row < isa->word_widths.len ? isa->word_widths.data[row].bits : isa->fetch_bits))
            split_row(&s, isa, row);
    f.total = words_of_width(a, isa, width);
    merge_cubes(a, &f);
    vec_push_in(a, out, f);
}

void isa_free_words(struct arena *a, const struct isa *isa, free_list *out)
{
    if (isa->bundle)
        return;
    free_of_width(a, isa, isa->fetch_bits, out);
    for (unsigned i = 0; i < isa->word_widths.len; i++) {
        bool done = isa->word_widths.data[i].bits == isa->fetch_bits;

        for (unsigned k = 0; k < i; k++)
            done |= isa->word_widths.data[k].bits == isa->word_widths.data[i].bits;
        if (!done)
            free_of_width(a, isa, isa->word_widths.data[i].bits, out);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

void print_picture(FILE *out, const struct bit_test *picture, unsigned width)
{
    for (unsigned bit = width; bit-- > 0;) {
        fputc(picture->mask >> bit & 1 ? '0' + (int)(picture->value >> bit & 1) : 'x', out);
        if (bit && bit % 4 == 0)
            fputc(' ', out);
    }
}

double free_percent(const struct free_words *f)
{
    double total = f->total ? (double)f->total : 0x1p128;

    return 100 * (double)f->count / total;
}

void print_u128(FILE *out, u128 value)
{
    char text[40], *at = text + sizeof(text);

    *--at = 0;
    do
        *--at = (char)('0' + (int)(value % 10));
    while (value /= 10);
    fputs(at, out);
}

void free_print(FILE *out, struct arena *a, const struct isa *isa)
{
    free_list all = {0};

    isa_free_words(a, isa, &all);
    vec_for_each (&all, f) {
        fprintf(out, "isa %s, words of %u bits: ", isa->name, f->width);
        print_u128(out, f->count);
        fputs(" of ", out);
        print_u128(out, f->total);
        fprintf(out, " are free (%.2f %%)\n", free_percent(f));
        vec_for_each (&f->pictures, p) {
            fputs("  ", out);
            print_picture(out, p, f->width);
            fputc('\n', out);
        }
    }
    if (isa->bundle)
        fprintf(out, "isa %s: its words are bundles\n", isa->name);
}
