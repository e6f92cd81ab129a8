/*
 * The symbols of a Linux kernel in memory: its own table, kallsyms, which oopses and /proc/kallsyms
 * print from. So no file is needed. Distances are from the image's start, wherever the kernel has
 * placed itself.
 *
 * Source: Linux, kernel/kallsyms.c and scripts/kallsyms.c, of 5.10 to 6.12: names are packed by a
 * table of 256 tokens, addresses are 32-bit distances from a base (CONFIG_KALLSYMS_BASE_RELATIVE).
 */
#ifndef RUNTIME_MACHINE_LINUX_SYMBOLS_H
#define RUNTIME_MACHINE_LINUX_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct linux_symbol {
    uint32_t distance; /* from the image's start */
    uint32_t name;     /* index of its characters in `names` */
    char type;         /* as nm prints it: 't', 'T', 'd', … */
};

struct linux_symbols {
    struct linux_symbol *symbols; /* by distance */
    size_t count;
    char *names;
};

/*
 * Reads the table of an image; nothing in it is trusted. False: there is none that is understood.
 * Release with linux_symbols_free().
 */
bool linux_symbols_read(struct linux_symbols *s, const uint8_t *image, size_t len);
void linux_symbols_free(struct linux_symbols *s);

/* The symbol of that name, or NULL. */
const struct linux_symbol *linux_symbol_named(const struct linux_symbols *s, const char *name);
/* The last code symbol at or below that distance, or NULL. */
const struct linux_symbol *linux_symbol_at(const struct linux_symbols *s, uint64_t distance);
const char *linux_symbol_name(const struct linux_symbols *s, const struct linux_symbol *symbol);

#endif
