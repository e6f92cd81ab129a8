/*
 * Reads Linux's list of modules.
 *
 * Source: Linux 5.10 to 6.12, include/linux/module.h: an entry's links are followed by its name.
 * An area of its memory is a pointer and a size of 32 bits (struct module_layout, module_memory);
 * its symbols are a table of ELF symbols, their number and a table of names (mod_kallsyms). The
 * first of the symbols is empty.
 *
 * Bounds      MOST_MODULES entries with MOST_SYMBOLS, of which ENTRY bytes are looked at. The list
 *             is walked when an address is in no known module, after 1, 2, 4, … such addresses, at
 *             most REST
 */
#include "runtime/machine/linux_modules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

enum {
    WORD = 8,
    NAME = 2 * WORD, /* offset of the name from the links */
    MOST_MODULES = 512,
    ENTRY = 2048,
    PAGE = 4096,
    MOST_AREA = 64 << 20,
    MOST_AREAS = 16,
    MOST_SYMBOLS = 1 << 20, /* of all modules */
    REST = 1024,
};

static const struct elf_words words = {.wide = true};

struct area {
    uint64_t start, size;
};

struct module {
    char name[ELF_SYMBOL_NAME];
    struct area areas[MOST_AREAS];
    unsigned area_count;
    struct elf_symbols symbols;
    uint64_t names;
};

struct linux_modules {
    VEC(struct module) modules;
    unsigned misses, walk_at; /* addresses in no module since the walk before, and for the next */
    char symbol[ELF_SYMBOL_NAME];
};

struct linux_modules *linux_modules_new(void)
{
    struct linux_modules *m = xcalloc(1, sizeof(*m));

    m->walk_at = 1;
    return m;
}

static void drop_modules(struct linux_modules *m)
{
    vec_for_each (&m->modules, module)
        elf_symbols_free(&module->symbols);
    vec_free(&m->modules);
}

void linux_modules_forget(struct linux_modules *m)
{
    drop_modules(m);
    m->misses = 0;
    m->walk_at = 1;
}

void linux_modules_free(struct linux_modules *m)
{
    if (!m)
        return;
    drop_modules(m);
    free(m);
}

/* ---- an entry -------------------------------------------------------------------------------- */

static uint64_t word_at(const uint8_t *entry, unsigned at)
{
    return le_get(entry + at, WORD);
}

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

/* Whether a table of symbols and one of names begin there: their first entries are empty. */
static bool are_symbols(const struct guest_reader *from, uint64_t table, uint64_t names)
{
    uint8_t first[sizeof(Elf64_Sym) + 1];

    return is_kernel(table) && is_kernel(names) && !(table % WORD) &&
           from->read(from->opaque, table, first, sizeof(Elf64_Sym)) &&
           from->read(from->opaque, names, first + sizeof(Elf64_Sym), 1) &&
           bytes_are_zero(first, sizeof(first));
}

/* Takes what is found in an entry; symbols, if there are at most `most`. */
static void take_entry(struct module *module, uint32_t most, const struct guest_reader *from,
                       const uint8_t *entry, unsigned len)
{
    for (unsigned at = NAME; at + 3 * WORD <= len; at += WORD) {
        uint64_t first = word_at(entry, at), names = word_at(entry, at + 2 * WORD);
        uint32_t count = (uint32_t)le_get(entry + at + WORD, 4);

        if (!is_kernel(first) || !count)
            continue;
        if (!(first % PAGE) && count <= MOST_AREA && module->area_count < MOST_AREAS)
            module->areas[module->area_count++] = (struct area){first, count};
        if (!module->names && count <= most && are_symbols(from, first, names)) {
            elf_symbols_read(&module->symbols, from, words, first, count);
            module->names = names;
        }
    }
}

/* Reads as much of an entry as is mapped. */
static unsigned read_entry(const struct guest_reader *from, uint64_t at, uint8_t entry[ENTRY])
{
    unsigned room = PAGE - (unsigned)(at % PAGE);

    if (from->read(from->opaque, at, entry, ENTRY))
        return ENTRY;
    return room < ENTRY && from->read(from->opaque, at, entry, room) ? room : 0;
}

static void walk_list(struct linux_modules *m, const struct guest_reader *from, uint64_t list)
{
    uint8_t entry[ENTRY];
    uint32_t room = MOST_SYMBOLS;
    uint64_t at;

    drop_modules(m);
    if (!from->read(from->opaque, list, entry, WORD))
        return;
    at = word_at(entry, 0);
    while (at != list && is_kernel(at) && m->modules.len < MOST_MODULES) {
        struct module module = {0};
        unsigned len = read_entry(from, at, entry);

        if (len <= NAME || !elf_text_read(from, at + NAME, module.name))
            return;
        take_entry(&module, room, from, entry, len);
        room -= module.symbols.rows.len;
        vec_push(&m->modules, module);
        at = word_at(entry, 0);
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

static const struct module *module_of(const struct linux_modules *m, uint64_t pc)
{
    vec_for_each (&m->modules, module)
        for (unsigned n = 0; n < module->area_count; n++)
            if (pc - module->areas[n].start < module->areas[n].size)
                return module;
    return NULL;
}

bool linux_modules_find(struct linux_modules *m, const struct guest_reader *from, uint64_t list,
                        uint64_t pc, struct linux_module_place *out)
{
    const struct module *module = module_of(m, pc);
    const struct elf_symbol *symbol;

    *out = (struct linux_module_place){0};
    if (!module && ++m->misses >= m->walk_at) {
        m->misses = 0;
        m->walk_at = m->walk_at < REST ? 2 * m->walk_at : REST;
        walk_list(m, from, list);
        module = module_of(m, pc);
    }
    if (!module)
        return false;
    out->module = module->name;
    symbol = elf_symbol_at(&module->symbols, pc);
    if (symbol && elf_text_read(from, module->names + symbol->name, m->symbol))
        out->symbol = m->symbol;
    return true;
}
