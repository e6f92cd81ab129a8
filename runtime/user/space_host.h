/*
 * The host's side of an address space: where guest memory lies and what the host is told about it.
 * Between space.c, which keeps the list of areas, and the host's mmap(); nobody else calls this.
 *
 * Where the host lets it, memory is flat (runtime/mem/flat.h): a page has the permissions on the host that it
 * has in the guest. A program can reach the simulator then; without flat memory (-sandbox) every access is checked.
 */
#ifndef RUNTIME_USER_SPACE_HOST_H
#define RUNTIME_USER_SPACE_HOST_H

#include "runtime/user/space.h"

/*
 * Finds the host memory (s->host, s->size, s->flat) for so many bits of addresses and gives it to
 * the bus; nothing of it can be accessed yet. Flat if it may be and the host lets it, else anywhere and maybe
 * less. False with the error.
 */
bool host_reserve(struct space *s, unsigned bits, bool flat, struct error *err);
void host_release(struct space *s);

/*
 * The calls below return 0 or a negative errno. They want code that the range holds to be dropped
 * already where contents change, and do not touch the list of areas.
 */

/* Maps what the area says, in place of what was there; `fd` -1: anonymous memory. Sets a->backed.
 * After an error the range may have lost what it had: unmap it. */
int64_t host_map(struct space *s, struct area *a, int flags, int fd);
/* The same for the System V segment `id`. */
int64_t host_attach(struct space *s, struct area *a, int id);
int64_t host_unmap(struct space *s, uint64_t start, uint64_t end);
/* Gives the area other permissions, and notes them. After an error it has the old ones. */
int64_t host_protect(struct space *s, struct area *a, int prot);
/* Moves the area's pages to a free range of another size; sets a->backed, but no address in *a. */
int64_t host_move(struct space *s, struct area *a, uint64_t to, uint64_t new_len);

#endif
