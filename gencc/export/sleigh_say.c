/*
 * Writes statements of p-code: variables, constants.
 */
#include "gencc/export/sleigh.h"

#include <inttypes.h>
#include <stdarg.h>

void sl_say(struct sl_code *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fputs("    ", c->o);
    vfprintf(c->o, fmt, ap);
    fputc('\n', c->o);
    va_end(ap);
    if (++c->statements > SL_MAX_STATEMENTS && !c->refused)
        c->refused = "its behaviour is too long";
}

const char *sl_local(struct sl_code *c, unsigned bytes, const char *value)
{
    const char *name = arena_printf(c->f->s->arena, "_t%u", ++c->locals);

    sl_say(c, "local %s:%u = %s;", name, bytes, value);
    return name;
}

const char **sl_lanes(struct sl_code *c, unsigned n)
{
    return arena_alloc(c->f->s->arena, (n ? n : 1) * sizeof(const char *));
}

const char *sl_constant(struct sl_code *c, u128 value, unsigned bytes)
{
    struct arena *a = c->f->s->arena;

    value &= low_bits(8 * bytes);
    if (bytes <= 8)
        return arena_printf(a, "0x%" PRIx64 ":%u", (uint64_t)value, bytes);
    if (!(value >> 64))
        return sl_local(c, bytes, arena_printf(a, "zext(0x%" PRIx64 ":8)", (uint64_t)value));
    return sl_local(c, bytes,
                    arena_printf(a, "(zext(0x%" PRIx64 ":8) << 64) | zext(0x%" PRIx64 ":8)",
                                 (uint64_t)(value >> 64), (uint64_t)value));
}
