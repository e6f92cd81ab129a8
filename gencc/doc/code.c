/*
 * Writes GenC as HTML: kinds of words marked, names linked.
 */
#include "gencc/doc/internal.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "if",       "else",      "while",    "do",      "for",      "switch",   "case",
    "default",  "break",     "continue", "return",  "raise",    "helper",   "execute",
    "decode",   "behaviour", "external", "sysreg",  "const",    "private",  "public",
    "internal", "system",    "export",   "inline",  "noinline", "noreturn", "pure",
    "typename", "struct",    "bitsof",   "lanesof", "inst",     "signed",   "unsigned",
    "wide",     "narrow",    "true",     "false",   "field",    "hook",     "where",
    "requires", "asm",       "with",     "class",   "bits",     "ticks",    "header",
};
static const char *const types[] = {
    "void",   "uint8",  "uint16", "uint32",  "uint64", "uint128", "sint8",
    "sint16", "sint32", "sint64", "sint128", "float",  "double",
};

static bool is_one_of(const char *word, size_t n, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == n && !memcmp(list[i], word, n))
            return true;
    return false;
}

static void write_marked(FILE *o, const char *kind, const char *text, size_t n)
{
    html(o, "<span class=\"%s\">", kind);
    html_bytes(o, text, n);
    fputs("</span>", o);
}

static const char *find_address(const struct doc_links *links, bool map, const char *name)
{
    const char *address = NULL;

    for (; links && !address; links = links->outer)
        address = name_map_get(map ? &links->maps : &links->names, name);
    return address;
}

/* Writes a name, as a link if it has an address. */
static void write_linked(struct page *p, const struct doc_links *links, bool map, const char *word,
                         size_t n)
{
    const char *address = find_address(links, map, arena_strndup(p->site->a, word, n));

    if (address)
        html(p->o, "<a href=\"%s%s\">", p->up, address);
    html_bytes(p->o, word, n);
    if (address)
        fputs("</a>", p->o);
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at, const char *end)
{
    const char *start = at;

    while (at < end && in_word(*at))
        at++;
    return (size_t)(at - start);
}

/* Writes a string; a name after % is a map. */
static const char *write_string(struct page *p, const struct doc_links *links, const char *at,
                                const char *end)
{
    fputs("<span class=\"s\">&quot;", p->o);
    for (at++; at < end && *at != '"' && *at != '\n';) {
        size_t n = *at == '%' ? word_length(at + 1, end) : 0;

        if (n) {
            fputc('%', p->o);
            write_linked(p, links, true, at + 1, n);
            at += n + 1;
        } else {
            n = *at == '\\' && at + 1 < end ? 2 : 1;
            html_bytes(p->o, at, n);
            at += n;
        }
    }
    fputs(at < end && *at == '"' ? "&quot;</span>" : "</span>", p->o);
    return at < end && *at == '"' ? at + 1 : at;
}

static const char *write_comment(struct page *p, const char *at, const char *end)
{
    const char *stop = at[1] == '/' ? memchr(at, '\n', (size_t)(end - at)) : strstr(at + 2, "*/");

    stop = !stop || stop > end ? end : stop + (at[1] == '*' ? 2 : 0);
    stop = stop > end ? end : stop;
    write_marked(p->o, "c", at, (size_t)(stop - at));
    return stop;
}

void code_write(struct page *p, const struct doc_links *links, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    char before = 0;

    while (at < end) {
        size_t n = in_word(*at) ? word_length(at, end) : 1;

        if (*at == '"') {
            at = write_string(p, links, at, end);
            before = '"';
            continue;
        }
        if (*at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*')) {
            at = write_comment(p, at, end);
            continue;
        }
        if (isdigit((unsigned char)*at))
            write_marked(p->o, "n", at, n);
        else if (!in_word(*at) || before == '.')
            html_bytes(p->o, at, n);
        else if (is_one_of(at, n, keywords, sizeof(keywords) / sizeof(*keywords)))
            write_marked(p->o, "k", at, n);
        else if (is_one_of(at, n, types, sizeof(types) / sizeof(*types)))
            write_marked(p->o, "t", at, n);
        else
            write_linked(p, links, false, at, n);
        before = at[n - 1] == ' ' ? before : at[n - 1];
        at += n;
    }
}

void code_block(struct page *p, const struct doc_links *links, const char *text, size_t length)
{
    fputs("<pre><code>", p->o);
    code_write(p, links, text, length);
    fputs("</code></pre>\n", p->o);
}

void code_expr(struct page *p, const struct doc_links *links, const struct ast_expr *e)
{
    const char *text = show_expr(p->site->a, e);

    fputs("<code>", p->o);
    code_write(p, links, text, strlen(text));
    fputs("</code>", p->o);
}
