/* GDB's packets as bytes: text, and frames in both directions. */
#include "runtime/cpu/gdb_frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void append_chars(struct gdb_text *t, const char *text, size_t len)
{
    if (!len)
        return;
    vec_reserve(&t->chars, t->chars.len + len);
    memcpy(t->chars.data + t->chars.len, text, len);
    t->chars.len += len;
}

void gdb_text_add_list(struct gdb_text *t, const char *fmt, va_list args)
{
    char *text = NULL;
    int len = vasprintf(&text, fmt, args);

    if (len > 0)
        append_chars(t, text, (size_t)len);
    if (len >= 0)
        free(text);
}

void gdb_text_add(struct gdb_text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    gdb_text_add_list(t, fmt, args);
    va_end(args);
}

void gdb_text_hex(struct gdb_text *t, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    char *to;

    if (!len)
        return;
    vec_reserve(&t->chars, t->chars.len + 2 * len);
    to = t->chars.data + t->chars.len;
    for (size_t n = 0; n < len; n++) {
        *to++ = digits[b[n] >> 4];
        *to++ = digits[b[n] & 15];
    }
    t->chars.len += 2 * len;
}

size_t gdb_text_console(struct gdb_text *t, const char *text, size_t len)
{
    size_t most = GDB_PACKET_MAX / 2 - 1, part = len < most ? len : most;

    gdb_text_add(t, "O");
    gdb_text_hex(t, text, part);
    return part;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gdb_parse_hex(const char *text, void *bytes, size_t len)
{
    uint8_t *b = bytes;

    for (size_t n = 0; n < len; n++) {
        int high = hex_digit(text[2 * n]), low = high < 0 ? -1 : hex_digit(text[2 * n + 1]);

        if (low < 0)
            return false;
        b[n] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* ---- words of packets ------------------------------------------------------------------------ */

bool gdb_skip_prefix(const char **text, const char *word)
{
    size_t len = strlen(word);

    if (strncmp(*text, word, len) != 0)
        return false;
    *text += len;
    return true;
}

/* ---- thread ids ------------------------------------------------------------------------------ */

static bool parse_id(const char **text, uint64_t *id)
{
    char *after;

    if (!strncmp(*text, "-1", 2)) {
        *text += 2;
        *id = GDB_EVERY;
        return true;
    }
    *id = strtoull(*text, &after, 16);
    if (hex_digit(**text) < 0)
        return false;
    *text = after;
    return true;
}

bool gdb_parse_thread(const char **text, struct gdb_thread *id)
{
    *id = (struct gdb_thread){0};
    if (**text != 'p')
        return parse_id(text, &id->thread);
    ++*text;
    if (!parse_id(text, &id->process))
        return false;
    if (**text != '.') {
        id->thread = GDB_EVERY;
        return true;
    }
    ++*text;
    return parse_id(text, &id->thread);
}

void gdb_text_thread(struct gdb_text *t, unsigned process, uint64_t thread)
{
    if (process)
        gdb_text_add(t, "p%x.", process);
    gdb_text_add(t, "%" PRIx64, thread);
}

/* ---- frames ---------------------------------------------------------------------------------- */

enum gdb_frame_event gdb_frame_take(struct gdb_frame *f, uint8_t byte)
{
    uint8_t given;

    switch (f->state) {
    case GDB_IDLE:
        if (byte == '$') {
            f->state = GDB_BODY;
            f->length = f->sum = 0;
        }
        return byte == GDB_INTERRUPT ? GDB_FRAME_INTERRUPT : GDB_FRAME_NOTHING;
    case GDB_BODY:
        if (byte == '#') {
            f->state = GDB_SUM_HIGH;
        } else if (f->length == GDB_PACKET_MAX) {
            f->state = GDB_IDLE;
        } else {
            f->packet[f->length++] = (char)byte;
            f->sum += byte;
        }
        return GDB_FRAME_NOTHING;
    case GDB_SUM_HIGH:
        f->given[0] = (char)byte;
        f->state = GDB_SUM_LOW;
        return GDB_FRAME_NOTHING;
    case GDB_SUM_LOW:
        break;
    }
    f->given[1] = (char)byte;
    f->state = GDB_IDLE;
    f->packet[f->length] = '\0';
    return gdb_parse_hex(f->given, &given, 1) && f->sum == given ? GDB_FRAME_PACKET
                                                                 : GDB_FRAME_DAMAGED;
}

void gdb_frame_wrap(const struct gdb_text *packet, struct gdb_text *out)
{
    uint8_t sum = 0;
    char *to;

    vec_reserve(&out->chars, out->chars.len + 2 * packet->chars.len + sizeof("$#00"));
    to = out->chars.data + out->chars.len;
    *to++ = '$';
    for (size_t n = 0; n < packet->chars.len; n++) {
        char c = packet->chars.data[n];

        if (c == '$' || c == '#' || c == '}' || c == '*') {
            *to++ = '}';
            sum += '}';
            c ^= 0x20;
        }
        *to++ = c;
        sum += (uint8_t)c;
    }
    out->chars.len = (unsigned)(to - out->chars.data);
    gdb_text_add(out, "#%02x", sum);
}
