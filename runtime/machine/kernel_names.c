/* Names of kernels by the hash of their code: the file of -gpu-names. */
#include "runtime/machine/kernel_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"

enum { LINE_BYTES = 512, DIGITS = 16 };

struct named {
    uint64_t hash;
    char *name;
};

struct kernel_names {
    VEC(struct named) rows;
};

/* Whether the line is one that counts, of which *hash and *name are the parts. */
static bool parse_line(char *line, uint64_t *hash, char **name)
{
    size_t len = strlen(line);

    while (len && isspace((unsigned char)line[len - 1]))
        line[--len] = 0;
    if (strspn(line, "0123456789abcdefABCDEF") != DIGITS || line[DIGITS] != ' ')
        return false;
    *hash = strtoull(line, NULL, 16);
    *name = line + DIGITS + strspn(line + DIGITS, " \t");
    return **name != 0;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " \t\r\n");
    return !*line || *line == '#';
}

static bool read_lines(struct kernel_names *names, FILE *file, const char *path, struct error *err)
{
    char line[LINE_BYTES], *name;
    unsigned number = 0;
    uint64_t hash;

    while (fgets(line, sizeof(line), file)) {
        number++;
        if (is_comment(line))
            continue;
        if ((!strchr(line, '\n') && !feof(file)) || !parse_line(line, &hash, &name))
            return error_set(err, "%.200s:%u: expected 16 hexadecimal digits and a name", path,
                             number);
        vec_push(&names->rows, (struct named){hash, xstrdup(name)});
    }
    return !ferror(file) || error_set(err, "%.200s: %s", path, strerror(errno));
}

struct kernel_names *kernel_names_read(const char *path, struct error *err)
{
    struct kernel_names *names;
    FILE *file = fopen(path, "r");
    bool ok;

    if (!file)
        return error_null(err, "cannot read the names of kernels in %.200s: %s", path,
                          strerror(errno));
    names = xcalloc(1, sizeof(*names));
    ok = read_lines(names, file, path, err);
    fclose(file);
    if (ok)
        return names;
    kernel_names_free(names);
    return NULL;
}

void kernel_names_free(struct kernel_names *names)
{
    if (!names)
        return;
    vec_for_each (&names->rows, row)
        free(row->name);
    vec_free(&names->rows);
    free(names);
}

const char *kernel_name(void *opaque, uint64_t hash)
{
    const struct kernel_names *names = opaque;

    if (!names)
        return NULL;
    vec_for_each (&names->rows, row) {
        if (row->hash == hash)
            return row->name;
    }
    return NULL;
}
