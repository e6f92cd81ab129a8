/*
 * Writes HTML with escapes; see html.h.
 */
#include "gencc/doc/html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void html_bytes(FILE *o, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '<':
            fputs("&lt;", o);
            break;
        case '>':
            fputs("&gt;", o);
            break;
        case '&':
            fputs("&amp;", o);
            break;
        case '"':
            fputs("&quot;", o);
            break;
        default:
            fputc(text[i], o);
        }
    }
}

void html_text(FILE *o, const char *text)
{
    html_bytes(o, text, strlen(text));
}

void html(FILE *o, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            fputc(*fmt, o);
            continue;
        }
        switch (*++fmt) {
        case 's':
            html_text(o, va_arg(ap, const char *));
            break;
        case 'u':
            fprintf(o, "%u", va_arg(ap, unsigned));
            break;
        case 'd':
            fprintf(o, "%d", va_arg(ap, int));
            break;
        default:
            fputc('%', o);
        }
    }
    va_end(ap);
}

void html_prose(FILE *o, const char *text)
{
    bool in_code = false;

    fputs("<p>", o);
    for (; *text; text++) {
        if (*text == '`' && (in_code || strchr(text + 1, '`'))) {
            fputs(in_code ? "</code>" : "<code>", o);
            in_code = !in_code;
        } else if (*text == '\n' && !in_code) {
            fputs("</p>\n<p>", o);
        } else {
            html_bytes(o, text, 1);
        }
    }
    fputs("</p>\n", o);
}

const char *html_id(struct arena *a, const char *prefix, const char *text)
{
    char *id = arena_printf(a, "%s%s", prefix, text);

    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.-", *c))
            *c = '-';
    return id;
}
