/*
 * Assembly maps and system registers as sorted tables.
 */
#include "gencc/disasm/maps.h"

#include <ctype.h>
#include <stdlib.h>

static unsigned bits_for(uint64_t v)
{
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

/* Smallest and largest value of the key at one place. */
static void key_bounds(const struct asm_map *map, unsigned place, int64_t *min, int64_t *max)
{
    *min = map->entries.len ? INT64_MAX : 0;
    *max = map->entries.len ? INT64_MIN : 0;
    vec_for_each (&map->entries, e) {
        int64_t k = e->keys.data[place];

        *min = k < *min ? k : *min;
        *max = k > *max ? k : *max;
    }
}

bool map_packing_of(const struct asm_map *map, struct map_packing *p)
{
    unsigned shift = 0;

    *p = (struct map_packing){.arity = map->arity};
    if (!map->arity || map->arity > MAP_MAX_KEYS)
        return false;
    vec_for_each (&map->entries, e) {
        if (e->keys.len != map->arity || !e->texts.len)
            return false;
    }
    if (map->arity == 1)
        return true;
    for (unsigned i = map->arity; i-- > 0;) {
        int64_t max;

        key_bounds(map, i, &p->min[i], &max);
        p->span[i] = (uint64_t)max - (uint64_t)p->min[i];
        p->shift[i] = shift;
        shift += bits_for(p->span[i] + 1);
        if (p->span[i] == UINT64_MAX || shift > 63)
            return false;
    }
    return true;
}

int64_t map_pack(const struct map_packing *p, const int64_t *keys)
{
    uint64_t all = 0;

    if (p->arity == 1)
        return keys[0];
    for (unsigned i = 0; i < p->arity; i++) {
        uint64_t v = (uint64_t)keys[i] - (uint64_t)p->min[i];

        all |= (v > p->span[i] ? p->span[i] + 1 : v) << p->shift[i];
    }
    return (int64_t)all;
}

struct numbered { /* keeps the order of equal keys */
    struct asm_entry entry;
    unsigned number;
};

static int by_key(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    if (x->entry.key != y->entry.key)
        return x->entry.key < y->entry.key ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Sorts `n` rows by key and keeps the first of each. */
static struct asm_table make_table(struct arena *a, const char *name, struct numbered *rows,
                                   unsigned n)
{
    struct asm_entry *at = arena_alloc(a, (n + 1) * sizeof(*at));
    unsigned count = 0;

    if (n)
        qsort(rows, n, sizeof(*rows), by_key);
    for (unsigned i = 0; i < n; i++) {
        if (!count || at[count - 1].key != rows[i].entry.key)
            at[count++] = rows[i].entry;
    }
    return (struct asm_table){name, count, at};
}

const struct asm_table *map_table(struct arena *a, const struct asm_map *map)
{
    struct numbered *rows = arena_alloc(a, (map->entries.len + 1) * sizeof(*rows));
    struct asm_table *t = arena_new(a, struct asm_table);
    struct map_packing p;

    if (!map_packing_of(map, &p))
        return NULL;
    for (unsigned i = 0; i < map->entries.len; i++) {
        const struct map_entry *e = &map->entries.data[i];

        rows[i] = (struct numbered){{map_pack(&p, e->keys.data), e->texts.data[0]}, i};
    }
    *t = make_table(a, map->name, rows, map->entries.len);
    return t;
}

static const char *lower_case(struct arena *a, const char *name)
{
    char *s = arena_strdup(a, name);

    for (char *p = s; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return s;
}

const struct asm_sysregs *map_sysregs(struct arena *a, const struct model *m)
{
    struct asm_sysregs *s = arena_new(a, struct asm_sysregs);
    struct numbered *rows = arena_alloc(a, (m->sysregs.len + 1) * sizeof(*rows));

    for (unsigned i = 0; i < m->sysregs.len; i++) {
        const struct sysreg *r = m->sysregs.data[i];

        rows[i] = (struct numbered){{r->code, lower_case(a, r->name)}, i};
    }
    s->names = make_table(a, "sysreg", rows, m->sysregs.len);
    if (m->sysreg_space.widths.len > ASM_SYSREG_FIELDS)
        return s;
    s->fields = m->sysreg_space.widths.len;
    for (unsigned i = 0; i < s->fields; i++) {
        s->widths[i] = (uint8_t)m->sysreg_space.widths.data[i];
        s->prefixes[i] = i == 0 ? "s" : m->sysreg_space.fields.data[i][0] == 'c' ? "c" : "";
    }
    return s;
}
