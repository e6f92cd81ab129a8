/*
 * Reads symbol tables of ELF objects in a guest's memory.
 *
 * Source: System V ABI, chapter 4, Symbol Table
 */
#include "runtime/machine/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"

enum { CHUNK = 4096 };

uint64_t elf_number(struct elf_words words, const uint8_t *bytes, unsigned size)
{
    return words.big ? be_get(bytes, size) : le_get(bytes, size);
}

unsigned elf_symbol_bytes(struct elf_words words)
{
    return words.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static void take_symbol(struct elf_symbols *s, struct elf_words words, const uint8_t *entry)
{
    bool wide = words.wide;
    unsigned word = wide ? 8 : 4;
    uint8_t info = entry[wide ? offsetof(Elf64_Sym, st_info) : offsetof(Elf32_Sym, st_info)];
    uint64_t section = elf_number(
        words, entry + (wide ? offsetof(Elf64_Sym, st_shndx) : offsetof(Elf32_Sym, st_shndx)), 2);
    uint64_t value = elf_number(
        words, entry + (wide ? offsetof(Elf64_Sym, st_value) : offsetof(Elf32_Sym, st_value)),
        word);
    uint64_t size = elf_number(
        words, entry + (wide ? offsetof(Elf64_Sym, st_size) : offsetof(Elf32_Sym, st_size)), word);

    if ((ELF64_ST_TYPE(info) == STT_FUNC || ELF64_ST_TYPE(info) == STT_GNU_IFUNC) && section &&
        size)
        vec_push(&s->rows, (struct elf_symbol){value, size, (uint32_t)elf_number(words, entry, 4)});
}

/* By value; of several names of one function, the one that the table has first, which has the
 * lowest offset among the names in most tables. */
static int compare_symbols(const void *left, const void *right)
{
    const struct elf_symbol *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

void elf_symbols_read(struct elf_symbols *s, const struct guest_reader *from,
                      struct elf_words words, uint64_t table, uint32_t count)
{
    unsigned bytes = elf_symbol_bytes(words), most = CHUNK / bytes;
    uint8_t chunk[CHUNK];

    s->rows.len = 0;
    s->whole = true;
    for (uint32_t first = 0, n; first < count; first += n) {
        uint64_t at = table + (uint64_t)first * bytes;

        n = count - first < most ? count - first : most;
        if (!from->read(from->opaque, at, chunk, (uint64_t)n * bytes)) {
            s->whole = false;
            continue;
        }
        for (uint32_t i = 0; i < n; i++)
            take_symbol(s, words, chunk + (size_t)i * bytes);
    }
    if (s->rows.len)
        qsort(s->rows.data, s->rows.len, sizeof(*s->rows.data), compare_symbols);
}

void elf_symbols_free(struct elf_symbols *s)
{
    vec_free(&s->rows);
}

const struct elf_symbol *elf_symbol_at(const struct elf_symbols *s, uint64_t value)
{
    size_t low = 0, high = s->rows.len;
    const struct elf_symbol *found;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->rows.data[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 1 && s->rows.data[low - 2].value == s->rows.data[low - 1].value)
        low--;
    found = low ? &s->rows.data[low - 1] : NULL;
    return found && value - found->value < found->size ? found : NULL;
}

bool elf_text_read(const struct guest_reader *from, uint64_t va, char text[ELF_SYMBOL_NAME])
{
    unsigned n = 0;

    while (n < ELF_SYMBOL_NAME - 1 && from->read(from->opaque, va + n, text + n, 1) && text[n])
        n++;
    if (n < ELF_SYMBOL_NAME - 1 && !from->read(from->opaque, va + n, text + n, 1))
        return false;
    text[n] = 0;
    return n != 0;
}
