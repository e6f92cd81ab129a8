/*
 * Core plans: fixed choices of shader cores by address space and by kernel, read from files.
 *
 * Bounds      MAX_LINES lines, of MAX_LINE bytes
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/gpu/core_policy.h"

enum { MAX_LINES = 100000, MAX_LINE = 200 };

enum kind { PLAN_ALL, PLAN_SPACE, PLAN_KERNEL };

struct rule {
    enum kind kind;
    uint64_t key;   /* number of the address space, or hash of the kernel; 0 for PLAN_ALL */
    uint64_t cores; /* as bits of shader_present */
};

struct gpu_core_plan {
    VEC(struct rule) rules;
};

static bool read_number(const char *text, int base, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = text ? strtoull(text, &end, base) : 0;
    return text && *text != '-' && end != text && !*end && !errno;
}

static struct rule *find_rule(struct gpu_core_plan *plan, enum kind kind, uint64_t key)
{
    for (size_t i = 0; i < plan->rules.len; i++)
        if (plan->rules.data[i].kind == kind && plan->rules.data[i].key == key)
            return &plan->rules.data[i];
    return NULL;
}

static void set_rule(struct gpu_core_plan *plan, struct rule rule)
{
    struct rule *known = find_rule(plan, rule.kind, rule.key);

    if (known)
        *known = rule;
    else
        vec_push(&plan->rules, rule);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_line(struct gpu_core_plan *plan, char *line, struct error *err)
{
    char *rest = line, *word, *key = NULL, *cores;
    struct rule rule = {0};
    bool good = true;

    line[strcspn(line, "#\n")] = 0;
    word = strtok_r(rest, " \t\r", &rest);
    if (!word)
        return true;
    if (strcmp(word, "all") != 0)
        key = strtok_r(rest, " \t\r", &rest);
    cores = strtok_r(rest, " \t\r", &rest);
    if (!strcmp(word, "space")) {
        rule.kind = PLAN_SPACE;
        good = read_number(key, 10, &rule.key);
    } else if (!strcmp(word, "kernel")) {
        rule.kind = PLAN_KERNEL;
        good = read_number(key, 16, &rule.key);
    } else if (strcmp(word, "all") != 0) {
        good = false;
    }
    if (!good || !read_number(cores, 0, &rule.cores) || !rule.cores ||
        strtok_r(rest, " \t\r", &rest))
        return error_set(err, "a line is all CORES, space N CORES or kernel HASH CORES");
    set_rule(plan, rule);
    return true;
}

static bool read_file(struct gpu_core_plan *plan, const char *path, struct error *err)
{
    FILE *f = fopen(path, "r");
    char line[MAX_LINE];
    unsigned number = 0;
    bool good = true;

    if (!f)
        return error_set(err, "neither a number of cores nor a file: %s", strerror(errno));
    while (good && fgets(line, sizeof(line), f)) {
        number++;
        if (number > MAX_LINES || strlen(line) == sizeof(line) - 1)
            good = error_set(err, "the plan is too large");
        else
            good = read_line(plan, line, err);
    }
    if (good && ferror(f))
        good = error_set(err, "%s", strerror(errno));
    if (!good)
        error_prefix(err, "line %u: ", number);
    fclose(f);
    return good;
}

struct gpu_core_plan *gpu_core_plan_read(const char *text, struct error *err)
{
    struct gpu_core_plan *plan = xcalloc(1, sizeof(*plan));
    struct rule all = {.kind = PLAN_ALL};

    if (read_number(text, 0, &all.cores) && all.cores) {
        set_rule(plan, all);
    } else if (!read_file(plan, text, err)) {
        error_prefix(err, "%.100s: ", text);
        gpu_core_plan_free(plan);
        return NULL;
    }
    return plan;
}

void gpu_core_plan_free(struct gpu_core_plan *plan)
{
    if (plan)
        vec_free(&plan->rules);
    free(plan);
}

/* ---- the policy ------------------------------------------------------------------------------ */

static uint64_t choose_cores(void *opaque, const struct gpu_core_request *r)
{
    struct gpu_core_plan *plan = opaque;
    const struct rule *rule =
        r->shape ? find_rule(plan, PLAN_KERNEL, r->hash) : find_rule(plan, PLAN_SPACE, r->space);

    if (!rule && !r->shape)
        rule = find_rule(plan, PLAN_ALL, 0);
    return rule ? rule->cores : r->allowed;
}

struct gpu_core_policy gpu_core_plan_policy(struct gpu_core_plan *plan)
{
    return (struct gpu_core_policy){choose_cores, plan};
}
