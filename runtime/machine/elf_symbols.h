/*
 * Symbols of ELF objects in the memory of a guest, as loaders and Linux's kernel leave them there.
 * Nothing that is read is trusted. Names stay in the guest and are read when they are wanted.
 */
#ifndef RUNTIME_MACHINE_ELF_SYMBOLS_H
#define RUNTIME_MACHINE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"

enum { ELF_SYMBOL_NAME = 200 }; /* bytes of a name, with its end; longer ones are cut */

/* Memory by virtual address. False: a part is not mapped. */
struct guest_reader {
    bool (*read)(void *opaque, uint64_t va, void *buf, uint64_t len);
    void *opaque;
};

/* The words of an object: 32 or 64 bits, and their order of bytes. */
struct elf_words {
    bool wide, big;
};

uint64_t elf_number(struct elf_words words, const uint8_t *bytes, unsigned size);
/* Bytes of an entry of a symbol table. */
unsigned elf_symbol_bytes(struct elf_words words);

struct elf_symbol {
    uint64_t value, size;
    uint32_t name; /* offset in the table of names */
};

/* Functions by ascending value. */
struct elf_symbols {
    VEC(struct elf_symbol) rows;
    bool whole; /* all of the table was mapped */
};

/* Replaces `s` by the functions of a table of `count` entries. Parts that are not mapped are left
 * out. */
void elf_symbols_read(struct elf_symbols *s, const struct guest_reader *from,
                      struct elf_words words, uint64_t table, uint32_t count);
void elf_symbols_free(struct elf_symbols *s);

/* The function that the value lies in, or NULL. */
const struct elf_symbol *elf_symbol_at(const struct elf_symbols *s, uint64_t value);

/* Reads a text of at most ELF_SYMBOL_NAME - 1 bytes. False: it is not mapped, or is empty. */
bool elf_text_read(const struct guest_reader *from, uint64_t va, char text[ELF_SYMBOL_NAME]);

#endif
