/*
 * Common pages: pages that are not global, but that page tables common to all address spaces map.
 * While what a walk read stays as it was, the walk has the same result in any space of these
 * tables. So such pages are kept as if they were global: when the space changes, and when the
 * entries of a space are flushed. A kernel that hides its memory from programs marks all of it as
 * not global.
 *
 * Writes to the memory that such walks read are noticed, as writes to code are. The pages of that
 * memory are noted when translated code has been left, since a trace may have looked one up for
 * writes before. The first write makes the CPU's common pages stale: they serve the current space,
 * as entries may until they are flushed, and are forgotten with the next change of the space.
 */
#ifndef RUNTIME_CPU_COMMON_H
#define RUNTIME_CPU_COMMON_H

#include "runtime/cpu/internal.h"

/* Ticks without common pages after some were stale, so that a guest that writes to its page tables
 * all the time does not lose all entries each time. */
enum { COMMON_PAUSE = 200000 };

/* Whether the page that translate() has just found with these flags may be kept as a global one:
 * writes to what the walk read are noticed. If they are not, they will be. */
bool common_keep(struct cpu *cpu, uint32_t flags);
/* Notes a read of physical memory, which may be of a walk. */
void common_note_read(struct cpu *cpu, const struct bus_region *r, uint64_t pa, unsigned size);

#endif
