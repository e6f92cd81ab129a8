/*
 * The host's side of an address space: the place of guest memory, and its mappings on the host.
 * Called only by space.c, which keeps the list of areas.
 *
 * Memory is flat if the host allows it (runtime/mem/flat.h): a page has the same permissions on the
 * host as in the guest. A program can access the simulator's memory then; without flat memory
 * (-sandbox) every access is checked.
 */
#ifndef RUNTIME_USER_SPACE_HOST_H
#define RUNTIME_USER_SPACE_HOST_H

#include "runtime/user/space.h"

/*
 * Reserves host memory for `bits` bits of addresses, without access, and adds it to the bus. Sets
 * s->host, s->size and s->flat. Memory is flat if `flat` is set and the host allows it; else it may
 * lie anywhere and be smaller. False with the error.
 */
bool host_reserve(struct space *s, unsigned bits, bool flat, struct error *err);
void host_release(struct space *s);

/*
 * The functions below return 0 or a negative errno, and do not change the list of areas. Where
 * contents change, the caller must have dropped the range's code.
 */

/* Maps the area in place of any earlier mapping; `fd` -1: anonymous memory. Sets a->backed. After
 * an error the caller must unmap the range, which may have lost its earlier mapping. */
int64_t host_map(struct space *s, struct area *a, int flags, int fd);
/* As host_map() for the System V segment `id`. */
int64_t host_attach(struct space *s, struct area *a, int id);
int64_t host_unmap(struct space *s, uint64_t start, uint64_t end);
/* Changes the area's permissions and a->prot; after an error both are unchanged. */
int64_t host_protect(struct space *s, struct area *a, int prot);
/* Moves the area's pages to a free range of another size; sets a->backed, but not a->start and
 * end. */
int64_t host_move(struct space *s, struct area *a, uint64_t to, uint64_t new_len);

#endif
