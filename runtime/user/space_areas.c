/* The areas of an address space: a list sorted by address, without overlaps. */
#include "runtime/user/space_areas.h"

#include "runtime/base/alloc.h"

#include <stdlib.h>
#include <string.h>

size_t area_index(const struct space *s, uint64_t va)
{
    size_t low = 0, high = s->areas.len;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (s->areas.data[mid].end <= va)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct area *space_find(const struct space *s, uint64_t va)
{
    size_t n = area_index(s, va);

    return n < s->areas.len && s->areas.data[n].start <= va ? &s->areas.data[n] : NULL;
}

void area_insert(struct space *s, size_t n, struct area a)
{
    vec_reserve_one(&s->areas);
    memmove(&s->areas.data[n + 1], &s->areas.data[n], (s->areas.len - n) * sizeof(*s->areas.data));
    s->areas.data[n] = a;
    s->areas.len++;
}

void area_remove(struct space *s, size_t n)
{
    free(s->areas.data[n].name);
    s->areas.len--;
    memmove(&s->areas.data[n], &s->areas.data[n + 1], (s->areas.len - n) * sizeof(*s->areas.data));
}

void area_split(struct space *s, uint64_t va)
{
    size_t n = area_index(s, va);
    struct area upper;

    if (n == s->areas.len || s->areas.data[n].start >= va)
        return;
    upper = s->areas.data[n];
    upper.name = upper.name ? xstrdup(upper.name) : NULL;
    upper.offset += va - upper.start;
    upper.start = va;
    s->areas.data[n].end = va;
    area_insert(s, n + 1, upper);
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether b continues a, so that both can be one area. */
static bool continues_area(const struct area *a, const struct area *b)
{
    return a->end == b->start && a->prot == b->prot && a->shared == b->shared && !a->backed &&
           !b->backed && a->is_past_file == b->is_past_file && same_name(a->name, b->name);
}

void area_merge(struct space *s, uint64_t start, uint64_t end)
{
    size_t n = area_index(s, start ? start - 1 : 0);

    while (n + 1 < s->areas.len && s->areas.data[n].start <= end) {
        if (continues_area(&s->areas.data[n], &s->areas.data[n + 1])) {
            s->areas.data[n].end = s->areas.data[n + 1].end;
            area_remove(s, n + 1);
        } else {
            n++;
        }
    }
}
