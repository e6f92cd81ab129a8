/*
 * Finds the ELF objects of programs in their memory.
 *
 * Source: System V ABI, chapter 5, Dynamic Section; the GNU hash table as binutils writes it
 *
 * Bounds      MOST_OBJECTS objects with MOST_IN_ALL functions; a header is looked for MOST_BACK
 *             pages below an address, and MOST_STEPS pages in all. The symbols of an object are
 *             read again, after 1, 2, 4, … uses, while pages of their table were not mapped
 */
#include "runtime/machine/program_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

enum {
    PAGE = 4096,
    HEAD = 1024, /* bytes that tell objects apart: the header and the first program headers */
    MOST_OBJECTS = 512,
    RECENT = 32, /* mapped objects that are tried first */
    MOST_BACK = 1 << 16,
    MOST_STEPS = 1 << 22,
    MOST_DYNAMIC = 256,
    MOST_SYMBOLS = 1 << 20, /* of an object */
    MOST_IN_ALL = 1 << 22,
};

struct object {
    uint8_t head[HEAD];
    struct elf_words words;
    uint64_t low, high; /* the addresses that its program headers load, high is behind the last */
    uint64_t dynamic;   /* address of the dynamic section; 0: none */
    char name[ELF_SYMBOL_NAME];
    bool named;
    uint64_t uses, reading; /* it is read when it was used `reading` times */
    struct elf_symbols symbols;
    uint64_t names; /* distance of the table of names from `low` */
};

struct mapped {
    uint64_t base; /* address of the header */
    struct object *object;
};

struct program_symbols {
    VEC(struct object *) objects;
    struct mapped recent[RECENT]; /* the one that was found last is first */
    uint64_t steps;
    uint64_t functions; /* of all objects */
    char symbol[ELF_SYMBOL_NAME];
};

struct program_symbols *program_symbols_new(void)
{
    return xcalloc(1, sizeof(struct program_symbols));
}

void program_symbols_free(struct program_symbols *s)
{
    if (!s)
        return;
    vec_for_each (&s->objects, o) {
        elf_symbols_free(&(*o)->symbols);
        free(*o);
    }
    vec_free(&s->objects);
    free(s);
}

/* ---- headers --------------------------------------------------------------------------------- */

/* A member of a structure whose offset and size depend on the width of words. */
#define MEMBER(o, bytes, type, member)                                                  \
    ((o)->words.wide ? elf_number((o)->words, (bytes) + offsetof(Elf64_##type, member), \
                                  sizeof(((Elf64_##type *)0)->member))                  \
                     : elf_number((o)->words, (bytes) + offsetof(Elf32_##type, member), \
                                  sizeof(((Elf32_##type *)0)->member)))

static void take_segment(struct object *o, const uint8_t *segment)
{
    uint64_t type = MEMBER(o, segment, Phdr, p_type), at = MEMBER(o, segment, Phdr, p_vaddr);
    uint64_t end = at + MEMBER(o, segment, Phdr, p_memsz);

    if (type == PT_DYNAMIC)
        o->dynamic = at;
    if (type != PT_LOAD || end < at)
        return;
    if (!MEMBER(o, segment, Phdr, p_offset))
        o->low = at;
    if (end > o->high)
        o->high = end;
}

/* Understands the header and the program headers in o->head. */
static bool read_head(struct object *o)
{
    unsigned bytes, count;
    uint64_t at;

    o->words = (struct elf_words){o->head[EI_CLASS] == ELFCLASS64, o->head[EI_DATA] == ELFDATA2MSB};
    bytes = o->words.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    at = MEMBER(o, o->head, Ehdr, e_phoff);
    count = (unsigned)MEMBER(o, o->head, Ehdr, e_phnum);
    if (MEMBER(o, o->head, Ehdr, e_phentsize) != bytes)
        return false;
    for (unsigned n = 0; n < count && at < HEAD && HEAD - at >= bytes; n++, at += bytes)
        take_segment(o, o->head + at);
    return o->high > o->low;
}

static struct object *object_of(struct program_symbols *s, const uint8_t head[HEAD])
{
    struct object *o;

    vec_for_each (&s->objects, known)
        if (!memcmp((*known)->head, head, HEAD))
            return *known;
    if (s->objects.len == MOST_OBJECTS)
        return NULL;
    o = xcalloc(1, sizeof(*o));
    memcpy(o->head, head, HEAD);
    o->reading = 1;
    if (!read_head(o))
        o->low = o->high = 0;
    vec_push(&s->objects, o);
    return o;
}

/* The object whose header is at `base`, if the address is in it. */
static struct object *object_at(struct program_symbols *s, const struct guest_reader *from,
                                uint64_t base, uint64_t pc)
{
    uint8_t head[HEAD];
    struct object *o;

    if (!from->read(from->opaque, base, head, SELFMAG) || memcmp(head, ELFMAG, SELFMAG) ||
        !from->read(from->opaque, base, head, HEAD))
        return NULL;
    o = object_of(s, head);
    return o && pc - base < o->high - o->low ? o : NULL;
}

/* Moves a mapped object to the front. */
static const struct mapped *note_mapped(struct program_symbols *s, unsigned n, struct mapped m)
{
    memmove(s->recent + 1, s->recent, n * sizeof(*s->recent));
    s->recent[0] = m;
    return s->recent;
}

/* Steps back from an address to the header of its object. */
static const struct mapped *step_back(struct program_symbols *s, const struct guest_reader *from,
                                      uint64_t pc)
{
    uint64_t base = pc & ~(uint64_t)(PAGE - 1);
    uint8_t head[SELFMAG];

    for (unsigned n = 0; n < MOST_BACK && s->steps < MOST_STEPS && base; n++, base -= PAGE) {
        s->steps++;
        if (from->read(from->opaque, base, head, SELFMAG) && !memcmp(head, ELFMAG, SELFMAG)) {
            struct object *o = object_at(s, from, base, pc);

            return o ? note_mapped(s, RECENT - 1, (struct mapped){base, o}) : NULL;
        }
    }
    return NULL;
}

/* The object that an address lies in. Programs may have different objects at one address, so the
 * header is compared also where one is known. */
static const struct mapped *find_mapped(struct program_symbols *s, const struct guest_reader *from,
                                        uint64_t pc)
{
    for (unsigned n = 0; n < RECENT && s->recent[n].object; n++) {
        struct mapped m = s->recent[n];

        if (pc - m.base < m.object->high - m.object->low &&
            object_at(s, from, m.base, pc) == m.object)
            return note_mapped(s, n, m);
    }
    return step_back(s, from, pc);
}

/* ---- the dynamic section --------------------------------------------------------------------- */

/* What of the section is used; addresses as in the file, 0: absent. */
struct dynamic {
    uint64_t names, symbols, hash, gnu_hash, name;
};

/* Loaders of some systems add the base to the addresses in the section, others do not. */
static uint64_t address_of(const struct object *o, uint64_t base, uint64_t value)
{
    return value >= base && value - base < o->high - o->low ? value : base + (value - o->low);
}

static bool read_dynamic(const struct object *o, const struct guest_reader *from, uint64_t base,
                         struct dynamic *d)
{
    unsigned word = o->words.wide ? 8 : 4;
    uint64_t at = base + (o->dynamic - o->low);
    uint8_t entry[16];

    *d = (struct dynamic){0};
    for (unsigned n = 0; n < MOST_DYNAMIC; n++, at += 2 * (uint64_t)word) {
        uint64_t value;

        if (!from->read(from->opaque, at, entry, 2 * (uint64_t)word))
            return false;
        value = elf_number(o->words, entry + word, word);
        switch (elf_number(o->words, entry, word)) {
        case DT_NULL:
            return d->names && d->symbols;
        case DT_STRTAB:
            d->names = address_of(o, base, value);
            break;
        case DT_SYMTAB:
            d->symbols = address_of(o, base, value);
            break;
        case DT_HASH:
            d->hash = address_of(o, base, value);
            break;
        case DT_GNU_HASH:
            d->gnu_hash = address_of(o, base, value);
            break;
        case DT_SONAME:
            d->name = value;
            break;
        default:
            break;
        }
    }
    return false;
}

static bool read_half(const struct object *o, const struct guest_reader *from, uint64_t va,
                      uint32_t *value)
{
    uint8_t bytes[4];

    if (!from->read(from->opaque, va, bytes, sizeof(bytes)))
        return false;
    *value = (uint32_t)elf_number(o->words, bytes, sizeof(bytes));
    return true;
}

/* Number of symbols by the GNU hash table: the last one ends the chain that begins last. */
static uint32_t gnu_count(const struct object *o, const struct guest_reader *from, uint64_t hash)
{
    uint32_t buckets, first, bloom, last = 0, chained;
    uint64_t at;

    if (!read_half(o, from, hash, &buckets) || !read_half(o, from, hash + 4, &first) ||
        !read_half(o, from, hash + 8, &bloom) || buckets > MOST_SYMBOLS)
        return 0;
    at = hash + 16 + (uint64_t)bloom * (o->words.wide ? 8 : 4);
    for (uint32_t n = 0; n < buckets; n++) {
        uint32_t begin;

        if (!read_half(o, from, at + 4 * (uint64_t)n, &begin))
            return 0;
        last = begin > last ? begin : last;
    }
    at += 4 * (uint64_t)buckets;
    for (; last >= first && last < MOST_SYMBOLS; last++) {
        if (!read_half(o, from, at + 4 * (uint64_t)(last - first), &chained))
            return 0;
        if (chained & 1)
            return last + 1;
    }
    return 0;
}

static uint32_t symbol_count(const struct object *o, const struct guest_reader *from,
                             const struct dynamic *d)
{
    uint32_t count = d->gnu_hash ? gnu_count(o, from, d->gnu_hash) : 0;

    if (!count && d->hash && !read_half(o, from, d->hash + 4, &count))
        return 0;
    return count < MOST_SYMBOLS ? count : 0;
}

/* Reads what of the object is mapped now. */
static void read_object(struct program_symbols *s, struct object *o,
                        const struct guest_reader *from, uint64_t base)
{
    struct dynamic d;
    uint32_t count;

    o->reading *= 2;
    if (!o->dynamic || !read_dynamic(o, from, base, &d))
        return;
    o->names = d.names - base;
    if (!o->named)
        o->named = d.name && elf_text_read(from, d.names + d.name, o->name);
    count = symbol_count(o, from, &d);
    s->functions -= o->symbols.rows.len;
    if (s->functions + count > MOST_IN_ALL)
        count = 0;
    elf_symbols_read(&o->symbols, from, o->words, d.symbols, count);
    s->functions += o->symbols.rows.len;
    o->symbols.whole = o->symbols.whole && count;
}

bool program_symbols_find(struct program_symbols *s, const struct guest_reader *from, uint64_t pc,
                          struct program_place *out)
{
    const struct mapped *m = find_mapped(s, from, pc);
    const struct elf_symbol *symbol;
    struct object *o;

    *out = (struct program_place){0};
    if (!m)
        return false;
    o = m->object;
    if (++o->uses >= o->reading && !o->symbols.whole)
        read_object(s, o, from, m->base);
    symbol = elf_symbol_at(&o->symbols, pc - m->base + o->low);
    out->object = o->named ? o->name : NULL;
    if (symbol && elf_text_read(from, m->base + o->names + symbol->name, s->symbol))
        out->symbol = s->symbol;
    return true;
}
