/*
 * The memory of the guest's programs, as their page tables map it. The platform says in
 * /gencc/linux which registers lead there while a program runs:
 *
 *     program-tables = BASE, CONTROL      the tables' address and their format, as the Arm ARM has
 *                                         them for the lower half of addresses of AArch64
 *
 * A program is known once a CPU was seen in it. Its tables are read later, while it waits; nothing
 * in them is trusted, since the guest may have given their memory to others.
 *
 * Source: Arm ARM, DDI 0487, D8.3: VMSAv8-64 with pages of 4 KB.
 */
#ifndef RUNTIME_MACHINE_PROGRAM_MEMORY_H
#define RUNTIME_MACHINE_PROGRAM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct bus;
struct cpu;
struct platform_info;

enum { PROGRAM_PAGE = 4096 };

/* The tables of one program. */
struct program_tables {
    uint64_t root;    /* physical address of the first table */
    unsigned va_bits; /* size of the address space */
};

struct program_page {
    uint64_t va;
    const uint8_t *host; /* PROGRAM_PAGE bytes */
    bool execute;        /* the program may execute it */
};

/* Calls `visit` for each page of RAM that a program may read, by address, until it returns false or
 * `most` pages were visited. */
void program_pages(struct bus *bus, const struct program_tables *t, uint64_t most,
                   bool (*visit)(void *opaque, const struct program_page *page), void *opaque);

/* The page at a page's address. False: the program has none there. */
bool program_page_at(struct bus *bus, const struct program_tables *t, uint64_t va,
                     struct program_page *page);

/* The programs that CPUs were seen in, those that ran last. */
struct programs;

/* NULL: the platform does not say where the tables are. The bus is borrowed. */
struct programs *programs_new(const struct platform_info *info, struct bus *bus, struct cpu *cpu);
void programs_free(struct programs *p);
/* Notes the program that a CPU runs; without effect while it runs the kernel. */
void programs_see(struct programs *p, struct cpu *cpu);
/* The tables of the n-th program, 0 being the one that was seen last. False: there are fewer. */
bool programs_get(const struct programs *p, unsigned n, struct program_tables *out);

#endif
