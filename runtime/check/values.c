/*
 * Stores of the same value. The trace has addresses and no values, so the jobs run again, and of
 * the bytes to which several work-items store the values are compared.
 *
 * Bounds      CHECK_KEYS bytes per finding; of further ones the value is not compared
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"
#include "runtime/gpu/store_watch.h"

static bool is_same_key(const struct check_key *a, const struct check_key *b)
{
    return a->address == b->address && a->group == b->group && a->job == b->job &&
           a->epoch == b->epoch && a->memory == b->memory;
}

/* The place of the table where the key is, or may go. */
static uint32_t *place_of(const struct check *c, const struct check_key *k)
{
    uint64_t h = (k->address ^ k->group << 32 ^ k->epoch) * UINT64_C(0x9e3779b97f4a7c15) ^ k->job;
    size_t at = (size_t)(h >> 24) & (c->key_capacity - 1);

    while (c->key_table[at] && !is_same_key(&c->keys.data[c->key_table[at] - 1], k))
        at = (at + 1) & (c->key_capacity - 1);
    return &c->key_table[at];
}

static void grow_table(struct check *c)
{
    c->key_capacity = c->key_capacity ? 2 * c->key_capacity : 1024;
    free(c->key_table);
    c->key_table = xcalloc(c->key_capacity, sizeof(*c->key_table));
    for (unsigned i = 0; i < c->keys.len; i++)
        *place_of(c, &c->keys.data[i]) = i + 1;
}

static void want_byte(struct check *c, struct check_finding *f, const struct check_key *k)
{
    uint32_t *place;

    if (f->keys.len == CHECK_KEYS)
        return;
    if (2 * c->keys.len >= c->key_capacity)
        grow_table(c);
    place = place_of(c, k);
    if (!*place) {
        vec_push(&c->keys, *k);
        *place = c->keys.len;
    }
    vec_push(&f->keys, *place - 1);
}

void check_want_value(struct check *c, struct check_finding *f, const struct check_access *a,
                      uint64_t address)
{
    uint64_t end = a->address + a->bytes;
    unsigned bytes = a->memory == CHECK_LOCAL ? 1u << c->local_shift : 4;
    bool within = f->kind == CHECK_RACE;
    struct check_key k = {
        .group = within ? c->trace->groups.data[a->at.group - 1].index : UINT64_MAX,
        .epoch = within ? a->at.epoch : UINT32_MAX,
        .job = c->jobs.len - 1,
        .memory = a->memory,
    };

    for (k.address = address; k.address < end && k.address < address + bytes; k.address++)
        want_byte(c, f, &k);
}

bool check_same_values(const struct check *c, const struct check_finding *f)
{
    vec_for_each (&f->keys, k)
        if (c->keys.data[*k].differs || !c->keys.data[*k].seen)
            return false;
    return f->by_value && f->keys.len;
}

bool check_needs_values(const struct check *c)
{
    return c->keys.len;
}

/* Compares a byte with what was stored to it before. */
static void take_byte(const struct check *c, struct check_key *k, uint8_t value)
{
    uint32_t place = *place_of(c, k);
    struct check_key *key;

    if (!place)
        return;
    key = &c->keys.data[place - 1];
    key->differs |= key->seen && key->value != value;
    key->seen = true;
    key->value = value;
}

static void take_store(void *opaque, const struct gpu_store *s)
{
    struct check *c = opaque;

    for (unsigned i = 0; i < s->bytes; i++) {
        struct check_key k = {.address = s->va + i,
                              .group = s->group,
                              .job = (uint32_t)s->job,
                              .epoch = s->epoch,
                              .memory = s->local ? CHECK_LOCAL : CHECK_GLOBAL};

        take_byte(c, &k, (uint8_t)(s->value >> 8 * i));
        k.group = UINT64_MAX;
        k.epoch = UINT32_MAX;
        take_byte(c, &k, (uint8_t)(s->value >> 8 * i));
    }
}

void check_attach_values(struct check *c, struct gpu_cores *cores)
{
    gpu_cores_watch_stores(cores, take_store, c);
}
