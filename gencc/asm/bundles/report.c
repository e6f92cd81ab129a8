/*
 * Messages about places in the source of `gencc asm` for shaders that are strings of bundles.
 */
#include "gencc/asm/bundles/lines.h"

static struct src_pos position_in_source(const struct source_lines *s, unsigned line,
                                         unsigned column, unsigned length)
{
    return (struct src_pos){&s->source, line, column, length};
}

void source_error(struct source_lines *s, unsigned line, unsigned column, unsigned length,
                  const char *message)
{
    if (s->diag)
        diag_error(s->diag, position_in_source(s, line, column, length), "%s", message);
    s->errors++;
}

void source_note(struct source_lines *s, const char *message)
{
    if (s->diag)
        diag_note(s->diag, (struct src_pos){0}, "%s", message);
}
