/*
 * Reads the tables of kallsyms, which lie one behind the other in read-only data, each aligned to
 * 8 bytes:
 *
 *     offsets, base            before 6.4
 *     number of symbols
 *     names
 *     markers                  positions of every 256th name
 *     tokens, index of tokens
 *     offsets, base            since 6.4
 *
 * The tables are found by the tokens of the decimal digits, which stand for themselves.
 *
 * Bounds      MAX_SYMBOLS symbols of NAME_BYTES characters
 */
#include "runtime/machine/linux_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "common/vec.h"

enum { TOKENS = 256, MAX_SYMBOLS = 1 << 20, NAME_BYTES = 512, PER_MARKER = 256, SEARCH = 65536 };

static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";

/* What was found in an image: positions are offsets. */
struct reading {
    const uint8_t *image;
    size_t len;
    size_t tokens, index;  /* positions of the tokens and of their index */
    size_t markers, names; /* positions of the first marker and of the first name */
    size_t marker_count;
    uint32_t count; /* number of symbols */
    size_t offsets;
};

static uint32_t word_at(const struct reading *r, size_t at)
{
    return at + 4 <= r->len ? (uint32_t)le_get(r->image + at, 4) : UINT32_MAX;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The text of a token, which ends within the image; NULL: there is none. */
static const char *token_text(const struct reading *r, unsigned n)
{
    size_t at = r->tokens + (size_t)le_get(r->image + r->index + 2 * (size_t)n, 2);
    const char *text = (const char *)r->image + at;

    return at < r->index && memchr(text, 0, r->index - at) ? text : NULL;
}

/* Finds the tokens and their index from the token of '0' at `at`. The index lies behind the last
 * token and has the position of each. */
static bool tokens_at(struct reading *r, size_t at)
{
    size_t start = at, end = at;

    for (unsigned n = 0; n < '0'; n++) {
        if (start < 2)
            return false;
        for (start--; start && r->image[start - 1]; start--)
            ;
    }
    for (unsigned n = '0'; n < TOKENS; n++) {
        const uint8_t *zero = memchr(r->image + end, 0, r->len - end);

        if (!zero || zero - (r->image + end) > NAME_BYTES)
            return false;
        end = (size_t)(zero - r->image) + 1;
    }
    r->tokens = start;
    r->index = align_up(end, 8);
    return r->index + 2 * TOKENS <= r->len && !le_get(r->image + r->index, 2) &&
           le_get(r->image + r->index + 2 * '0', 2) == at - start;
}

static bool find_tokens(struct reading *r)
{
    for (size_t at = 0; at < r->len;) {
        const uint8_t *found = memmem(r->image + at, r->len - at, digits, sizeof(digits));

        if (!found)
            return false;
        at = (size_t)(found - r->image);
        if (tokens_at(r, at))
            return true;
        at++;
    }
    return false;
}

/* ---- markers and names ----------------------------------------------------------------------- */

/* The markers end before the tokens, padded with zeros, and grow from 0. */
static bool find_markers(struct reading *r)
{
    size_t at = r->tokens - r->tokens % 4, last;

    while (at >= 4 && !word_at(r, at - 4))
        at -= 4;
    last = at;
    while (at >= 4 && (at == last || word_at(r, at - 4) < word_at(r, at)) && word_at(r, at - 4))
        at -= 4;
    if (at < 4 || word_at(r, at - 4))
        return false;
    r->markers = at - 4;
    r->marker_count = (last - r->markers) / 4;
    return r->marker_count > 1 && r->marker_count <= MAX_SYMBOLS / PER_MARKER;
}

/* Length of the packed name at *at, and moves *at behind the length; 0: there is no name. */
static size_t packed_length(const struct reading *r, size_t *at)
{
    size_t len;

    if (*at + 2 > r->markers)
        return 0;
    len = r->image[(*at)++];
    if (len & 0x80)
        len = (len & 0x7f) | (size_t)r->image[(*at)++] << 7;
    return len <= r->markers - *at ? len : 0;
}

/* Whether names begin at `at`: each marker is where 256 more names end. */
static bool names_at(const struct reading *r, size_t at)
{
    size_t name = at;

    for (size_t m = 1; m < r->marker_count; m++) {
        for (unsigned n = 0; n < PER_MARKER; n++) {
            size_t len = packed_length(r, &name);

            if (!len)
                return false;
            name += len;
        }
        if (name - at != word_at(r, r->markers + 4 * m))
            return false;
    }
    return true;
}

/* The names begin behind their number, which fits to that of the markers. */
static bool find_names(struct reading *r)
{
    size_t most = word_at(r, r->markers + 4 * (r->marker_count - 1));
    size_t low = (r->marker_count - 1) * PER_MARKER, high = r->marker_count * PER_MARKER;
    size_t at = r->markers > most ? align_up(r->markers - most - 8, 8) : 0;

    for (unsigned tries = 0; tries < SEARCH && at >= 8; tries++, at -= 8) {
        r->count = word_at(r, at - 8);
        if (r->count > low && r->count <= high && !word_at(r, at - 4) && names_at(r, at)) {
            r->names = at;
            return true;
        }
    }
    return false;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool addresses_ascend(const struct reading *r, size_t at)
{
    if (at % 4 || at > r->len || r->len - at < 4 * (size_t)r->count + 16)
        return false;
    for (uint32_t n = 1; n < r->count; n++) {
        if (word_at(r, at + 4 * (size_t)n) < word_at(r, at + 4 * (size_t)n - 4))
            return false;
    }
    return word_at(r, at + 4 * (size_t)(r->count - 1)) != 0;
}

static bool find_offsets(struct reading *r)
{
    size_t bytes = align_up(4 * (size_t)r->count, 8), number = r->names - 8;
    size_t behind = r->index + 2 * TOKENS;

    if (addresses_ascend(r, behind)) {
        r->offsets = behind;
        return true;
    }
    if (number < bytes + 8 || !addresses_ascend(r, number - 8 - bytes))
        return false;
    r->offsets = number - 8 - bytes;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Unpacks a name: its first character is the symbol's type. */
static bool unpack_name(const struct reading *r, size_t at, size_t len, char *text)
{
    size_t n = 0;

    while (len--) {
        const char *part = token_text(r, r->image[at++]);
        size_t more = part ? strlen(part) : 0;

        if (!part || n + more >= NAME_BYTES)
            return false;
        memcpy(text + n, part, more);
        n += more;
    }
    text[n] = 0;
    return n > 1;
}

static bool read_all(const struct reading *r, struct linux_symbols *s)
{
    VEC(char) names = {0};
    char text[NAME_BYTES];
    size_t at = r->names;

    s->symbols = xcalloc(r->count, sizeof(*s->symbols));
    for (uint32_t n = 0; n < r->count; n++) {
        size_t len = packed_length(r, &at);

        if (!len || !unpack_name(r, at, len, text))
            break;
        at += len;
        s->symbols[s->count++] = (struct linux_symbol){word_at(r, r->offsets + 4 * (size_t)n),
                                                       (uint32_t)names.len, text[0]};
        for (const char *c = text + 1;; c++) {
            vec_push(&names, *c);
            if (!*c)
                break;
        }
    }
    s->names = names.data;
    return s->count == r->count;
}

bool linux_symbols_read(struct linux_symbols *s, const uint8_t *image, size_t len)
{
    struct reading r = {.image = image, .len = len};

    *s = (struct linux_symbols){0};
    if (!find_tokens(&r) || !find_markers(&r) || !find_names(&r) || !find_offsets(&r))
        return false;
    if (read_all(&r, s))
        return true;
    linux_symbols_free(s);
    return false;
}

void linux_symbols_free(struct linux_symbols *s)
{
    free(s->symbols);
    free(s->names);
    *s = (struct linux_symbols){0};
}

const char *linux_symbol_name(const struct linux_symbols *s, const struct linux_symbol *symbol)
{
    return s->names + symbol->name;
}

const struct linux_symbol *linux_symbol_named(const struct linux_symbols *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!strcmp(linux_symbol_name(s, &s->symbols[i]), name))
            return &s->symbols[i];
    }
    return NULL;
}

static bool is_code(const struct linux_symbol *symbol)
{
    return strchr("tTwW", symbol->type) != NULL;
}

const struct linux_symbol *linux_symbol_at(const struct linux_symbols *s, uint64_t distance)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->symbols[middle].distance <= distance)
            low = middle + 1;
        else
            high = middle;
    }
    while (low && !is_code(&s->symbols[low - 1]))
        low--;
    return low ? &s->symbols[low - 1] : NULL;
}
