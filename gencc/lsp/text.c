/*
 * Positions in texts as editors count them, and addresses of files; see text.h.
 */
#include "gencc/lsp/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of bytes of the character that begins with this byte; `units`: of UTF-16 units. */
static size_t character_bytes(const char *at, size_t *units)
{
    unsigned char c = (unsigned char)*at;
    size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

    for (size_t i = 1; i < n; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            n = i;
    *units = n == 4 ? 2 : 1;
    return n;
}

size_t text_offset(const char *text, const json_t *position)
{
    json_int_t line = json_integer_value(json_object_get(position, "line"));
    json_int_t column = json_integer_value(json_object_get(position, "character"));
    const char *at = text;

    for (; line > 0 && *at; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    while (column > 0 && *at && *at != '\n') {
        size_t units;

        at += character_bytes(at, &units);
        column -= (json_int_t)units;
    }
    return (size_t)(at - text);
}

json_t *text_position(const char *text, size_t offset)
{
    const char *end = text + offset, *start = text;
    json_int_t line = 0, column = 0;

    for (const char *at = text; at < end; at++)
        if (*at == '\n') {
            line++;
            start = at + 1;
        }
    while (start < end) {
        size_t units;

        start += character_bytes(start, &units);
        column += (json_int_t)units;
    }
    return json_pack("{s:I, s:I}", "line", line, "character", column);
}

json_t *text_range(const char *text, size_t from, size_t to)
{
    return json_pack("{s:o, s:o}", "start", text_position(text, from), "end",
                     text_position(text, to));
}

size_t text_line(const char *text, unsigned line)
{
    const char *at = text;

    for (; line > 1 && *at; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return (size_t)(at - text);
}

/* ---- addresses ------------------------------------------------------------------------------- */

char *text_uri(const char *path)
{
    char *uri = malloc(strlen(path) * 3 + 8), *at = uri;

    if (!uri)
        return NULL;
    at += sprintf(at, "file://");
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;

        if (isalnum(c) || strchr("/-._~+", c))
            *at++ = (char)c;
        else
            at += sprintf(at, "%%%02X", c);
    }
    *at = 0;
    return uri;
}

static int digit_value(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

char *text_path(const char *uri)
{
    static const char scheme[] = "file://";
    char *path, *out;

    if (!uri || strncmp(uri, scheme, sizeof(scheme) - 1))
        return NULL;
    uri += sizeof(scheme) - 1;
    path = out = malloc(strlen(uri) + 1);
    if (!path)
        return NULL;
    while (*uri) {
        if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2])) {
            *out++ = (char)(digit_value(uri[1]) * 16 + digit_value(uri[2]));
            uri += 3;
        } else {
            *out++ = *uri++;
        }
    }
    *out = 0;
    return path;
}
