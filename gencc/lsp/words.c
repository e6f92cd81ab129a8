/*
 * Finds the words of a text that have a meaning.
 */
#include "gencc/lsp/symbols.h"

#include <ctype.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* State of a walk through a text */
struct reader {
    const char *text, *at;
    bool (*take)(void *context, const struct word *w);
    void *context;
    bool stopped;
    bool picture; /* the next string is a picture */
};

static size_t length_of(const char *at)
{
    size_t n = 0;

    while (in_word(at[n]))
        n++;
    return n;
}

static void give_word(struct reader *r, const char *at, size_t n, int where)
{
    struct word w = {(size_t)(at - r->text), (size_t)(at - r->text) + n, where};

    if (!r->stopped && !isdigit((unsigned char)*at))
        r->stopped = !r->take(r->context, &w);
}

static void skip_comment(struct reader *r)
{
    const char *end = r->at[1] == '/' ? strchr(r->at, '\n') : strstr(r->at + 2, "*/");

    r->at = !end ? r->at + strlen(r->at) : end + (r->at[1] == '*' ? 2 : 0);
}

static void read_string(struct reader *r)
{
    unsigned braces = 0;

    for (r->at++; *r->at && *r->at != '"' && *r->at != '\n';) {
        char before = r->at[-1];
        size_t n = length_of(r->at);

        if (!n) {
            braces += *r->at == '{' && !r->picture;
            braces -= *r->at == '}' && braces;
            r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
            continue;
        }
        if (braces)
            give_word(r, r->at, n, WORD_EXPRESSION);
        else if (r->picture && !strchr("01x", *r->at))
            give_word(r, r->at, n, WORD_PICTURE);
        else if (!r->picture && before == '%')
            give_word(r, r->at, n, WORD_MAP);
        r->at += n;
    }
    r->at += *r->at == '"';
    r->picture = false;
}

/* Notes that a picture follows: its string comes after a name and perhaps a format. */
static void note_picture(struct reader *r, const char *word, size_t n)
{
    static const char *const heads[] = {"ac_instr", "ac_format", "ac_picture", "take", "grain"};

    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        if (strlen(heads[i]) == n && !memcmp(heads[i], word, n))
            r->picture = true;
}

void words_each(const char *text, bool (*take)(void *context, const struct word *w), void *context)
{
    struct reader r = {.text = text, .at = text, .take = take, .context = context};

    while (*r.at && !r.stopped) {
        size_t n = length_of(r.at);

        if (n) {
            note_picture(&r, r.at, n);
            give_word(&r, r.at, n, WORD_CODE);
            r.at += n;
        } else if (r.at[0] == '/' && (r.at[1] == '/' || r.at[1] == '*')) {
            skip_comment(&r);
        } else if (*r.at == '"') {
            read_string(&r);
        } else {
            if (strchr(";{}", *r.at))
                r.picture = false;
            r.at++;
        }
    }
}

struct search {
    size_t offset;
    struct word *out;
    bool found;
};

static bool match_offset(void *context, const struct word *w)
{
    struct search *s = context;

    if (w->from > s->offset)
        return false;
    if (s->offset <= w->to) {
        *s->out = *w;
        s->found = true;
    }
    return true;
}

bool word_at(const char *text, size_t offset, struct word *out)
{
    struct search s = {offset, out, false};

    words_each(text, match_offset, &s);
    return s.found;
}
