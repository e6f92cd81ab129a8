#include "gencc/text/index.h"
#include "gencc/text/internal.h"
#include "gencc/text/syntax.h"

#include <ctype.h>

static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h;
}

static struct line **slot_of(const struct line_index *x, const char *start, size_t length)
{
    for (uint64_t i = hash(start, length);; i++) {
        struct line **slot = &x->slots[i & (x->size - 1)];

        if (!*slot || (!strncmp((*slot)->start, start, length) && !(*slot)->start[length]))
            return slot;
    }
}

struct line *index_find(const struct line_index *x, const char *start, size_t length)
{
    return *slot_of(x, start, length);
}

/* Cuts the literal text at its first blank. */
static void find_start(struct arena *a, struct line *line)
{
    const struct asm_piece *first = line->syntax->pieces.at;
    const char *text = line->syntax->pieces.count && first->text ? first->text : "";
    size_t n = 0;
    char *start;

    while (match_is_blank(*text))
        text++;
    while (text[n] && !match_is_blank(text[n]))
        n++;
    line->closed = text[n] || (n && line->syntax->pieces.count == 1);
    start = arena_strndup(a, text, n);
    for (char *p = start; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    line->start = start;
}

static void add_line(struct line_index *x, struct line *line)
{
    struct line **end = slot_of(x, line->start, strlen(line->start));

    while (*end)
        end = &(*end)->next;
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
            vec_push(t->arena, &x->lines, line);
        }
    }
    for (x->size = 16; x->size < 2 * x->lines.count + 2; x->size *= 2)
        ;
    x->slots = arena_alloc(t->arena, x->size * sizeof *x->slots);
    vec_for_each (&x->lines, line) {
        add_line(x, *line);
    }
}

static void add_conditions(struct text *t, struct line *line, const struct expr_list *list)
{
    vec_for_each (&list->list, c) {
        struct word_expr *w = word_expr_new(t, line->instr, *c);

        line->broken |= !w;
        vec_push(t->arena, &line->conditions, w);
    }
}

bool line_prepare(struct text *t, struct line *line)
{
    struct expr_list conditions = {0};

    if (line->prepared)
        return !line->broken;
    line->prepared = true;
    vec_for_each (&line->syntax->pieces, p) {
        vec_for_each (&p->values, v) {
            struct word_expr *w = word_expr_new(t, line->instr, *v);

            line->broken |= !w;
            vec_push(t->arena, &line->values, w);
        }
    }
    syntax_conditions(t->arena, line->syntax, &conditions);
    vec_for_each (&line->instr->where, w) {
        syntax_conjuncts(t->arena, *w, &conditions);
    }
    add_conditions(t, line, &conditions);
    return !line->broken;
}
