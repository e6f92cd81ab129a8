/*
 * What the assembly of a statement leaves: its bytes, the values of symbols, errors.
 */
#include "gencc/asm/program/program.h"
#include "gencc/asm/words/expr.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_IMAGE = 1 << 28 /* bytes */ };

bool asm_program_error(struct asm_program *p, unsigned line, const char *format, ...)
{
    va_list ap;

    if (!p->is_last_pass || p->errors >= ASM_PROGRAM_MAX_ERRORS)
        return false;
    p->errors++;
    fprintf(p->messages, "%s:%u: error: ", p->file, line);
    va_start(ap, format);
    vfprintf(p->messages, format, ap);
    va_end(ap);
    fputc('\n', p->messages);
    if (p->errors == ASM_PROGRAM_MAX_ERRORS)
        fprintf(p->messages, "gencc: stopped after %u errors\n", p->errors);
    return false;
}

void asm_program_set(struct asm_program *p, struct asm_symbol *s, int64_t value)
{
    if (s->has_value && s->value == value)
        return;
    s->has_value = true;
    s->value = value;
    p->symbols_changed = true;
}

bool asm_program_value(struct asm_program *p, const struct asm_statement *s, const char **at,
                       int64_t *value)
{
    struct asm_names *n = p->names;
    const char *end;

    n->unknown = n->problem = NULL;
    end = asm_expr_read(n, *at, value);
    if (end)
        end += strspn(end, " \t");
    if (end && (!*end || *end == ',')) {
        *at = end;
        return true;
    }
    if (n->problem)
        return asm_program_error(p, s->line, "%s", n->problem);
    if (n->unknown)
        return asm_program_error(p, s->line, "unknown name '%.*s'", (int)n->unknown_length,
                                 n->unknown);
    *at += strspn(*at, " \t");
    return asm_program_error(p, s->line, "expected a number, not '%.32s'", *at);
}

bool asm_program_size(struct asm_program *p, struct asm_statement *s, uint64_t size)
{
    if (size > MAX_IMAGE || s->address - p->base > MAX_IMAGE - size)
        return asm_program_error(p, s->line, "the program would have more than %d bytes",
                                 MAX_IMAGE);
    s->size = size;
    return true;
}

unsigned char *asm_program_room(struct asm_program *p, struct asm_statement *s, uint64_t size)
{
    if (!asm_program_size(p, s, size))
        return NULL;
    if (size > s->room) {
        s->room = size;
        s->bytes = arena_alloc(p->arena, size);
    }
    memset(s->bytes ? s->bytes : (unsigned char *)"", 0, size);
    return s->bytes;
}
