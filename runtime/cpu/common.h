/*
 * Common pages: pages that are not global, but that page tables common to all address spaces map.
 * While what a walk read stays as it was, the walk has the same result in any space of these
 * tables. So such pages are kept as if they were global: when the space changes, and when the
 * entries of a space are flushed. A kernel that hides its memory from programs marks all of it as
 * not global.
 *
 * Writes to the memory that such walks read are noticed, as writes to code are. A page of that
 * memory is noted when translated code has been left, since a trace may have looked it up for
 * writes before; what was found by it until then waits, and is forgotten when the page is noted, so
 * that it is found again as a common page. After a write to what the last step of a walk read, the
 * page serves the current space, as entries may until they are flushed, and is forgotten with the
 * next change of the space. After other writes all common pages are stale, and are so, too.
 */
#ifndef RUNTIME_CPU_COMMON_H
#define RUNTIME_CPU_COMMON_H

#include "runtime/cpu/internal.h"

/* Ticks without common pages after some were stale, so that a guest that writes to its page tables
 * all the time does not lose all entries each time. */
enum { COMMON_PAUSE = 200000 };

/* Whether the page of an address that translate() has just found with these flags may be kept as a
 * global one: writes to what the walk read are noticed. If they are not, they will be. */
bool common_keep(struct cpu *cpu, uint64_t va, uint32_t flags);
/* Adds the page of an address to a list of pages. */
static inline void common_list_add(struct common_list *l, uint64_t va)
{
    if (l->count < COMMON_PAGES)
        l->va[l->count] = va & ~CPU_PAGE_MASK;
    l->count += l->count <= COMMON_PAGES;
}

/* Whether the page of an address waits to be common. */
bool common_waits(const struct cpu *cpu, uint64_t va);
/* Notes a read of physical memory, which may be of a walk. */
void common_note_read(struct cpu *cpu, const struct bus_region *r, uint64_t pa, unsigned size);

#endif
