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

/* A name of a local of generated functions: a letter or the word `end`, a number, perhaps another. */
static bool is_local(const char *word, size_t length)
{
    static const char *const starts[] = {"v", "o", "b", "a", "t", "f", "end"};
    size_t at = 0;

    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(word, starts[i], strlen(starts[i])) && is_digit(word[strlen(starts[i])]))
            at = strlen(starts[i]);
    if (!at)
        return false;
    while (at < length && (is_digit(word[at]) || word[at] == '_'))
        at++;
    return at == length;
}

struct names {
    struct arena *a;
    VEC(const char *) all; /* in order of appearance */
};

static unsigned number_of(struct names *n, const char *word, size_t length)
{
    for (unsigned i = 0; i < n->all.count; i++)
        if (!strncmp(n->all.at[i], word, length) && !n->all.at[i][length])
            return i;
    vec_push(n->a, &n->all, arena_printf(n->a, "%.*s", (int)length, word));
    return n->all.count - 1;
}

/* The text with its locals numbered in order of appearance; what follows "->" is a member's name. */
static char *key_of(struct arena *a, const char *text)
{
    struct names names = {.a = a};
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
    return key;
}

/* ---- the pool -------------------------------------------------------------------------------- */

const char *pool_name(struct arena *a, struct pool *p, const char *name, const char *text)
{
    struct pooled new = {.hash = hash_text(text), .name = name};

    vec_for_each (&p->pieces, it)
        if (it->hash == new.hash && !strcmp(it->text, text))
            return it->name;
    new.text = arena_strdup(a, text);
    vec_push(a, &p->pieces, new);
    return name;
}

const char *pool_function(struct arena *a, struct pool *p, const char *name, const char *text)
{
    char *key = key_of(a, text);

    name = pool_name(a, p, name, key ? key : text);
    free(key);
    return name;
}
