/*
 * The statement `calls`: numbers of system calls, and places of arguments that are not simply one
 * per register.
 */
#include "gencc/abi/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define CALL(name, format) #name,
#include "common/linux/calls.inc"
#undef CALL
    NULL,
};

enum {
    ARGS = 6,  /* arguments of a call */
    WORDS = 8, /* words that hold them, in registers and on the stack */
    FAR = 64,  /* a larger distance between numbers begins another array */
    MAX_NUMBER = 0xfffff
};

struct row {
    struct src_pos pos;
    unsigned number;
    const char *text; /* the row's C */
};

struct rows {
    VEC(struct row) v;
};

static bool is_call(const char *name)
{
    for (unsigned n = 0; names[n]; n++)
        if (!strcmp(names[n], name))
            return true;
    return false;
}

/* Reads one argument as C; *next is the register behind the last one. */
static const char *read_argument(struct words *w, unsigned *next)
{
    static const struct {
        const char *word, *kind;
        unsigned words;
    } kinds[] = {
        {"signed", "ARG_SIGNED", 1},
        {"low_pair", "ARG_PAIR_LOW", 2},
        {"high_pair", "ARG_PAIR_HIGH", 2},
        {"pages", "ARG_PAGES", 1},
    };
    const char *kind = "ARG_REGISTER";
    unsigned words = 1, at;

    if (words_accept(w, "is"))
        return arena_printf(w->abi->a, "{ARG_CONSTANT, %" PRId64 "}, ",
                            words_number(w, INT32_MIN, INT32_MAX));
    if (words_accept(w, "wide")) { /* the next pair of registers */
        at = w->abi->even_pairs ? (*next + 1) & ~1u : *next;
        *next = at + 2;
        return arena_printf(w->abi->a, "{ARG_PAIR, %u}, ", at);
    }
    if (words_accept(w, "next"))
        return arena_printf(w->abi->a, "{ARG_REGISTER, %u}, ", (*next)++);
    for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (words_accept(w, kinds[k].word)) {
            kind = kinds[k].kind;
            words = kinds[k].words;
            break;
        }
    }
    at = (unsigned)words_number(w, 0, WORDS - words);
    *next = at + words;
    return arena_printf(w->abi->a, "{%s, %u}, ", kind, at);
}

static const char *read_arguments(struct words *w)
{
    const char *text = ", .mapped = true, .arg = {";
    unsigned count = 0, next = 0;

    while (!w->failed && !words_accept(w, ")")) {
        if (count++ == ARGS) {
            words_error(w, "at most six arguments");
            break;
        }
        text = arena_printf(w->abi->a, "%s%s", text, read_argument(w, &next));
        if (next > WORDS)
            words_error(w, "at most eight words of arguments");
        words_accept(w, ",");
    }
    return arena_printf(w->abi->a, "%s}", text);
}

static void read_row(struct words *w, void *opaque)
{
    struct rows *rows = opaque;
    struct row row = {.pos = w->node->pos, .number = (unsigned)words_number(w, 0, MAX_NUMBER)};
    const struct abi_word *name;

    words_expect(w, ":");
    name = words_name(w);
    if (!w->failed && !is_call(name->text))
        words_unknown(w, name, "system call", names);
    row.text = arena_printf(w->abi->a, "{&call_%s%s", name->text,
                            words_accept(w, "time64") ? ", .long_time = true" : "");
    if (words_accept(w, "("))
        row.text = arena_printf(w->abi->a, "%s%s", row.text, read_arguments(w));
    words_finish(w, false);
    if (!w->failed)
        vec_push_in(w->abi->a, &rows->v, row);
}

static int by_number(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void read_calls(struct words *w)
{
    FILE *arrays = w->abi->arrays;
    struct rows rows = {0};
    unsigned ranges = 0;

    words_block(w, read_row, &rows);
    if (rows.v.len)
        qsort(rows.v.data, rows.v.len, sizeof(*rows.v.data), by_number);
    fprintf(w->abi->members, "    .numbers = (const struct user_numbers[]){");
    for (unsigned n = 0; n < rows.v.len; ranges++) {
        unsigned first = rows.v.data[n].number, last = first;

        fprintf(arrays, "static const struct user_row rows_%u[] = {\n", ranges);
        for (; n < rows.v.len && rows.v.data[n].number - last <= FAR; n++) {
            const struct row *row = &rows.v.data[n];

            if (n && row->number == row[-1].number)
                diag_error(w->abi->d, row->pos, "call %u has two names", row->number);
            else
                fprintf(arrays, "    [%u] = %s},\n", row->number - first, row->text);
            last = row->number;
        }
        fputs("};\n\n", arrays);
        fprintf(w->abi->members, "{%u, %u, rows_%u}, ", first, last - first + 1, ranges);
    }
    fprintf(w->abi->members, "{0}},\n    .number_count = %u,\n", ranges);
}
