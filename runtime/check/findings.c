/* What was found, once per kind and pair of instructions, with the first example and counts. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

static uint64_t address_of(const struct check *c, const struct check_access *a)
{
    return a && a->at.bundle < c->trace->bundles.len ? c->trace->bundles.data[a->at.bundle].address
                                                     : 0;
}

/* What two findings of one entry have in common. */
struct alike {
    uint64_t shader, bundle[2];
    uint32_t what;
};

static struct alike alike_of(const struct check *c, enum check_kind kind,
                             const struct check_access *a, const struct check_access *b)
{
    return (struct alike){
        .shader = c->job->shader,
        .bundle = {address_of(c, a), address_of(c, b)},
        .what = (uint32_t)kind | (uint32_t)a->memory << 8 | (uint32_t)a->store << 16 |
                (uint32_t)(b && b->store) << 17,
    };
}

static bool is_alike(const struct check *c, const struct check_finding *f, const struct alike *k)
{
    return f->kind == (k->what & 0xff) && f->bundle[0] == k->bundle[0] &&
           f->bundle[1] == k->bundle[1] && c->jobs.data[f->job].shader == k->shader &&
           (uint32_t)f->a.memory == (k->what >> 8 & 0xff) && f->a.store == (k->what >> 16 & 1) &&
           f->b.store == (k->what >> 17 & 1);
}

static size_t hash_of(const struct alike *k)
{
    uint64_t h = k->shader;

    h = (h ^ k->bundle[0]) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ k->bundle[1]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((h ^ k->what) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The place of the table where the finding is, or may go. */
static uint32_t *place_of(const struct check *c, const struct alike *k)
{
    size_t at = hash_of(k) & (c->found_capacity - 1);

    while (c->found[at] && !is_alike(c, &c->findings.data[c->found[at] - 1], k))
        at = (at + 1) & (c->found_capacity - 1);
    return &c->found[at];
}

static void grow_table(struct check *c)
{
    c->found_capacity = c->found_capacity ? 2 * c->found_capacity : 64;
    free(c->found);
    c->found = xcalloc(c->found_capacity, sizeof(*c->found));
    for (unsigned i = 0; i < c->findings.len; i++) {
        const struct check_finding *f = &c->findings.data[i];
        struct alike k = {.shader = c->jobs.data[f->job].shader,
                          .bundle = {f->bundle[0], f->bundle[1]},
                          .what = (uint32_t)f->kind | (uint32_t)f->a.memory << 8 |
                                  (uint32_t)f->a.store << 16 | (uint32_t)f->b.store << 17};

        *place_of(c, &k) = i + 1;
    }
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
    struct alike k = alike_of(c, kind, a, b);
    uint64_t group = b ? b->at.group : a->at.group;
    struct check_finding *f;
    uint32_t *place;

    if (2 * c->findings.len >= c->found_capacity)
        grow_table(c);
    place = place_of(c, &k);
    if (!*place) {
        vec_push(&c->findings, (struct check_finding){
                                   .kind = kind,
                                   .job = c->jobs.len - 1,
                                   .a = kept(c, a),
                                   .bundle = {k.bundle[0], k.bundle[1]},
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
