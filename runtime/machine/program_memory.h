/*
 * The memory of the guest's programs, as their page tables map it. The platform describes the
 * tables in /gencc/linux/programs: pages of 4 KB, tables of one page with descriptors of 8 bytes
 * (docs/describe/adding-a-board.md, platforms/programs-aarch64.dtsi).
 *
 * A program is known once a CPU was seen in it. Its tables are read later, while it waits; nothing
 * in them is trusted, since the guest may have given their memory to others.
 */
#ifndef RUNTIME_MACHINE_PROGRAM_MEMORY_H
#define RUNTIME_MACHINE_PROGRAM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct bus;
struct cpu;
struct platform_info;

enum { PROGRAM_PAGE = 4096 };

/* Which bits of a number are looked at, and what they must be. */
struct program_match {
    uint64_t mask, value;
};

/* The format of page tables. Level 0 is the last: its descriptors map pages. */
struct program_format {
    uint64_t address;                        /* bits of a descriptor that are an address */
    struct program_match table, block, page; /* it leads to a table, maps a block, maps a page; the
                                                latter two for programs to read */
    struct program_match executable;         /* programs may execute what it maps */
    uint32_t largest_block;                  /* highest level with blocks */
};

/* The tables of one program. */
struct program_tables {
    const struct program_format *format;
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

/* NULL: the platform does not describe the tables. The bus is borrowed. */
struct programs *programs_new(const struct platform_info *info, struct bus *bus, struct cpu *cpu);
void programs_free(struct programs *p);
/* Notes the program that a CPU runs; without effect while it runs the kernel. */
void programs_see(struct programs *p, struct cpu *cpu);
/* The tables of the n-th program, 0 being the one that was seen last. False: there are fewer. */
bool programs_get(const struct programs *p, unsigned n, struct program_tables *out);

#endif
