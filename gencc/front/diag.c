#include "gencc/front/diag.h"

#include <string.h>

enum { DEFAULT_MAX_ERRORS = 20 };

static unsigned limit(const struct diag *d)
{
    return d->max_errors ? d->max_errors : DEFAULT_MAX_ERRORS;
}

static FILE *output(const struct diag *d)
{
    return d->out ? d->out : stderr;
}

/* The source line a position stands in, and its length. */
static const char *source_line(struct src_pos pos, size_t *length)
{
    const char *at = pos.file->text;
    const char *end = at + pos.file->length;
    const char *stop;

    for (uint32_t line = 1; line < pos.line && at < end; line++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));

        if (!nl)
            return NULL;
        at = nl + 1;
    }
    stop = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((stop ? stop : end) - at);
    if (*length && at[*length - 1] == '\r')
        --*length;
    return at;
}

/* Prints the line and, below it, a caret under the position; tabs are kept so that both lines
 * are indented alike. */
static void print_excerpt(FILE *out, struct src_pos pos)
{
    size_t length;
    const char *line = source_line(pos, &length);
    uint32_t width = pos.length ? pos.length : 1;

    if (!line)
        return;
    fprintf(out, "%5u | %.*s\n      | ", pos.line, (int)length, line);
    for (uint32_t i = 0; i + 1 < pos.column; i++)
        fputc(i < length && line[i] == '\t' ? '\t' : ' ', out);
    fputc('^', out);
    for (uint32_t i = 1; i < width && pos.column - 1 + i < length; i++)
        fputc('~', out);
    fputc('\n', out);
}

/* `option` follows the text in brackets, unless NULL. */
static void tell(struct diag *d, struct src_pos pos, const char *kind, const char *option,
                 const char *fmt, va_list ap)
{
    const char *text = arena_vprintf(d->arena, fmt, ap);

    d->hooks->message(d->hook_context, kind, pos,
                      option ? arena_printf(d->arena, "%s [-W%s]", text, option) : text);
}

/* `option` follows the text in brackets, unless NULL. */
static void report(struct diag *d, struct src_pos pos, const char *kind, const char *option,
                   const char *fmt, va_list ap)
{
    FILE *out = output(d);

    if (d->hooks) {
        tell(d, pos, kind, option, fmt, ap);
        return;
    }
    if (pos.file)
        fprintf(out, "%s:%u:%u: ", pos.file->path, pos.line, pos.column);
    else
        fputs("gencc: ", out);
    fprintf(out, "%s: ", kind);
    vfprintf(out, fmt, ap);
    if (option)
        fprintf(out, " [-W%s%s]", strcmp(kind, "error") ? "" : "error=", option);
    fputc('\n', out);
    if (pos.file)
        print_excerpt(out, pos);
}

/* Counts a message; false when there were too many of its kind to print it. */
static bool count(struct diag *d, unsigned *kind, const char *plural)
{
    d->muted = ++*kind > limit(d);
    if (*kind == limit(d) + 1)
        fprintf(output(d), "gencc: more %s follow and are not shown\n", plural);
    return !d->muted;
}

void diag_error(struct diag *d, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    if (!count(d, &d->errors, "errors"))
        return;
    va_start(ap, fmt);
    report(d, pos, "error", NULL, fmt, ap);
    va_end(ap);
}

void diag_warning(struct diag *d, enum warning w, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    d->muted = d->off[w];
    if (d->off[w])
        return;
    d->fatal += d->fail[w];
    if (!count(d, &d->warnings, "warnings"))
        return;
    va_start(ap, fmt);
    report(d, pos, d->fail[w] ? "error" : "warning", warnings_known[w].name, fmt, ap);
    va_end(ap);
}

void diag_note(struct diag *d, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    if (d->muted)
        return;
    va_start(ap, fmt);
    report(d, pos, "note", NULL, fmt, ap);
    va_end(ap);
}
