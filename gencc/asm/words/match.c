/*
 * Matching of a line with the pieces of an asm line, by backtracking over texts of maps.
 */
#include "gencc/asm/words/match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p)
{
    while (match_is_blank(*p))
        p++;
    return p;
}

static void note_progress(struct matcher *m, const char *p)
{
    size_t n = (size_t)(p - m->line);

    if (n > m->furthest)
        m->furthest = n;
}

/* Skips blanks of the line that the syntax lacks, before `next` of the syntax. */
static const char *skip_extra(const struct matcher *m, const char *p, char next)
{
    if (match_is_blank(*p) && (p == m->line || !is_word(p[-1]) || !is_word(next)))
        return skip_blanks(p);
    return p;
}

const char *match_text(struct matcher *m, const char *p, const char *text)
{
    while (*text) {
        if (match_is_blank(*text)) {
            const char *after = skip_blanks(p);

            if (after == p && p > m->line && is_word(p[-1]) && is_word(*p))
                return NULL;
            text = skip_blanks(text);
            p = after;
            continue;
        }
        p = skip_extra(m, p, *text);
        if (tolower((unsigned char)*p) != tolower((unsigned char)*text))
            return NULL;
        p++;
        text++;
        note_progress(m, p);
    }
    return p;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const char *read_integer(const char *p, int64_t *value)
{
    bool negative = *p == '-';
    unsigned base = 10;
    uint64_t v = 0;
    const char *start;

    if (*p == '-' || *p == '+')
        p++;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    for (start = p; isxdigit((unsigned char)*p); p++) {
        unsigned digit = isdigit((unsigned char)*p)
                             ? (unsigned)(*p - '0')
                             : (unsigned)(tolower((unsigned char)*p) - 'a') + 10;

        if (digit >= base)
            break;
        if (v > (UINT64_MAX - digit) / base)
            return NULL;
        v = v * base + digit;
    }
    *value = (int64_t)(negative ? -v : v);
    return p == start ? NULL : p;
}

static const char *read_float(const char *p, int64_t *value)
{
    char *end;
    double d = strtod(p, &end);

    memcpy(value, &d, sizeof(d));
    return end == p ? NULL : end;
}

static const char *read_single(const char *p, int64_t *value)
{
    uint32_t bits;
    char *end;
    float f = strtof(p, &end);

    memcpy(&bits, &f, sizeof(f));
    *value = bits;
    return end == p ? NULL : end;
}

/* Reads bit numbers such as 0, 3, 7; none at all is a mask of 0. */
static const char *read_bits(const char *p, int64_t *value)
{
    const char *end = p;

    for (*value = 0; isdigit((unsigned char)*p); p += strspn(p, ", ")) {
        int64_t bit;

        end = read_integer(p, &bit);
        if (!end || bit > 63)
            return NULL;
        *value |= (int64_t)((uint64_t)1 << bit);
        p = end;
    }
    return end;
}

static const char *read_sysreg(const struct matcher *m, const char *p, int64_t *value)
{
    const char *end = p;

    while (is_word(*end))
        end++;
    return asm_sysreg_parse(m->sysregs, p, (size_t)(end - p), value) ? end : NULL;
}

/* Reads an expression where names are allowed, or a number. Behind letters a number is part of a
 * name. */
static const char *read_value(struct matcher *m, const char *p, int64_t *value)
{
    if (!m->names || (p > m->line && is_word(p[-1])))
        return read_integer(p, value);
    return asm_expr_read(m->names, p, value);
}

static const char *read_target(struct matcher *m, const char *p, uint64_t from, int64_t *value)
{
    p = read_value(m, p, value);
    *value = (int64_t)((uint64_t)*value - from);
    m->depends_on_address = true;
    return p;
}

const char *match_number(struct matcher *m, const char *p, const struct asm_piece *piece,
                         int64_t *value)
{
    p = skip_blanks(p);
    switch (piece->number) {
    case ASM_DECIMAL:
    case ASM_GENERAL:
    case ASM_FLOAT:
        return read_float(p, value);
    case ASM_SYSREG:
        return read_sysreg(m, p, value);
    case ASM_ADDRESS:
        return read_target(m, p, m->address, value);
    case ASM_PAGE:
        return read_target(m, p, m->address & ~(uint64_t)(ASM_PAGE_BYTES - 1), value);
    case ASM_ALIGNED:
        return read_target(m, p, m->address & ~(uint64_t)(ASM_ALIGNED_BYTES - 1), value);
    case ASM_REGION:
        return read_target(m, p, asm_region_of(m->address, piece->region_bits, piece->region_ahead),
                           value);
    case ASM_SINGLE:
        return read_single(p, value);
    case ASM_BITS:
        return read_bits(p, value);
    case ASM_IMM:
    case ASM_DEC:
    case ASM_UNSIGNED:
    case ASM_HEX:
    case ASM_CAPITAL:
    case ASM_WORD:
        break;
    }
    return read_value(m, p, value);
}

bool match_number_as_printed(const char *p, enum asm_number kind)
{
    bool hexadecimal;

    p = skip_blanks(p);
    p += *p == '-' || *p == '+';
    hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    switch (kind) {
    case ASM_IMM:
    case ASM_DEC:
    case ASM_UNSIGNED:
    case ASM_DECIMAL:
    case ASM_GENERAL:
    case ASM_FLOAT:
    case ASM_SINGLE:
        return !hexadecimal;
    case ASM_HEX:
    case ASM_CAPITAL:
    case ASM_WORD:
        return hexadecimal;
    default:
        return true;
    }
}

/* ---- maps ------------------------------------------------------------------------------------ */

static int longest_first(const void *a, const void *b)
{
    const struct match_text *x = a, *y = b;

    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

struct match_table match_table_of(struct arena *a, const struct asm_map *map)
{
    struct match_table t = {0};
    unsigned texts = 0;

    vec_for_each (&map->entries, e) {
        texts += e->texts.len;
    }
    t.at = arena_alloc(a, (texts + 1) * sizeof(*t.at));
    vec_for_each (&map->entries, e) {
        vec_for_each (&e->texts, text) {
            t.at[t.count++] = (struct match_text){*text, strlen(*text), e};
        }
    }
    if (t.count)
        qsort(t.at, t.count, sizeof(*t.at), longest_first);
    return t;
}

/* Finds the longest text of a one-key table at `p`, and its key. */
static const char *read_key(struct matcher *m, const struct match_table *table, const char *p,
                            int64_t *key)
{
    for (unsigned i = 0; i < table->count; i++) {
        const char *after = match_text(m, p, table->at[i].text);

        *key = table->at[i].entry->keys.data[0];
        if (after && after != p && *key >= 0 && *key < 64)
            return after;
    }
    return NULL;
}

/* Reads texts of a map, separated by commas; none at all is a mask of 0. */
static const char *read_list(struct matcher *m, const struct match_table *table, const char *p,
                             int64_t *value)
{
    const char *end = p = skip_blanks(p);
    int64_t key;

    for (*value = 0; (p = read_key(m, table, p, &key)); p++) {
        *value |= (int64_t)((uint64_t)1 << key);
        end = p;
        p = skip_blanks(p);
        if (*p != ',')
            break;
    }
    return end;
}

/* ---- the whole line -------------------------------------------------------------------------- */

static bool match_from(struct matcher *m, unsigned piece, const char *p);

static void note_place(struct matcher *m, unsigned piece, const char *from, const char *to)
{
    m->operands[piece].text = from;
    m->operands[piece].length = (size_t)(to - from);
}

/* Tries all texts of the map that stand at `p`. */
static bool match_map(struct matcher *m, unsigned piece, const char *p)
{
    const struct match_table *table = &m->tables[m->syntax->pieces.data[piece].map->index];

    for (unsigned i = 0; i < table->count; i++) {
        const char *after = match_text(m, p, table->at[i].text);

        if (!after)
            continue;
        m->operands[piece].entry = table->at[i].entry;
        note_place(m, piece, p, after);
        if (match_from(m, piece + 1, after))
            return true;
    }
    return false;
}

/* Tries all ends of the map's texts at `p`, if the bundle decides the texts. */
static bool match_around(struct matcher *m, unsigned piece, const char *p)
{
    const struct asm_map *map = m->syntax->pieces.data[piece].map;
    const char *ends[MATCH_MAX_ENDS];
    unsigned n = m->around->ends(m->around->opaque, map, &m->tables[map->index], m->line, p, ends);

    for (unsigned i = 0; i < n; i++) {
        m->operands[piece].entry = NULL;
        note_place(m, piece, p, ends[i]);
        note_progress(m, ends[i]);
        if (match_from(m, piece + 1, ends[i]))
            return true;
    }
    return false;
}

static bool match_from(struct matcher *m, unsigned piece, const char *p)
{
    const struct asm_piece *s;
    const char *end;

    if (!m->max_found)
        return false;
    if (piece == m->syntax->pieces.len) {
        p = skip_blanks(p);
        if (*p)
            return false;
        m->max_found--;
        m->furthest = (size_t)(p - m->line);
        return m->found(m->opaque, m);
    }
    s = &m->syntax->pieces.data[piece];
    if (s->map && !s->list && m->around && m->around->decides(m->around->opaque, s->map))
        return match_around(m, piece, p);
    if (s->map && !s->list)
        return match_map(m, piece, p);
    end = s->list   ? read_list(m, &m->tables[s->map->index], p, &m->operands[piece].number)
          : s->text ? match_text(m, p, s->text)
                    : match_number(m, p, s, &m->operands[piece].number);
    if (!end)
        return false;
    if (!s->text)
        note_progress(m, end);
    note_place(m, piece, p, end);
    return match_from(m, piece + 1, end);
}

bool match_line(struct matcher *m)
{
    m->furthest = 0;
    if (m->syntax->pieces.len > MATCH_MAX_PIECES)
        return false;
    return match_from(m, 0, skip_blanks(m->line));
}
