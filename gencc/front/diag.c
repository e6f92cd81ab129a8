/*
 * Reports errors, warnings and notes, and suppresses errors that follow from earlier ones.
 */
#include "gencc/front/diag.h"

#include <ctype.h>
#include <string.h>

enum { DEFAULT_MAX_ERRORS = 20, MAX_PLACES = 100 };

const struct warning_info warnings_known[WARN_COUNT] = {
#define WARNING(id, name, meaning) {name, meaning},
#include "gencc/front/warnings.inc"
#undef WARNING
};

static unsigned message_limit(const struct diag *d)
{
    return d->max_errors ? d->max_errors : DEFAULT_MAX_ERRORS;
}

static FILE *message_stream(const struct diag *d)
{
    return d->out ? d->out : stderr;
}

/* The source line that contains the position, and its length. */
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

/* Prints the line and a caret under the position. Tabs are kept, so that both lines are indented
 * alike. */
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

/* Passes a message to the hooks. `option` is appended in brackets, unless NULL. */
static void send_to_hook(struct diag *d, struct src_pos pos, const char *kind, const char *option,
                         const char *fmt, va_list ap)
{
    const char *text = arena_vprintf(d->arena, fmt, ap);

    d->hooks->message(d->hook_context, kind, pos,
                      option ? arena_printf(d->arena, "%s [-W%s]", text, option) : text);
}

/* Prints a message or passes it to the hooks. `option` is appended in brackets, unless NULL. */
static void report_message(struct diag *d, struct src_pos pos, const char *kind, const char *option,
                           const char *fmt, va_list ap)
{
    FILE *out = message_stream(d);

    if (d->hooks) {
        send_to_hook(d, pos, kind, option, fmt, ap);
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

/* Sets d->muted if more messages of this kind were shown than the limit; returns whether to
 * print. */
static bool count_message(struct diag *d, unsigned shown, const char *plural)
{
    d->muted = shown > message_limit(d);
    if (shown == message_limit(d) + 1)
        fprintf(message_stream(d), "gencc: more %s follow and are not shown\n", plural);
    return !d->muted;
}

static void report_error(struct diag *d, struct src_pos pos, const char *fmt, va_list ap)
{
    d->errors++;
    /* the assembler has no arena: it reports no stages */
    if (pos.file && d->arena && d->places.len < MAX_PLACES)
        vec_push_in(d->arena, &d->places, pos);
    if (count_message(d, d->errors - d->hidden, "errors"))
        report_message(d, pos, "error", NULL, fmt, ap);
}

void diag_error(struct diag *d, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    report_error(d, pos, fmt, ap);
    va_end(ap);
}

/* Warnings that are on only with -Wname. They inform about a whole description and are no signs of
 * mistakes. */
static const bool must_be_asked_for[WARN_COUNT] = {[WARN_SLOW] = true};

bool diag_is_off(const struct diag *d, enum warning w)
{
    return d->off[w] || (must_be_asked_for[w] && !d->on[w]);
}

void diag_warning(struct diag *d, enum warning w, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    d->muted = diag_is_off(d, w);
    if (d->muted)
        return;
    d->fatal += d->fail[w];
    d->warnings++;
    /* A warning that was asked for with -Wname is never dropped for the limit of messages. */
    if (!d->on[w] && !count_message(d, d->warnings, "warnings"))
        return;
    va_start(ap, fmt);
    report_message(d, pos, d->fail[w] ? "error" : "warning", warnings_known[w].name, fmt, ap);
    va_end(ap);
}

void diag_note(struct diag *d, struct src_pos pos, const char *fmt, ...)
{
    va_list ap;

    if (d->muted)
        return;
    va_start(ap, fmt);
    report_message(d, pos, "note", NULL, fmt, ap);
    va_end(ap);
}

/* ---- later stages ---------------------------------------------------------------------------- */

void diag_count_hidden(struct diag *d)
{
    d->errors++;
    d->hidden++;
    d->muted = true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a line begins a definition, or an item of an ISA. */
static bool begins_item(const char *line)
{
    const char *word = line + strspn(line, " \t");

    return (word == line && isalpha((unsigned char)*line)) || !strncmp(word, "ac_", 3);
}

static struct diag_item item_around(struct src_pos place)
{
    const char *text = place.file->text;
    struct diag_item found = {place.file, text, text, 1, 1};

    for (const char *at = text; *at; found.end++) {
        size_t length = strcspn(at, "\n");

        if (begins_item(at)) {
            if (found.end > place.line)
                break;
            found.from = at;
            found.line = found.end;
        }
        at += length + (at[length] == '\n');
        found.to = at;
    }
    return found;
}

void diag_end_stage(struct diag *d)
{
    for (unsigned i = d->items.len; i < d->places.len; i++)
        vec_push_in(d->arena, &d->items, item_around(d->places.data[i]));
}

/* Number of occurrences of the name in an item, as a whole word. */
static unsigned count_occurrences(const struct diag_item *in, const char *name)
{
    size_t length = strlen(name);
    unsigned found = 0;

    for (const char *at = in->from; (at = memmem(at, (size_t)(in->to - at), name, length));
         at += length)
        found += (at == in->from || !is_word(at[-1])) && !is_word(at[length]);
    return found;
}

/* Whether the undeclared name occurs, apart from the use itself, in an item that could not be
 * read. */
static bool may_be_declared(const struct diag *d, struct src_pos here, const char *name)
{
    if (!*name)
        return false;
    vec_for_each (&d->items, item) {
        bool is_in = here.file == item->file && here.line >= item->line && here.line < item->end;

        if (count_occurrences(item, name) > is_in)
            return true;
    }
    return false;
}

void diag_unknown(struct diag *d, struct src_pos pos, const struct name_guess *g, const char *fmt,
                  ...)
{
    const char *text, *quote;
    va_list ap;

    if (may_be_declared(d, pos, g->wrong)) {
        diag_count_hidden(d);
        return;
    }
    va_start(ap, fmt);
    text = arena_vprintf(d->arena, fmt, ap);
    va_end(ap);
    /* quote as the text quotes the name */
    quote = *text && text[strlen(text) - 1] == '\'' ? "'" : "\"";
    if (g->best)
        diag_error(d, pos, "%s; did you mean %s%s%s?", text, quote, g->best, quote);
    else
        diag_error(d, pos, "%s", text);
}
