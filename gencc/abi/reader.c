/*
 * Reads the words of an ABI's statements, and reports errors in them.
 */
#include "gencc/abi/internal.h"

#include <inttypes.h>
#include <string.h>

static const struct abi_word *next_word(const struct words *w)
{
    return w->at < w->node->words.len ? &w->node->words.data[w->at] : NULL;
}

static const char *text_of(const struct words *w, const struct abi_word *word)
{
    return word->kind == ABI_NUMBER ? arena_printf(w->abi->a, "%" PRIu64, word->value) : word->text;
}

void words_error(struct words *w, const char *wanted)
{
    const struct abi_word *next = next_word(w);

    if (w->failed)
        return;
    w->failed = true;
    if (next)
        diag_error(w->abi->d, next->pos, "expected %s, not '%s'", wanted, text_of(w, next));
    else
        diag_error(w->abi->d, w->node->pos, "expected %s behind '%s'", wanted,
                   text_of(w, &w->node->words.data[w->node->words.len - 1]));
}

bool words_accept(struct words *w, const char *text)
{
    const struct abi_word *next = next_word(w);

    if (w->failed || !next || (next->kind != ABI_NAME && next->kind != ABI_SIGN) ||
        strcmp(next->text, text) != 0)
        return false;
    w->at++;
    return true;
}

void words_expect(struct words *w, const char *text)
{
    if (!words_accept(w, text))
        words_error(w, arena_printf(w->abi->a, "'%s'", text));
}

bool words_at_end(const struct words *w)
{
    return w->failed || !next_word(w);
}

const struct abi_word *words_name(struct words *w)
{
    static const struct abi_word none = {.text = ""};
    const struct abi_word *next = next_word(w);

    if (!w->failed && next && next->kind == ABI_NAME) {
        w->at++;
        return next;
    }
    words_error(w, "a name");
    return &none;
}

const char *words_text(struct words *w)
{
    const struct abi_word *next = next_word(w);

    if (!w->failed && next && next->kind == ABI_TEXT) {
        w->at++;
        return next->text;
    }
    words_error(w, "a text in quotes");
    return "";
}

uint64_t words_value(struct words *w)
{
    const struct abi_word *next = next_word(w);

    if (!w->failed && next && next->kind == ABI_NUMBER) {
        w->at++;
        return next->value;
    }
    words_error(w, "a number");
    return 0;
}

int64_t words_number(struct words *w, int64_t least, int64_t most)
{
    bool negative = words_accept(w, "-");
    const struct abi_word *next = next_word(w);
    uint64_t magnitude = words_value(w);
    int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;

    if (w->failed)
        return 0;
    if (magnitude > INT64_MAX || value < least || value > most) {
        w->failed = true;
        diag_error(w->abi->d, next->pos, "expected a number from %" PRId64 " to %" PRId64, least,
                   most);
        return 0;
    }
    return value;
}

void words_finish(struct words *w, bool block)
{
    if (!w->failed && next_word(w))
        words_error(w, block ? "'{'" : "';'");
    if (!w->failed && w->node->is_block != block) {
        w->failed = true;
        diag_error(w->abi->d, w->node->pos,
                   block ? "this statement needs a block in braces"
                         : "this statement has no block");
    }
}

void words_block(struct words *w, statement_fn *fn, void *opaque)
{
    words_finish(w, true);
    if (w->failed)
        return;
    vec_for_each (&w->node->items, n) {
        struct words inner = {.abi = w->abi, .node = *n};

        fn(&inner, opaque);
    }
}

void words_unknown(struct words *w, const struct abi_word *name, const char *what,
                   const char *const *candidates)
{
    struct name_guess guess = {.wrong = name->text};

    if (w->failed)
        return;
    w->failed = true;
    for (; *candidates; candidates++)
        name_guess_offer(&guess, *candidates);
    if (guess.best)
        diag_error(w->abi->d, name->pos, "there is no %s '%s'; did you mean '%s'?", what,
                   name->text, guess.best);
    else
        diag_error(w->abi->d, name->pos, "there is no %s '%s'", what, name->text);
}
