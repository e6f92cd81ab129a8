/*
 * The host's side of an address space: where guest memory lies and what the host is told about it.
 * Between space.c, which keeps the list of areas, and the host's mmap(); nobody else calls this.
 *
 * Flat memory: guest address va is host address base + va, and a page has the permissions on the
 * host that it has in the guest, so that translated code (cpu->flat_base) can access it by one host
 * instruction; a fault of that leads to the slow path (runtime/cpu/fault.h). Pages with decoded
 * code are read-only on the host, so that writes to them are seen.
 *
 * Translated code adds base and va in 64 bits, without any check of va. That is sound because of
 * where the base is on x86-64, with b = 2^46 and host addresses of user space below 2^47:
 *  - va < 2^44: in the reservation; what the guest has not mapped faults.
 *  - 2^44 <= va < 2^46: host addresses from 0x5000'0000'0000 on. The simulator's program and heap
 *    (0x55.., 0x56..) and its libraries and stacks (0x7e.., 0x7f..) are here: see below.
 *  - 2^46 <= va < 2^64 - 2^47 - b, tagged addresses and most garbage: host addresses that are not
 *    canonical, or of the host's kernel; both fault. Tags are legal and served by the slow path.
 *  - other negative ones wrap around to host addresses below b, where nothing is mapped (the
 *    simulator is a position-independent program); the TB next to b is reserved too.
 * So no address can hit the simulator but those with bits 63:46 zero and bits 45:40 0x15, 0x16, 0x3e
 * or 0x3f, and of them only the few MB that are mapped at places which the host chooses at random.
 * Such a wild pointer of a guest misbehaves undetected, as it does under other simulators: user
 * mode is no sandbox. The interpreter checks all addresses.
 */
#ifndef RUNTIME_USER_SPACE_HOST_H
#define RUNTIME_USER_SPACE_HOST_H

#include "runtime/user/space.h"

/*
 * Finds the host memory (s->host, s->size, s->flat) for so many bits of addresses and gives it to
 * the bus; nothing of it can be accessed yet. Flat where the host lets it, else anywhere and maybe
 * less. False with the error.
 */
bool host_reserve(struct space *s, unsigned bits, struct error *err);
void host_release(struct space *s);

/*
 * The calls below return 0 or a negative errno. They want code that the range holds to be dropped
 * already where contents change, and do not touch the list of areas.
 */

/* Maps what the area says, in place of what was there; `fd` -1: anonymous memory. Sets a->backed.
 * After an error the range may have lost what it had: unmap it. */
int64_t host_map(struct space *s, struct area *a, int flags, int fd);
int64_t host_unmap(struct space *s, uint64_t start, uint64_t end);
/* Gives the area other permissions, and notes them. After an error it has the old ones. */
int64_t host_protect(struct space *s, struct area *a, int prot);
/* Moves the area's pages to a free range of another size; sets a->backed, but no address in *a. */
int64_t host_move(struct space *s, struct area *a, uint64_t to, uint64_t new_len);

#endif
