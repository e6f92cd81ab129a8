/*
 * The pool of generated C: equal texts are written once. Texts of functions are compared with their
 * locals renumbered.
 */
#include "gencc/emit/pool.h"
#include "common/hash.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the key of a text ----------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether a word is a local of generated functions: a letter or `end`, a number, and an optional
 * second number. */
static bool is_local(const char *word, size_t length)
{
    static const char *const starts[] = {"v", "o", "b", "a", "t", "f", "end"};
    size_t at = 0;

    for (unsigned i = 0; i < sizeof(starts) / sizeof(*starts); i++)
        if (!strncmp(word, starts[i], strlen(starts[i])) && is_digit(word[strlen(starts[i])]))
            at = strlen(starts[i]);
    if (!at)
        return false;
    while (at < length && (is_digit(word[at]) || word[at] == '_'))
        at++;
    return at == length;
}

/* A local of the text. */
struct name {
    const char *word;
    size_t length;
    unsigned number; /* in order of appearance, from 1; 0: free slot */
};

struct names {
    struct name *table; /* open addressing, at most half full */
    unsigned room, count;
    bool failed; /* out of memory */
};

static struct name *place_of(const struct names *n, const char *word, size_t length)
{
    unsigned i = 0;

    for (size_t c = 0; c < length; c++)
        i = i * 31 + (unsigned char)word[c];
    for (;; i++) {
        struct name *at = &n->table[i & (n->room - 1)];

        if (!at->number || (at->length == length && !memcmp(at->word, word, length)))
            return at;
    }
}

static bool grow_table(struct names *n)
{
    struct names bigger = {.room = n->room ? n->room * 2 : 64, .count = n->count};

    bigger.table = calloc(bigger.room, sizeof(*bigger.table));
    if (!bigger.table)
        return false;
    for (unsigned i = 0; i < n->room; i++)
        if (n->table[i].number)
            *place_of(&bigger, n->table[i].word, n->table[i].length) = n->table[i];
    free(n->table);
    *n = bigger;
    return true;
}

static unsigned number_of(struct names *n, const char *word, size_t length)
{
    struct name *at;

    if (n->failed || (n->count * 2 >= n->room && !grow_table(n))) {
        n->failed = true;
        return 0;
    }
    at = place_of(n, word, length);
    if (!at->number)
        *at = (struct name){word, length, ++n->count};
    return at->number - 1;
}

/* The text with its locals numbered in order of appearance; NULL: out of memory. A word behind "->"
 * is a member. */
static char *key_of(const char *text)
{
    struct names names = {0};
    char *key = NULL;
    size_t size = 0;
    FILE *o = open_memstream(&key, &size);

    for (const char *c = text, *end; o && *c; c = end) {
        bool member = c - text >= 2 && c[-1] == '>' && c[-2] == '-';

        for (end = c + 1; *end && is_word(*end) == is_word(*c); end++)
            ;
        if (is_word(*c) && !member && is_local(c, (size_t)(end - c)))
            fprintf(o, "%c%u", *c, number_of(&names, c, (size_t)(end - c)));
        else
            fwrite(c, 1, (size_t)(end - c), o);
    }
    if (o)
        fclose(o);
    free(names.table);
    if (!names.failed)
        return key;
    free(key);
    return NULL;
}

/* ---- the pool -------------------------------------------------------------------------------- */

const char *pool_name(struct arena *a, struct pool *p, const char *name, const char *text)
{
    struct pooled new = {.hash = hash_text(text), .name = name};

    vec_for_each (&p->pieces, it)
        if (it->hash == new.hash && !strcmp(it->text, text))
            return it->name;
    new.text = arena_strdup(a, text);
    vec_push_in(a, &p->pieces, new);
    return name;
}

const char *pool_function(struct arena *a, struct pool *p, const char *name, const char *text)
{
    char *key = key_of(text);

    name = pool_name(a, p, name, key ? key : text);
    free(key);
    return name;
}
