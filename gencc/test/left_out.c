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

bool left_out_read(struct left_out *l, const char *path)
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
        const char *error;
        char *begin = line;

        number++;
        line[strcspn(line, "#\n")] = 0;
        begin += strspn(begin, " \t");
        error = *begin ? read_rule(l, begin) : NULL;
        if (error)
            fprintf(stderr, "%s:%u: %s\n", path, number, error);
        ok &= !error;
    }
    free(line);
    fclose(file);
    return ok;
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
