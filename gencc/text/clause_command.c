/*
 * `gencc disasm` of shaders that are strings of clauses.
 */
#include "gencc/text/clause.h"
#include "gencc/text/commands.h"
#include "gencc/text/internal.h"

#include <stdlib.h>

enum { MAX_TEXT = 16384, MAX_SHADER = 1 << 24 };

/* The shader's bytes; fewer than there are when it is too long, which is reported. */
static uint8_t *read_shader(FILE *in, size_t *bytes)
{
    size_t room = 4096, got;
    uint8_t *code = NULL;

    *bytes = 0;
    do {
        uint8_t *more = realloc(code, room *= 2);

        if (!more)
            break;
        code = more;
        got = fread(code + *bytes, 1, room - *bytes, in);
        *bytes += got;
    } while (got && *bytes < MAX_SHADER);
    return code;
}

static bool is_padding(const uint8_t *code, size_t bytes)
{
    static const uint8_t zero[4];

    return bytes < sizeof zero || !memcmp(code, zero, sizeof zero);
}

/* Writes the clauses; returns where they end. */
static size_t write_clauses(struct text_clause *tc, const uint8_t *code, size_t bytes, FILE *out)
{
    static const size_t word = CLAUSE_QUADWORD_BYTES;
    size_t at = 0;

    while (!is_padding(code + at, bytes - at)) {
        char text[MAX_TEXT];
        struct asm_out o = {.text = text, .size = sizeof text};
        size_t used = text_clause_disasm(tc, code + at, bytes - at, (unsigned)(at / word), &o);

        if (!used)
            break;
        fprintf(out, "clause_%zu:\n%s\n", at / word, text);
        at += used;
    }
    return at;
}

int text_command_clauses(struct text *t, const struct text_options *o, FILE *out)
{
    struct text_clause *tc = text_clause_prepare(t);
    FILE *in = tc ? text_open_input(o->file) : NULL;
    size_t bytes, end;
    uint8_t *code;
    int status = 0;

    if (!in)
        return tc ? 2 : 1;
    code = read_shader(in, &bytes);
    end = code ? write_clauses(tc, code, bytes, out) : 0;
    if (code && !is_padding(code + end, bytes - end)) {
        fprintf(stderr, "gencc: at byte %zu of '%s' is no clause\n", end, o->file);
        status = 1;
    }
    free(code);
    return text_close_all(in, o->file, out, status);
}
