/* What was found, once per kind and pair of instructions, with the first example and counts. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

static uint64_t address_of(const struct check *c, const struct check_access *a)
{
    return a && a->at.bundle < c->trace->bundles.len ? c->trace->bundles.data[a->at.bundle].address
                                                     : 0;
}

static struct check_alike alike_of(const struct check *c, enum check_kind kind,
                                   const struct check_access *a, const struct check_access *b)
{
    return (struct check_alike){
        .shader = c->job->shader,
        .bundle = {address_of(c, a), address_of(c, b)},
        .kind = kind,
        .memory = a->memory,
        .stores = {a->store, b && b->store},
    };
}

static bool is_alike(const struct check_alike *a, const struct check_alike *b)
{
    return a->shader == b->shader && a->bundle[0] == b->bundle[0] && a->bundle[1] == b->bundle[1] &&
           a->kind == b->kind && a->memory == b->memory && a->stores[0] == b->stores[0] &&
           a->stores[1] == b->stores[1];
}

static size_t hash_of(const struct check_alike *k)
{
    uint64_t h = k->shader;

    h = (h ^ k->bundle[0]) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ k->bundle[1]) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)k->kind | (uint64_t)k->memory << 8 | (uint64_t)k->stores[0] << 16 |
         (uint64_t)k->stores[1] << 17;
    return (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The place of the table where the finding is, or may go. */
static uint32_t *place_of(const struct check *c, const struct check_alike *k)
{
    size_t at = hash_of(k) & (c->found_capacity - 1);

    while (c->found[at] && !is_alike(&c->findings.data[c->found[at] - 1].alike, k))
        at = (at + 1) & (c->found_capacity - 1);
    return &c->found[at];
}

static void grow_table(struct check *c)
{
    c->found_capacity = c->found_capacity ? 2 * c->found_capacity : 64;
    free(c->found);
    c->found = xcalloc(c->found_capacity, sizeof(*c->found));
    for (unsigned i = 0; i < c->findings.len; i++)
        *place_of(c, &c->findings.data[i].alike) = i + 1;
}

/* A copy for a finding, with the index of the work-group in the job. */
static struct check_access kept(const struct check *c, const struct check_access *a)
{
    struct check_access it = *a;

    it.group = c->trace->groups.data[a->at.group - 1].index;
    return it;
}

struct check_finding *check_add(struct check *c, enum check_kind kind, const struct check_access *a,
                                const struct check_access *b)
{
    struct check_alike k = alike_of(c, kind, a, b);
    uint64_t group = b ? b->at.group : a->at.group;
    struct check_finding *f;
    uint32_t *place;

    if (2 * c->findings.len >= c->found_capacity)
        grow_table(c);
    place = place_of(c, &k);
    if (!*place) {
        vec_push(&c->findings, (struct check_finding){
                                   .kind = kind,
                                   .alike = k,
                                   .job = c->jobs.len - 1,
                                   .a = kept(c, a),
                                   .by_value = kind == CHECK_RACE || kind == CHECK_GROUPS_RACE,
                               });
        *place = c->findings.len;
        if (b)
            c->findings.data[c->findings.len - 1].b = kept(c, b);
    }
    f = &c->findings.data[*place - 1];
    f->count++;
    f->groups += f->last_group != group;
    f->last_group = group;
    return f;
}

void check_findings_free(struct check *c)
{
    vec_for_each (&c->findings, f)
        vec_free(&f->keys);
    vec_free(&c->findings);
    free(c->found);
}
