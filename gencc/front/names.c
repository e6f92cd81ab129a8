/*
 * Hash tables from names to pointers, with open addressing; see names.h.
 */
#include "gencc/front/names.h"
#include "common/hash.h"

#include <string.h>

struct name_entry {
    const char *name; /* NULL: the entry is free */
    void *value;
    uint64_t hash;
};

/* Returns the entry of a name, or the free entry where it belongs. m->room is a power of two, and
 * at least half of the entries are free. */
static struct name_entry *find_entry(const struct name_map *m, const char *name, uint64_t hash)
{
    unsigned i = (unsigned)hash & (m->room - 1);

    while (m->entries[i].name &&
           (m->entries[i].hash != hash || strcmp(m->entries[i].name, name) != 0))
        i = (i + 1) & (m->room - 1);
    return &m->entries[i];
}

static void grow_map(struct arena *a, struct name_map *m)
{
    struct name_map bigger = {.room = m->room ? m->room * 2 : 32, .count = m->count};

    bigger.entries = arena_alloc(a, bigger.room * sizeof(*bigger.entries));
    for (unsigned i = 0; i < m->room; i++)
        if (m->entries[i].name)
            *find_entry(&bigger, m->entries[i].name, m->entries[i].hash) = m->entries[i];
    *m = bigger;
}

void *name_map_get(const struct name_map *m, const char *name)
{
    return m->room ? find_entry(m, name, hash_text(name))->value : NULL;
}

void *name_map_put(struct arena *a, struct name_map *m, const char *name, void *value)
{
    uint64_t hash = hash_text(name);
    struct name_entry *e;
    void *old;

    if (m->count * 2 >= m->room)
        grow_map(a, m);
    e = find_entry(m, name, hash);
    old = e->value;
    if (!e->name)
        m->count++;
    *e = (struct name_entry){name, value, hash};
    return old;
}

bool name_is_c_word(const char *name)
{
    static const char *const words[] = {
        "auto",     "break",  "case",   "char",     "const",    "continue", "default",  "do",
        "double",   "else",   "enum",   "extern",   "float",    "for",      "goto",     "if",
        "inline",   "int",    "long",   "register", "restrict", "return",   "short",    "signed",
        "sizeof",   "static", "struct", "switch",   "typedef",  "union",    "unsigned", "void",
        "volatile", "while",  "asm",    "typeof",   "bool",     "linux",    "unix",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

const char *name_in_c(struct arena *a, const char *name)
{
    return name_is_c_word(name) ? arena_printf(a, "%s_", name) : name;
}
