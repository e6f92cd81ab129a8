/*
 * Writes assembly text: words, numbers, table entries, system registers.
 */
#include "common/asm_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- output ---------------------------------------------------------------------------------- */

static void put_bytes(struct asm_out *o, const char *text, size_t n)
{
    static const char mark[] = "...";
    size_t room = o->size - 1 - o->length, fits = n > room ? room : n;

    if (o->cut)
        return;
    memcpy(o->text + o->length, text, fits);
    o->length += fits;
    o->text[o->length] = '\0';
    if (fits < n) {
        size_t end = o->length < sizeof(mark) - 1 ? o->length : sizeof(mark) - 1;

        memcpy(o->text + o->length - end, mark, end);
        o->cut = true;
    }
}

void asm_put_text(struct asm_out *o, const char *text)
{
    put_bytes(o, text, strlen(text));
}

/* printf() is too slow when every executed instruction is printed. */
static void put_digits(struct asm_out *o, uint64_t value, unsigned base)
{
    char digits[24];
    char *p = digits + sizeof(digits);

    do {
        *--p = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    put_bytes(o, p, (size_t)(digits + sizeof(digits) - p));
}

void asm_put_dec(struct asm_out *o, int64_t value)
{
    if (value < 0)
        put_bytes(o, "-", 1);
    put_digits(o, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

void asm_put_unsigned(struct asm_out *o, int64_t value)
{
    put_digits(o, (uint64_t)value, 10);
}

void asm_put_hex(struct asm_out *o, int64_t value)
{
    put_bytes(o, "0x", 2);
    put_digits(o, (uint64_t)value, 16);
}

void asm_put_wide(struct asm_out *o, uint64_t high, uint64_t low)
{
    static const char digits[] = "0123456789abcdef";

    if (!high) {
        asm_put_hex(o, (int64_t)low);
        return;
    }
    asm_put_hex(o, (int64_t)high);
    for (unsigned i = 16; i-- > 0;)
        put_bytes(o, &digits[low >> 4 * i & 15], 1);
}

static void put_target(struct asm_out *o, uint64_t a)
{
    if (o->addr_bits && o->addr_bits < 64)
        a &= ((uint64_t)1 << o->addr_bits) - 1;
    asm_put_hex(o, (int64_t)a);
}

void asm_put_address(struct asm_out *o, int64_t value)
{
    put_target(o, o->address + (uint64_t)value);
}

void asm_put_page(struct asm_out *o, int64_t value)
{
    put_target(o, (o->address & ~(uint64_t)(ASM_PAGE_BYTES - 1)) + (uint64_t)value);
}

void asm_put_aligned(struct asm_out *o, int64_t value)
{
    put_target(o, (o->address & ~(uint64_t)(ASM_ALIGNED_BYTES - 1)) + (uint64_t)value);
}

void asm_put_region(struct asm_out *o, int64_t value)
{
    unsigned bits = (uint64_t)value >> ASM_REGION_BITS_AT & 63;
    unsigned ahead = (uint64_t)value >> ASM_REGION_AHEAD_AT & 0xff;
    uint64_t offset = (uint64_t)value & (((uint64_t)1 << ASM_REGION_AHEAD_AT) - 1);

    put_target(o, asm_region_of(o->address, bits, ahead) + offset);
}

void asm_put_float(struct asm_out *o, int64_t value)
{
    char buf[40];
    double d;

    memcpy(&d, &value, sizeof(d));
    put_bytes(o, buf, (size_t)snprintf(buf, sizeof(buf), "%.18e", d));
}

static void put_significant(struct asm_out *o, int digits, int64_t value)
{
    char buf[40];
    double d;

    memcpy(&d, &value, sizeof(d));
    put_bytes(o, buf, (size_t)snprintf(buf, sizeof(buf), "%.*g", digits, d));
}

void asm_put_decimal(struct asm_out *o, int64_t value)
{
    put_significant(o, 17, value);
}

void asm_put_general(struct asm_out *o, int64_t value)
{
    put_significant(o, 6, value);
}

void asm_put_capital(struct asm_out *o, int64_t value)
{
    char buf[24];

    put_bytes(o, buf, (size_t)snprintf(buf, sizeof(buf), "0x%" PRIX64, (uint64_t)value));
}

void asm_put_single(struct asm_out *o, int64_t value)
{
    char buf[64];
    uint32_t bits = (uint32_t)value;
    float f;

    memcpy(&f, &bits, sizeof(f));
    put_bytes(o, buf, (size_t)snprintf(buf, sizeof(buf), "%f", (double)f));
}

void asm_put_word(struct asm_out *o, int64_t value)
{
    char buf[16];

    put_bytes(o, buf, (size_t)snprintf(buf, sizeof(buf), "0x%08x", (unsigned)value));
}

void asm_put_bits(struct asm_out *o, int64_t value)
{
    const char *before = "";

    for (unsigned i = 0; i < 64; i++) {
        if (!((uint64_t)value >> i & 1))
            continue;
        asm_put_text(o, before);
        put_digits(o, i, 10);
        before = ", ";
    }
}

void asm_put_number(struct asm_out *o, enum asm_format format, int64_t value)
{
    switch (format) {
#define X(NAME, name)             \
    case ASM_FORMAT_##NAME:       \
        asm_put_##name(o, value); \
        break;
        ASM_FORMATS(X)
#undef X
    case ASM_FORMAT_COUNT:
        break;
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

const char *asm_table_find(const struct asm_table *t, int64_t key)
{
    unsigned low = 0, high = t->count;

    if (!high || key < t->at[0].key || key > t->at[high - 1].key)
        return NULL;
    /* The keys of most tables are consecutive. */
    if ((uint64_t)key - (uint64_t)t->at[0].key < high) {
        const struct asm_entry *e = &t->at[(uint64_t)key - (uint64_t)t->at[0].key];

        if (e->key == key)
            return e->text;
    }
    while (low < high) {
        unsigned mid = (low + high) / 2;

        if (t->at[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->count && t->at[low].key == key ? t->at[low].text : NULL;
}

void asm_put_map(struct asm_out *o, const struct asm_table *t, int64_t key)
{
    const char *text;

    if (o->resolve && o->resolve(o, t->name, key))
        return;
    text = asm_table_find(t, key);
    if (text)
        asm_put_text(o, text);
}

void asm_put_list(struct asm_out *o, const struct asm_table *t, int64_t bits)
{
    const char *between = "";

    for (unsigned i = 0; i < 64; i++) {
        if (!((uint64_t)bits >> i & 1))
            continue;
        asm_put_text(o, between);
        asm_put_map(o, t, i);
        between = ", ";
    }
}

/* ---- system registers ------------------------------------------------------------------------ */

void asm_put_sysreg(struct asm_out *o, int64_t value)
{
    const struct asm_sysregs *s = o->sysregs;
    const char *name = s ? asm_table_find(&s->names, value) : NULL;
    unsigned shift = 0;

    if (name) {
        asm_put_text(o, name);
        return;
    }
    if (!s || !s->fields) {
        asm_put_hex(o, value);
        return;
    }
    for (unsigned i = 0; i < s->fields; i++)
        shift += s->widths[i];
    for (unsigned i = 0; i < s->fields; i++) {
        shift -= s->widths[i];
        if (i)
            put_bytes(o, "_", 1);
        asm_put_text(o, s->prefixes[i]);
        put_digits(o, ((uint64_t)value >> shift) & (((uint64_t)1 << s->widths[i]) - 1), 10);
    }
}

/* Parses a name such as s3_0_c1_c0_0. */
static bool parse_generic(const struct asm_sysregs *s, const char *p, const char *end,
                          int64_t *code)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < s->fields; i++) {
        size_t n = strlen(s->prefixes[i]);
        uint64_t v = 0;

        if (i && (p == end || *p++ != '_'))
            return false;
        if ((size_t)(end - p) < n || strncasecmp(p, s->prefixes[i], n))
            return false;
        p += n;
        if (p == end || !isdigit((unsigned char)*p))
            return false;
        while (p < end && isdigit((unsigned char)*p) && v < 1u << 16)
            v = v * 10 + (unsigned)(*p++ - '0');
        if (v >> s->widths[i])
            return false;
        all = all << s->widths[i] | v;
    }
    *code = (int64_t)all;
    return p == end && s->fields;
}

bool asm_sysreg_parse(const struct asm_sysregs *s, const char *name, size_t length, int64_t *code)
{
    if (!s)
        return false;
    for (unsigned i = 0; i < s->names.count; i++) {
        const char *n = s->names.at[i].text;

        if (!strncasecmp(n, name, length) && !n[length]) {
            *code = s->names.at[i].key;
            return true;
        }
    }
    return parse_generic(s, name, name + length, code);
}

/* ---- instructions ---------------------------------------------------------------------------- */

bool asm_disassemble(const struct decode_tree *tree, const struct asm_form *forms, decode_word word,
                     struct asm_out *out)
{
    const struct decode_candidate *c = decode_tree_first(tree, word);
    uint64_t fields[ASM_MAX_FIELDS];

    for (; c; c = decode_tree_next(tree, c, word)) {
        const struct asm_form *f = &forms[c->form];

        if (f->text && (!f->fields || f->fields(word, fields)))
            return f->text(word, fields, out);
    }
    return false;
}
