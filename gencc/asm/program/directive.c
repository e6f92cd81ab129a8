/*
 * Directives of the assembler. Numbers of several bytes have the architecture's byte order.
 */
#include "gencc/asm/words/expr.h"
#include "gencc/asm/program/program.h"

#include "gencc/disasm/text.h"
#include "gencc/front/diag.h"

#include <inttypes.h>
#include <string.h>

struct directive {
    const char *name;
    /* Reads the operands behind the name. False after reporting. */
    bool (*run)(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                const char *at);
    unsigned unit; /* bytes per number; .align: 1 for powers of two; text: zeros per string */
};

static bool is_at_end(struct asm_program *p, const struct asm_statement *s, const char *at)
{
    return !*at || asm_program_error(p, s->line, "unexpected '%.32s'", at);
}

/* Reads the number behind a comma; without a comma `*value` is unchanged. */
static bool next_value(struct asm_program *p, const struct asm_statement *s, const char **at,
                       int64_t *value)
{
    if (**at != ',')
        return true;
    ++*at;
    return asm_program_value(p, s, at, value);
}

static unsigned count_commas(const char *at)
{
    unsigned n = 1;

    for (; *at; at++)
        n += *at == ',';
    return n;
}

/* Whether the value fits in `unit` bytes, signed or unsigned. */
static bool fits_unit(int64_t value, unsigned unit)
{
    unsigned bits = 8 * unit;

    return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits);
}

static bool run_numbers(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                        const char *at)
{
    unsigned char *out = asm_program_room(p, s, (uint64_t)d->unit * count_commas(at));
    bool big = p->text->isa->model->big_endian;
    int64_t value;

    s->unit = d->unit;
    if (!out)
        return false;
    for (;; at++) {
        const char *text = at + strspn(at, " \t");

        p->names->location = s->address + (uint64_t)(out - s->bytes);
        if (!asm_program_value(p, s, &at, &value))
            return false;
        if (!fits_unit(value, d->unit))
            return asm_program_error(
                p, s->line, "%.*s is out of range: %s takes %" PRId64 " to %" PRIu64,
                (int)(at - text), text, d->name, -(INT64_C(1) << (8 * d->unit - 1)),
                (UINT64_C(1) << 8 * d->unit) - 1);
        for (unsigned i = 0; i < d->unit; i++)
            *out++ = (unsigned char)((uint64_t)value >> 8 * (big ? d->unit - 1 - i : i));
        if (!*at) {
            s->size = (size_t)(out - s->bytes); /* a comma may stand between apostrophes */
            return true;
        }
    }
}

/* Text, with d->unit zeros behind each string. */
static bool run_text(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                     const char *at)
{
    unsigned char *out = asm_program_room(p, s, strlen(at) + 1);
    size_t n = 0;

    s->unit = 1;
    while (out) {
        at += strspn(at, " \t");
        if (*at++ != '"')
            return asm_program_error(p, s->line, "expected a string between quotes");
        while (*at && *at != '"') {
            int c = (unsigned char)*at++;

            if (c == '\\' && (c = asm_read_escape(&at)) < 0)
                return asm_program_error(p, s->line, "unknown escape '\\%.1s'", at);
            out[n++] = (unsigned char)c;
        }
        if (!*at)
            return asm_program_error(p, s->line, "this string has no end");
        at++;
        n += d->unit; /* each replaces a quote */
        s->size = n;
        at += strspn(at, " \t");
        if (*at != ',')
            return is_at_end(p, s, at);
        at++;
    }
    return false;
}

/* Bytes of one value up to an address. They are allocated in the last pass only, since a few lines
 * may need other large numbers of bytes in each pass. */
static bool fill_to(struct asm_program *p, struct asm_statement *s, uint64_t address, int64_t fill)
{
    uint64_t size = address - s->address;
    unsigned char *out = NULL;

    s->unit = 1;
    p->names->name_used = true;
    if (!p->is_last_pass)
        return asm_program_size(p, s, size) || !size;
    out = asm_program_room(p, s, size);
    if (out)
        memset(out, (int)(fill & 0xff), size);
    return out || !size;
}

static bool run_align(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                      const char *at)
{
    int64_t to, fill = 0;

    if (!asm_program_value(p, s, &at, &to) || !next_value(p, s, &at, &fill) || !is_at_end(p, s, at))
        return false;
    if (d->unit && (to < 0 || to > 24))
        return asm_program_error(p, s->line, "%s takes a power of two, from 0 to 24", d->name);
    if (!d->unit && (to <= 0 || to & (to - 1)))
        return asm_program_error(p, s->line, "%s takes a number of bytes that is a power of two",
                                 d->name);
    if (d->unit)
        to = INT64_C(1) << to;
    return fill_to(p, s, (s->address + (uint64_t)to - 1) & -(uint64_t)to, fill);
}

static bool run_org(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                    const char *at)
{
    int64_t to, fill = 0;

    (void)d;
    if (!asm_program_value(p, s, &at, &to) || !next_value(p, s, &at, &fill) || !is_at_end(p, s, at))
        return false;
    if ((uint64_t)to < s->address)
        return asm_program_error(p, s->line, ".org goes back, from %#" PRIx64 " to %#" PRIx64,
                                 s->address, (uint64_t)to);
    return fill_to(p, s, (uint64_t)to, fill);
}

static bool run_space(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                      const char *at)
{
    int64_t size, fill = 0;

    if (!asm_program_value(p, s, &at, &size) || !next_value(p, s, &at, &fill) ||
        !is_at_end(p, s, at))
        return false;
    if (size < 0)
        return asm_program_error(p, s->line, "%s takes a number of bytes, not %" PRId64, d->name,
                                 size);
    return fill_to(p, s, s->address + (uint64_t)size, fill);
}

static size_t name_length(const char *at)
{
    size_t n = 0;

    if (asm_begins_name(*at))
        while (asm_is_in_name(at[n]))
            n++;
    return n;
}

/* Reads NAME, then a comma or `=`, then its value. */
static bool run_equ(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                    const char *at)
{
    const char *name = at;
    size_t n = name_length(name);
    struct asm_symbol *symbol;
    int64_t value;

    (void)d;
    at += n + strspn(at + n, " \t");
    if (!n || (*at != ',' && *at != '='))
        return asm_program_error(p, s->line, "expected NAME, NUMBER");
    at++;
    if (!asm_program_value(p, s, &at, &value) || !is_at_end(p, s, at))
        return false;
    symbol = asm_program_find(p, name, n);
    if (symbol)
        asm_program_set(p, symbol, value);
    return symbol;
}

static bool run_global(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                       const char *at)
{
    (void)d;
    for (;;) {
        size_t n = name_length(at);
        struct asm_symbol *symbol = n ? asm_program_find(p, at, n) : NULL;

        if (!symbol)
            return asm_program_error(p, s->line, n ? "unknown name '%.*s'" : "expected a name%.*s",
                                     (int)n, at);
        symbol->is_global = true;
        at += n + strspn(at + n, " \t");
        if (*at != ',')
            return is_at_end(p, s, at);
        at += 1 + strspn(at + 1, " \t");
    }
}

static bool run_nothing(struct asm_program *p, struct asm_statement *s, const struct directive *d,
                        const char *at)
{
    (void)d;
    return is_at_end(p, s, at);
}

static const struct directive directives[] = {
    {".byte", run_numbers, 1},  {".half", run_numbers, 2},  {".hword", run_numbers, 2},
    {".short", run_numbers, 2}, {".2byte", run_numbers, 2}, {".word", run_numbers, 4},
    {".long", run_numbers, 4},  {".4byte", run_numbers, 4}, {".quad", run_numbers, 8},
    {".dword", run_numbers, 8}, {".xword", run_numbers, 8}, {".8byte", run_numbers, 8},
    {".ascii", run_text, 0},    {".asciz", run_text, 1},    {".string", run_text, 1},
    {".align", run_align, 1},   {".p2align", run_align, 1}, {".balign", run_align, 0},
    {".org", run_org, 0},       {".space", run_space, 0},   {".skip", run_space, 0},
    {".zero", run_space, 0},    {".equ", run_equ, 0},       {".set", run_equ, 0},
    {".global", run_global, 0}, {".globl", run_global, 0},  {".text", run_nothing, 0},
};
enum { DIRECTIVES = sizeof(directives) / sizeof(*directives) };

bool asm_directive(struct asm_program *p, struct asm_statement *s)
{
    static const struct directive assignment = {"=", run_equ, 0};
    size_t n = name_length(s->text);
    char name[64];
    struct name_guess guess = {.wrong = name};

    s->size = 0;
    if (s->text[n + strspn(s->text + n, " \t")] == '=')
        return run_equ(p, s, &assignment, s->text);
    snprintf(name, sizeof(name), "%.*s", (int)n, s->text);
    for (unsigned i = 0; i < DIRECTIVES; i++) {
        name_guess_offer(&guess, directives[i].name);
        if (!strcmp(name, directives[i].name))
            return directives[i].run(p, s, &directives[i],
                                     s->text + n + strspn(s->text + n, " \t"));
    }
    return guess.best ? asm_program_error(p, s->line, "unknown directive '%s'; did you mean '%s'?",
                                          name, guess.best)
                      : asm_program_error(p, s->line, "unknown directive '%s'", name);
}
