/* The GDB server: text of packets, and sending them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/gdb_internal.h"

static void append_chars(struct gdb_text *t, const char *text, size_t len)
{
    if (!len)
        return;
    vec_reserve(&t->chars, t->chars.len + len);
    memcpy(t->chars.data + t->chars.len, text, len);
    t->chars.len += len;
}

void gdb_text_add(struct gdb_text *t, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len > 0)
        append_chars(t, text, (size_t)len);
    if (len >= 0)
        free(text);
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

void gdb_reply_text(struct gdb *gdb, const struct gdb_text *t)
{
    struct gdb_text out = {0};
    uint8_t sum = 0;
    char *to;

    vec_reserve(&out.chars, 2 * t->chars.len + sizeof("$#00")); /* all escaped */
    to = out.chars.data;
    *to++ = '$';
    for (size_t n = 0; n < t->chars.len; n++) {
        char c = t->chars.data[n];

        if (c == '$' || c == '#' || c == '}' || c == '*') {
            *to++ = '}';
            sum += '}';
            c ^= 0x20;
        }
        *to++ = c;
        sum += (uint8_t)c;
    }
    out.chars.len = (size_t)(to - out.chars.data);
    gdb_text_add(&out, "#%02x", sum);
    log_printf(gdb->config.log, LOG_GDB, "gdb: -> %.*s\n", (int)out.chars.len, out.chars.data);
    gdb_link_put(gdb->link, out.chars.data, out.chars.len);
    vec_free(&out.chars);
}

void gdb_reply(struct gdb *gdb, const char *fmt, ...)
{
    struct gdb_text t = {0};
    char *text = NULL;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len >= 0) {
        append_chars(&t, text, (size_t)len);
        free(text);
    }
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}
