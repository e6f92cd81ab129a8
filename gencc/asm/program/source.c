/*
 * Splits an assembly source into statements, labels and comments.
 */
#include "common/hash.h"
#include "gencc/asm/words/expr.h"
#include "gencc/asm/program/program.h"
#include "gencc/disasm/text.h"

#include <ctype.h>
#include <string.h>

struct source {
    struct asm_program *program;
    const char *p, *end;
    const char *comment; /* from the description; NULL: none */
    unsigned line;
};

static bool at_text(const struct source *s, const char *p, const char *text)
{
    size_t n = strlen(text);

    return n && (size_t)(s->end - p) >= n && !memcmp(p, text, n);
}

/* Whether a comment to the end of the line begins at `p`. */
static bool at_line_comment(const struct source *s, const char *p, bool first)
{
    return at_text(s, p, "//") || (s->comment && at_text(s, p, s->comment)) ||
           (first && at_text(s, p, "#"));
}

/* Copies text between `'` or `"`. */
static size_t copy_quoted(struct source *s, char *out)
{
    char quote = *s->p;
    size_t n = 0;

    do {
        if (*s->p == '\\' && s->p + 1 < s->end && s->p[1] != '\n')
            out[n++] = *s->p++;
        out[n++] = *s->p++;
    } while (s->p < s->end && *s->p != quote && *s->p != '\n');
    if (s->p < s->end && *s->p == quote)
        out[n++] = *s->p++;
    return n;
}

static bool skip_block_comment(struct source *s)
{
    unsigned from = s->line;

    for (s->p += 2; s->p < s->end && !at_text(s, s->p, "*/"); s->p++)
        s->line += *s->p == '\n';
    if (s->p == s->end)
        return asm_program_error(s->program, from, "this comment has no end");
    s->p += 2;
    return true;
}

/* Copies a statement up to a newline or semicolon, and skips that. `first`: it is the first of its
 * line. */
static bool copy_statement(struct source *s, char *out, size_t *length, bool *first)
{
    size_t n = 0;

    while (s->p < s->end && *s->p != '\n' && *s->p != ';') {
        bool blank_so_far = !n;

        if (at_line_comment(s, s->p, *first && blank_so_far)) {
            while (s->p < s->end && *s->p != '\n')
                s->p++;
        } else if (at_text(s, s->p, "/*")) {
            if (!skip_block_comment(s))
                return false;
            out[n++] = ' ';
        } else if (*s->p == '"' || (*s->p == '\'' && s->end - s->p > 2)) {
            n += copy_quoted(s, out + n);
        } else if (n || !isspace((unsigned char)*s->p)) {
            out[n++] = *s->p++;
        } else {
            s->p++;
        }
    }
    *first = s->p == s->end || *s->p == '\n';
    while (n && isspace((unsigned char)out[n - 1]))
        n--;
    *length = n;
    return true;
}

/* Length of a label at the start of the text; 0: there is none. */
static size_t label_length(const char *text)
{
    size_t n = strspn(text, "0123456789"), k;

    if (!n && asm_begins_name(*text))
        while (asm_is_in_name(text[n]))
            n++;
    k = n + strspn(text + n, " \t");
    return n && text[k] == ':' && strncmp(text, ".:", 2) ? n : 0;
}

static void add_statement(struct source *s, char *text, unsigned line)
{
    struct asm_program *p = s->program;
    size_t n;

    while ((n = label_length(text))) {
        struct asm_symbol label = {.name = text,
                                   .length = n,
                                   .line = line,
                                   .statement = p->statements.len,
                                   .is_label = true};

        vec_push_in(p->arena, &p->symbols, label);
        text = strchr(text, ':') + 1;
        text += strspn(text, " \t");
    }
    if (*text)
        vec_push_in(p->arena, &p->statements, ((struct asm_statement){.text = text, .line = line}));
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct asm_symbol **slot_of(struct asm_program *p, const char *name, size_t length)
{
    for (uint64_t i = hash_bytes(name, length);; i++) {
        struct asm_symbol **slot = &p->slots[i & (p->slot_count - 1)];

        if (!*slot || ((*slot)->length == length && !memcmp((*slot)->name, name, length)))
            return slot;
    }
}

static void index_symbols(struct asm_program *p)
{
    for (p->slot_count = 16; p->slot_count < 2 * p->symbols.len + 2; p->slot_count *= 2)
        ;
    p->slots = arena_alloc(p->arena, p->slot_count * sizeof(*p->slots));
    vec_for_each (&p->symbols, s) {
        struct asm_symbol **slot = slot_of(p, s->name, s->length);

        if (*slot && !isdigit((unsigned char)*s->name))
            asm_program_error(p, s->line, "'%.*s' is defined twice, first in line %u",
                              (int)s->length, s->name, (*slot)->line);
        if (!*slot)
            *slot = s;
    }
}

/* Finds `1b` or `1f`: the nearest label 1 before or behind the present statement. */
static struct asm_symbol *find_local(struct asm_program *p, const char *name, size_t length)
{
    bool back = name[length - 1] == 'b';
    struct asm_symbol *found = NULL;

    vec_for_each (&p->symbols, s) {
        if (s->length + 1 != length || memcmp(s->name, name, s->length))
            continue;
        if (back && s->statement <= p->at)
            found = s;
        if (!back && s->statement > p->at)
            return s;
    }
    return found;
}

struct asm_symbol *asm_program_find(struct asm_program *p, const char *name, size_t length)
{
    if (isdigit((unsigned char)*name))
        return find_local(p, name, length);
    return *slot_of(p, name, length);
}

/* ---- .equ ------------------------------------------------------------------------------------ */

/* The name that a statement defines: behind `.equ` or `.set`, or before `=`. NULL: none. */
static const char *defined_name(const char *text, size_t *length)
{
    const char *name = text;
    size_t n = 0;

    if (!strncmp(text, ".equ", 4) || !strncmp(text, ".set", 4)) {
        name = text + 4 + strspn(text + 4, " \t");
        if (name == text + 4)
            return NULL;
    }
    if (!asm_begins_name(*name))
        return NULL;
    while (asm_is_in_name(name[n]))
        n++;
    *length = n;
    n += strspn(name + n, " \t");
    return name != text ? name : name[n] == '=' && name[n + 1] != '=' ? name : NULL;
}

static void find_definitions(struct asm_program *p)
{
    for (unsigned i = 0; i < p->statements.len; i++) {
        struct asm_symbol s = {.statement = i, .line = p->statements.data[i].line};

        s.name = defined_name(p->statements.data[i].text, &s.length);
        if (s.name)
            vec_push_in(p->arena, &p->symbols, s);
    }
}

bool asm_program_read(struct asm_program *p, const char *source, size_t length)
{
    struct source s = {.program = p,
                       .p = source,
                       .end = source + length,
                       .comment = p->text->isa->ast ? p->text->isa->ast->line_comment : NULL,
                       .line = 1};
    char *text = arena_alloc(p->arena, length + 1);
    bool first = true;

    p->is_last_pass = true; /* an error here is an error in every pass */
    while (s.p < s.end) {
        unsigned line = s.line;
        size_t n;

        if (!copy_statement(&s, text, &n, &first))
            return false;
        add_statement(&s, arena_strndup(p->arena, text, n), line);
        if (s.p < s.end)
            s.line += *s.p++ == '\n';
    }
    find_definitions(p);
    index_symbols(p);
    p->is_last_pass = false;
    return !p->errors;
}
