/* The monitor's commands on memory. Devices are not read. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/asm_text.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/machine/monitor_internal.h"

#define MAX_DUMP_BYTES 4096

/* ---- addresses ------------------------------------------------------------------------------- */

/* Reads a term: a number, or $REGISTER of the CPU. */
static bool read_term(const struct monitor_call *c, char *text, uint64_t *value, struct error *err)
{
    uint8_t bytes[CPU_REGISTER_BYTES] = {0};
    struct cpu_view view;

    if (*text != '$')
        return value_number(text, "an address", 0, UINT64_MAX, value, err);
    if (!cpu_register_find(cpu_isa_of(c->cpu), text + 1, &view))
        return error_set(err, "the CPU has no register '%.40s'", text + 1);
    cpu_register_read(c->cpu, view, bytes);
    memcpy(value, bytes, sizeof(*value));
    return true;
}

/* A sum of terms: "$pc+0x10". */
static bool read_address(const struct monitor_call *c, const char *text, uint64_t *sum,
                         struct error *err)
{
    char *copy = xstrdup(text), *at = copy;
    bool ok = true, minus = false;

    *sum = 0;
    while (ok) {
        size_t len = strcspn(at, "+-");
        char sign = at[len];
        uint64_t value = 0;

        at[len] = 0;
        ok = read_term(c, at, &value, err);
        *sum += minus ? -value : value;
        minus = sign == '-';
        if (!sign)
            break;
        at += len + 1;
    }
    free(copy);
    return ok;
}

bool monitor_translate(const struct monitor_call *c, struct error *err)
{
    uint64_t va = 0, pa = 0;

    if (!read_address(c, c->arg, &va, err))
        return false;
    if (!cpu_memory_find(c->cpu, va, &pa))
        return error_set(err, "0x%" PRIx64 " is not mapped", va);
    fprintf(c->out, "0x%" PRIx64 "\n", pa);
    return true;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* As GDB's and QEMU's /FORMAT. */
struct format {
    uint64_t count;
    char kind;       /* x d u o c i */
    unsigned size;   /* bytes of an item */
    bool big_endian; /* byte order of an item */
};

static bool read_letter(struct format *f, char c)
{
    static const char sizes[] = "bhwg";
    const char *size = strchr(sizes, c);

    if (size && *size)
        f->size = 1U << (size - sizes);
    else if (c && strchr("xduoci", c))
        f->kind = c;
    else
        return false;
    return true;
}

/* Reads "/4xw ADDRESS" or "ADDRESS"; *text is the address then. */
static bool read_format(const char **text, struct format *f, struct error *err)
{
    const char *at = *text;
    char *end;

    *f = (struct format){.count = 1, .kind = 'x', .size = 4};
    if (*at != '/')
        return true;
    at++;
    if (*at >= '0' && *at <= '9') {
        f->count = strtoul(at, &end, 10);
        at = end;
    }
    while (*at && *at != ' ') {
        if (!read_letter(f, *at++))
            return error_set(err, "a format is /[COUNT][x|d|u|o|c|i][b|h|w|g], not '%.40s'", *text);
    }
    if (f->kind == 'c')
        f->size = 1;
    if (!f->count || f->count * f->size > MAX_DUMP_BYTES)
        return error_set(err, "a format is of 1 to %d bytes, not '%.40s'", MAX_DUMP_BYTES, *text);
    *text = at + strspn(at, " ");
    return **text || error_set(err, "an address is missing");
}

static void show_item(FILE *out, const struct format *f, const uint8_t *bytes)
{
    unsigned bits = 8 * f->size;
    uint64_t value = f->big_endian ? be_get(bytes, f->size) : le_get(bytes, f->size);
    int64_t number;

    number =
        bits < 64 && value >> (bits - 1) ? (int64_t)(value | UINT64_MAX << bits) : (int64_t)value;
    switch (f->kind) {
    case 'd':
        fprintf(out, " %" PRId64, number);
        break;
    case 'u':
        fprintf(out, " %" PRIu64, value);
        break;
    case 'o':
        fprintf(out, " 0%" PRIo64, value);
        break;
    case 'c':
        fprintf(out, value >= ' ' && value < 0x7f ? " '%c'" : " '\\x%02x'", (unsigned)value);
        break;
    default:
        fprintf(out, " 0x%0*" PRIx64, (int)(2 * f->size), value);
    }
}

static void show_items(FILE *out, const struct format *f, uint64_t at, const uint8_t *bytes)
{
    unsigned in_a_line = f->kind == 'c' ? 8 : 16 / f->size;

    for (uint64_t i = 0; i < f->count; i++) {
        if (i % in_a_line == 0)
            fprintf(out, "%016" PRIx64 ":", at + i * f->size);
        show_item(out, f, bytes + i * f->size);
        if (i % in_a_line == in_a_line - 1 || i + 1 == f->count)
            fputc('\n', out);
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Prints the instruction at an address, in the CPU's current mode; returns its length, or 0. */
static unsigned show_instruction(const struct monitor_call *c, uint64_t at)
{
    const struct cpu_isa *isa = cpu_isa_of(c->cpu);
    const struct cpu_decoder *d = &isa->decoders[cpu_mode(c->cpu)];
    uint8_t bytes[CPU_MAX_INSN_BYTES] = {0};
    unsigned available = d->max_bytes;
    char text[160] = "(undefined)";
    struct asm_out out = {.text = text, .size = sizeof(text), .address = at};
    struct cpu_fetch fetch = {bytes, 0, 0, 0};

    while (available && !cpu_memory_read(c->cpu, at, bytes, available))
        available -= d->unit_bytes;
    if (!available)
        return 0;
    fetch.available = available;
    if (d->disasm && !d->disasm(&fetch, at, &out))
        strcpy(text, "(undefined)");
    fprintf(c->out, "0x%016" PRIx64 ":  %s\n", at, text);
    return cpu_instruction_bytes(c->cpu, at);
}

static bool show_code(const struct monitor_call *c, uint64_t at, uint64_t count, struct error *err)
{
    while (count--) {
        unsigned len = show_instruction(c, at);

        if (!len)
            return error_set(err, "no memory at 0x%" PRIx64, at);
        at += len;
    }
    return true;
}

/* ---- x and xp -------------------------------------------------------------------------------- */

typedef bool read_fn(const struct monitor_call *c, uint64_t at, void *bytes, uint64_t count);

static bool read_virtual(const struct monitor_call *c, uint64_t at, void *bytes, uint64_t count)
{
    return cpu_memory_read(c->cpu, at, bytes, count);
}

static bool read_physical(const struct monitor_call *c, uint64_t at, void *bytes, uint64_t count)
{
    return bus_peek(c->m->bus, at, bytes, count);
}

static bool dump_memory(const struct monitor_call *c, read_fn *read, struct error *err)
{
    uint8_t bytes[MAX_DUMP_BYTES];
    const char *text = c->arg;
    struct format f;
    uint64_t at = 0;

    if (!read_format(&text, &f, err) || !read_address(c, text, &at, err))
        return false;
    if (f.kind == 'i')
        return read == read_virtual ? show_code(c, at, f.count, err)
                                    : error_set(err, "'x' has the format i, 'xp' has not");
    if (!read(c, at, bytes, f.count * f.size))
        return error_set(err, "not all of this is memory; devices are not read");
    f.big_endian = cpu_isa_of(c->cpu)->big_endian;
    show_items(c->out, &f, at, bytes);
    return true;
}

static void show_bytes(const struct monitor_call *c, uint64_t pa, const uint8_t *bytes,
                       uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i % 16 == 0)
            fprintf(c->out, "%012" PRIx64 ":", pa + i);
        fprintf(c->out, " %02x", bytes[i]);
        if (i % 16 == 15 || i + 1 == count)
            fputc('\n', c->out);
    }
}

bool monitor_x(const struct monitor_call *c, struct error *err)
{
    return dump_memory(c, read_virtual, err);
}

/* Without a format: ADDRESS [COUNT], as bytes. */
bool monitor_xp(const struct monitor_call *c, struct error *err)
{
    uint64_t pa = 0, count = 16;
    char *words, *second;
    uint8_t bytes[MAX_DUMP_BYTES];
    bool ok;

    if (*c->arg == '/')
        return dump_memory(c, read_physical, err);
    words = xstrdup(c->arg);
    second = strchr(words, ' ');
    if (second)
        *second++ = 0;
    ok = read_address(c, words, &pa, err) &&
         (!second || value_number(second, "xp", 1, MAX_DUMP_BYTES, &count, err));
    free(words);
    if (!ok)
        return false;
    if (!bus_peek(c->m->bus, pa, bytes, count))
        return error_set(err, "not all of this is memory; devices are not read");
    show_bytes(c, pa, bytes, count);
    return true;
}

/* ---- print, memsave and pmemsave ------------------------------------------------------------- */

/* QEMU's numbers have 64 bits here, so FORMAT's size is not needed; a count is refused. */
bool monitor_print(const struct monitor_call *c, struct error *err)
{
    const char *text = c->arg;
    uint8_t bytes[8];
    struct format f;
    uint64_t value = 0;

    if (!read_format(&text, &f, err) || !read_address(c, text, &value, err))
        return false;
    if (f.count != 1 || f.kind == 'i')
        return error_set(err, "'print' has one number, as x, d, u, o or c");
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    f.size = f.kind == 'c' ? 1 : sizeof(bytes);
    show_item(c->out, &f, bytes);
    fputc('\n', c->out);
    return true;
}

static bool copy_to_file(const struct monitor_call *c, read_fn *read, uint64_t at, uint64_t size,
                         FILE *file, struct error *err)
{
    uint8_t bytes[MAX_DUMP_BYTES];

    while (size) {
        uint64_t part = MAX_DUMP_BYTES - at % MAX_DUMP_BYTES;

        part = part < size ? part : size;
        if (!read(c, at, bytes, part))
            return error_set(err, "not all of this is memory; devices are not read");
        if (fwrite(bytes, 1, part, file) != part)
            return error_set(err, "%s", strerror(errno));
        at += part;
        size -= part;
    }
    return true;
}

static bool save_memory(const struct monitor_call *c, read_fn *read, const char *name,
                        struct error *err)
{
    char *text = xstrdup(c->arg), *rest = text, *words[2];
    uint64_t at = 0, size = 0;
    FILE *file = NULL;
    bool ok;

    for (int i = 0; i < 2; i++) {
        words[i] = rest;
        rest += strcspn(rest, " \t");
        if (*rest)
            *rest++ = 0;
        rest += strspn(rest, " \t");
    }
    ok = *rest || error_set(err, "'%s' needs ADDRESS SIZE FILE", name);
    ok = ok && read_address(c, words[0], &at, err) &&
         value_number(words[1], name, 1, UINT64_MAX, &size, err);
    if (ok) {
        file = fopen(rest, "wbe");
        ok = file || error_set(err, "%.200s: %s", rest, strerror(errno));
    }
    ok = ok && copy_to_file(c, read, at, size, file, err);
    if (file && fclose(file) && ok)
        ok = error_set(err, "%.200s: %s", rest, strerror(errno));
    free(text);
    return ok;
}

bool monitor_memsave(const struct monitor_call *c, struct error *err)
{
    return save_memory(c, read_virtual, "memsave", err);
}

bool monitor_pmemsave(const struct monitor_call *c, struct error *err)
{
    return save_memory(c, read_physical, "pmemsave", err);
}
