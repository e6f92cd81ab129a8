/*
 * The C header of a file of constants.
 */
#include "gencc/emit/constants.h"
#include "gencc/emit/file.h"
#include "gencc/front/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The comment at the end of a name's line, or an empty text. A backslash at its end is dropped,
 * since in C it would join the next line. */
static const char *comment_of(struct arena *a, const struct ast_def *def)
{
    const char *line = def->pos.file->text, *at;
    size_t length;

    for (unsigned n = 1; n < def->pos.line; n++)
        line = strchr(line, '\n') + 1;
    length = strcspn(line, "\n");
    at = memmem(line, length, "//", 2);
    if (!at)
        return "";
    length -= (size_t)(at - line);
    while (isspace((unsigned char)at[length - 1]) || at[length - 1] == '\\')
        length--;
    return arena_strndup(a, at, length);
}

static void write_enumeration(FILE *o, struct arena *a, const struct enumeration *e)
{
    const char *heading = comment_of(a, e->ast);

    fprintf(o, "\n%s%senum %s {\n", heading, *heading ? "\n" : "", name_in_c(a, e->ast->name));
    vec_for_each (&e->values, v) {
        const char *comment = comment_of(a, v->ast);

        fprintf(o, "    %s = %u,%s%s\n", name_in_c(a, v->ast->name), v->value, *comment ? " " : "",
                comment);
    }
    fputs("};\n", o);
}

/* The include guard of a header. */
static const char *guard_of(struct arena *a, const char *name)
{
    char *guard = arena_upper(a, arena_printf(a, "GENCC_%s", name));

    for (char *c = guard; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return guard;
}

bool emit_constants(struct diag *d, const struct enums *enums, const char *source, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dir = slash ? arena_strndup(d->arena, path, (size_t)(slash - path)) : ".";
    const char *guard = guard_of(d->arena, name);
    char *made = NULL;
    size_t size = 0;
    FILE *o = open_memstream(&made, &size);
    bool ok = o != NULL;

    if (ok) {
        fprintf(o, "// Made by gencc from '%s'. Edits are lost.\n#ifndef %s\n#define %s\n", source,
                guard, guard);
        vec_for_each (&enums->all, e)
            write_enumeration(o, d->arena, *e);
        fputs("\n#endif\n", o);
        ok = !fclose(o);
    }
    if (!ok) {
        fprintf(d->out, "gencc: %s\n", strerror(errno));
        d->errors++;
    }
    ok = ok && file_update(d, dir, name, made, size);
    free(made);
    return ok;
}
