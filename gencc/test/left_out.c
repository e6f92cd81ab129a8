/*
 * Reads rules of what is left out; see left_out.h.
 */
#include "gencc/test/left_out.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN " shown by "

enum { MAX_DEPTH = 8 }; /* of files that include files */

static bool matches_name(const char *pattern, size_t length, const struct form *form)
{
    char buffer[128];

    snprintf(buffer, sizeof(buffer), "%.*s", (int)length, pattern);
    if (!form)
        return strcmp(buffer, "undefined") == 0;
    return fnmatch(buffer, form->name, 0) == 0 || fnmatch(buffer, form->instr->name, 0) == 0;
}

bool names_match(const char *patterns, const struct form *form)
{
    for (const char *p = patterns; *p;) {
        size_t length;

        p += strspn(p, ", \t");
        length = strcspn(p, ", \t");
        if (length && matches_name(p, length, form))
            return true;
        p += length;
    }
    return false;
}

static bool add(struct left_out *l, struct rule *rule)
{
    struct arena *a = l->frame->m->model->arena;
    unsigned count = l->isa->forms.len;
    bool any;

    rule->forms = arena_alloc(a, count + 1);
    rule->forms[count] = names_match(rule->patterns, NULL);
    any = rule->forms[count];
    vec_for_each (&l->isa->forms, form)
        any |= (rule->forms[(*form)->index] = names_match(rule->patterns, *form));
    vec_push_in(a, &l->rules, *rule);
    return any;
}

void left_out_add(struct left_out *l, const char *patterns, const char *reason)
{
    struct rule rule = {.patterns = patterns, .reason = reason};

    add(l, &rule);
}

/* `keep PART MASK` */
static const char *keep(struct left_out *l, char *text)
{
    char *end, *name = text + strspn(text, " \t");
    size_t length = strcspn(name, " \t");
    uint64_t mask = strtoull(name + length, &end, 0);

    if (!mask || end[strspn(end, " \t")])
        return "`keep PART MASK` is expected";
    name[length] = 0;
    vec_for_each (&l->frame->parts, part)
        if (!strcasecmp(part->name, name)) {
            part->bits &= ~(u128)mask;
            return NULL;
        }
    return "signal frames have no such part";
}

/* Cuts `shown by NUMBERS` off the line. */
static const char *read_shown(struct left_out *l, char *line, struct rule *rule)
{
    char *shown = strstr(line, SHOWN), *end;

    if (!shown)
        return NULL;
    *shown = 0;
    if (!rule->mistake)
        return "only a mistake is shown by words";
    for (shown += strlen(SHOWN); *shown; shown = end) {
        unsigned long word = strtoul(shown, &end, 0);

        if (end == shown || (*end && *end != ' ') || word > UINT32_MAX)
            return "`shown by NUMBERS` is expected";
        vec_push_in(l->frame->m->model->arena, &rule->shown, (uint32_t)word);
    }
    return NULL;
}

static const char *read_rule(struct left_out *l, char *line)
{
    struct arena *a = l->frame->m->model->arena;
    const char *error = NULL;
    struct rule rule = {0};
    char *colon = strchr(line, ':'), *when, *reason;

    if (!colon)
        return "`PATTERNS [if CONDITION]: REASON` is expected";
    *colon = 0;
    reason = colon + 1 + strspn(colon + 1, " \t");
    rule.reason = arena_strndup(a, reason, strlen(reason));
    if (!*rule.reason)
        return "the reason is missing";
    if (!strncmp(line, "keep ", 5))
        return keep(l, line + 5);
    if (!strncmp(line, "mistake ", 8)) {
        rule.mistake = true;
        line += 8;
    }
    error = read_shown(l, line, &rule);
    if (error)
        return error;
    when = strstr(line, " if ");
    if (when) {
        *when = 0;
        rule.condition = condition_read(l->frame->m, l->isa, when + 4, &error);
        if (!rule.condition)
            return error;
    }
    rule.patterns = arena_strndup(a, line, strlen(line));
    return add(l, &rule) ? NULL : "no instruction of the ISA has such a name";
}

static bool read_file(struct left_out *l, const char *path, unsigned depth);

/* Reads the file whose name relative to `path` is given. */
static const char *include(struct left_out *l, const char *path, const char *name, unsigned depth)
{
    const char *slash = strrchr(path, '/');
    int folder = slash && *name != '/' ? (int)(slash - path + 1) : 0;

    if (depth == MAX_DEPTH)
        return "files include one another";
    name = arena_printf(l->frame->m->model->arena, "%.*s%s", folder, path, name);
    return read_file(l, name, depth + 1) ? NULL : "the included file cannot be used";
}

static const char *read_line(struct left_out *l, const char *path, char *line, unsigned depth)
{
    line[strcspn(line, "#\n")] = 0;
    line += strspn(line, " \t");
    if (!*line)
        return NULL;
    if (!strncmp(line, "include ", 8))
        return include(l, path, line + 8 + strspn(line + 8, " \t"), depth);
    return read_rule(l, line);
}

static bool read_file(struct left_out *l, const char *path, unsigned depth)
{
    FILE *file = fopen(path, "r");
    unsigned number = 0;
    bool ok = true;
    char *line = NULL;
    size_t size = 0;

    if (!file) {
        fprintf(stderr, "gencc test: %s: %s\n", path, strerror(errno));
        return false;
    }
    while (getline(&line, &size, file) >= 0) {
        const char *error = read_line(l, path, line, depth);

        number++;
        if (error)
            fprintf(stderr, "%s:%u: %s\n", path, number, error);
        ok &= !error;
    }
    free(line);
    fclose(file);
    return ok;
}

bool left_out_read(struct left_out *l, const char *path)
{
    return read_file(l, path, 0);
}

const struct rule *left_out_find(const struct left_out *l, const struct form *form, u128 word)
{
    unsigned index = form ? form->index : l->isa->forms.len;

    vec_for_each (&l->rules, rule)
        if (rule->forms[index] &&
            (!rule->condition || condition_value(l->frame->m, rule->condition, form, word)))
            return rule;
    return NULL;
}

bool left_out_in(const struct left_out *l, const struct program *p)
{
    struct machine *m = l->frame->m;

    machine_load(m, &p->before);
    for (unsigned n = 0; n < p->count; n++) {
        if (!p->step[n].form || left_out_find(l, p->step[n].form, p->step[n].word))
            return true;
        machine_step(m);
    }
    return false;
}
