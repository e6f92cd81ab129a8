/*
 * The index of asm lines: a hash table by the literal text with which a line begins.
 */
#include "gencc/asm/words/index.h"
#include "gencc/disasm/text.h"
#include "gencc/disasm/syntax.h"
#include "common/hash.h"

#include <ctype.h>

static struct line **slot_of(const struct line_index *x, const char *start, size_t length)
{
    for (uint64_t i = hash_bytes(start, length);; i++) {
        struct line **slot = &x->slots[i & (x->size - 1)];

        if (!*slot || (!strncmp((*slot)->start, start, length) && !(*slot)->start[length]))
            return slot;
    }
}

struct line *index_find(const struct line_index *x, const char *start, size_t length)
{
    return *slot_of(x, start, length);
}

/* Sets the line's start: its literal text up to the first blank, in lower case. */
static void find_start(struct arena *a, struct line *line)
{
    const struct asm_piece *first = line->syntax->pieces.data;
    const char *text = line->syntax->pieces.len && first->text ? first->text : "";
    size_t n = 0;
    char *start;

    while (match_is_blank(*text))
        text++;
    while (text[n] && !match_is_blank(text[n]))
        n++;
    line->start_is_whole = text[n] || (n && line->syntax->pieces.len == 1);
    start = arena_strndup(a, text, n);
    for (char *p = start; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    line->start = start;
}

/* Number of bits that all forms of the line's instruction have fixed. */
static unsigned fixed_bits(const struct line *line)
{
    u128 all = ~(u128)0;

    vec_for_each (&line->instr->forms, f)
        vec_for_each (&(*f)->patterns, p)
            all &= p->mask;
    return count_bits(all);
}

/* Adds a line. Lines without a literal start are sorted by falling number of fixed bits: general
 * instructions leave the words of special ones to these. */
static void add_line(struct line_index *x, struct line *line)
{
    struct line **end = slot_of(x, line->start, strlen(line->start));

    line->fixed_bits = fixed_bits(line);
    while (*end && (line->start[0] || (*end)->fixed_bits >= line->fixed_bits))
        end = &(*end)->next;
    line->next = *end;
    *end = line;
}

void index_build(struct line_index *x, struct text *t)
{
    vec_for_each (&t->isa->instrs, in) {
        vec_for_each (&(*in)->syntax, s) {
            struct line *line = arena_new(t->arena, struct line);

            line->instr = *in;
            line->syntax = s;
            find_start(t->arena, line);
            if (strlen(line->start) > x->longest)
                x->longest = strlen(line->start);
            vec_push_in(t->arena, &x->lines, line);
        }
    }
    for (x->size = 16; x->size < 2 * x->lines.len + 2; x->size *= 2)
        ;
    x->slots = arena_alloc(t->arena, x->size * sizeof(*x->slots));
    vec_for_each (&x->lines, line) {
        add_line(x, *line);
    }
}

static void add_conditions(struct text *t, struct line *line, const struct expr_list *list)
{
    vec_for_each (&list->list, c) {
        struct word_expr *w = word_expr_new(t, line->instr, *c);

        line->broken |= !w;
        vec_push_in(t->arena, &line->conditions, w);
    }
}

struct word_expr *line_value(struct text *t, struct line *line, unsigned piece, unsigned value)
{
    const struct asm_piece *p = &line->syntax->pieces.data[piece];
    struct word_expr **w;

    if (!line->values.len)
        vec_for_each (&line->syntax->pieces, any)
            for (unsigned i = 0; i < any->values.len; i++)
                vec_push_in(t->arena, &line->values, NULL);
    w = &line->values.data[value];
    for (unsigned i = 0; !*w && i < piece; i++)
        value -= line->syntax->pieces.data[i].values.len;
    if (!*w && !line->broken)
        *w = word_expr_new(t, line->instr, p->values.data[value]);
    line->broken |= !*w;
    return *w;
}

const struct word_expr *line_first_value(struct text *t, struct line *line)
{
    const struct asm_piece *first = line->syntax->pieces.data;

    return line->syntax->pieces.len && first->values.len ? line_value(t, line, 0, 0) : NULL;
}

bool line_prepare(struct text *t, struct line *line)
{
    struct expr_list conditions = {0};
    unsigned value = 0;

    if (line->prepared)
        return !line->broken;
    line->prepared = true;
    for (unsigned i = 0; i < line->syntax->pieces.len; i++)
        for (unsigned k = 0; k < line->syntax->pieces.data[i].values.len; k++)
            line_value(t, line, i, value++);
    syntax_conditions(t->arena, line->syntax, &conditions);
    vec_for_each (&line->instr->where, w) {
        syntax_conjuncts(t->arena, *w, &conditions);
    }
    add_conditions(t, line, &conditions);
    return !line->broken;
}
