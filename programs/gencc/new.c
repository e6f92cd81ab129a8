/*
 * `gencc new`: makes a project from the templates that examples/project/files lists.
 */
#include "programs/gencc/driver.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_MARK "@NAME@"

enum { MAX_NAME = 40 };

struct replacement {
    const char *word, *by;
};

struct project {
    struct arena arena;
    const char *name;
    struct replacement replacements[8];
    unsigned count;
};

static char *read_file(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "r");
    size_t room = 1 << 16, n;
    char *text;

    if (!f) {
        fprintf(stderr, "gencc new: %s: %s\n", path, strerror(errno));
        return NULL;
    }
    text = arena_alloc(a, room);
    n = fread(text, 1, room, f);
    fclose(f);
    if (n == room) {
        fprintf(stderr, "gencc new: %s: it is no template, it is too large\n", path);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

/* The text with every `from` replaced by `to`. */
static char *replace_all(struct arena *a, const char *text, const char *from, const char *to)
{
    size_t found = 0;
    const char *at;
    char *out, *end;

    for (at = text; (at = strstr(at, from)); at += strlen(from))
        found++;
    out = end = arena_alloc(a, strlen(text) + found * strlen(to) + 1);
    for (; (at = strstr(text, from)); text = at + strlen(from)) {
        end = mempcpy(end, text, (size_t)(at - text));
        end = mempcpy(end, to, strlen(to));
    }
    strcpy(end, text);
    return out;
}

/* The path of a template: in the descriptions, or in the folder of templates. */
static const char *template_path(struct arena *a, const char *from)
{
    static const char below[] = "descriptions/";

    if (!strncmp(from, below, strlen(below)))
        return arena_printf(a, "%s/%s", folder_descriptions(a), from + strlen(below));
    return arena_printf(a, "%s/%s", folder_project(a), from);
}

/* Makes file `to` of the project from template `from`. */
static bool make_file(struct project *p, const char *to, const char *from)
{
    const char *path =
        arena_printf(&p->arena, "%s/%s", p->name, replace_all(&p->arena, to, NAME_MARK, p->name));
    char *text = read_file(&p->arena, template_path(&p->arena, from));
    FILE *f;
    bool ok;

    if (!text)
        return false;
    for (unsigned i = 0; i < p->count; i++)
        text = replace_all(&p->arena, text, p->replacements[i].word, p->replacements[i].by);
    f = fopen(path, "w");
    ok = f && fputs(replace_all(&p->arena, text, NAME_MARK, p->name), f) >= 0;
    if ((f && fclose(f)) || !ok) {
        fprintf(stderr, "gencc new: %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

/* Makes the files that the list of templates names. */
static bool make_files(struct project *p)
{
    char *list = read_file(&p->arena, template_path(&p->arena, "files")), *state = NULL;

    for (char *line = list ? strtok_r(list, "\n", &state) : NULL; line;
         line = strtok_r(NULL, "\n", &state)) {
        char *words = NULL;
        const char *what = strtok_r(line, " ", &words), *first = strtok_r(NULL, " ", &words);
        const char *second = strtok_r(NULL, " ", &words);

        if (!second || *what == '#')
            continue;
        if (!strcmp(what, "replace") &&
            p->count < sizeof(p->replacements) / sizeof(*p->replacements))
            p->replacements[p->count++] = (struct replacement){first, second};
        else if (!strcmp(what, "file") && !make_file(p, first, second))
            return false;
    }
    return list != NULL;
}

static bool is_name(const char *name)
{
    size_t n = 0;

    if (!islower((unsigned char)*name))
        return false;
    while (islower((unsigned char)name[n]) || isdigit((unsigned char)name[n]) || name[n] == '_')
        n++;
    return !name[n] && n <= MAX_NAME;
}

int command_new(int argc, char **argv)
{
    struct project p = {0};
    int status = 0;

    if (argc > 1 && argv[1][0] == '-')
        return bad_argument("new", argv[1]);
    if (argc > 2)
        return bad_argument("new", argv[2]);
    if (argc < 2) {
        fputs("gencc new: expected the name of a project\n", stderr);
        return 2;
    }
    p.name = argv[1];
    if (!is_name(p.name)) {
        fprintf(stderr,
                "gencc new: '%s' is no name: it has small letters, digits and _, at most %d, and "
                "begins with a letter\n",
                p.name, MAX_NAME);
        return 2;
    }
    if (mkdir(p.name, 0777)) {
        fprintf(stderr, "gencc new: %s: %s\n", p.name, strerror(errno));
        return 2;
    }
    if (!make_files(&p))
        status = 2;
    else
        printf("%s: made; %s/README.md says how to go on\n", p.name, p.name);
    arena_free(&p.arena);
    return status;
}
