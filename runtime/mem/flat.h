/*
 * Flat guest memory: guest address va is host address base + va, so that translated code
 * (cpu->flat_base) accesses it by one host instruction. A fault of that instruction leads to the
 * slow path (runtime/cpu/fault.h). Pages with decoded code are read-only on the host, so that
 * writes to them fault (struct bus.protect).
 *
 * Translated code adds base and va in 64 bits, without any check of va. That is sound because of
 * where the base is on x86-64, with b = 0 or 2^30 and host addresses of user space below 2^47:
 *  - va < 2^44: in the reservation; pages that the guest has not mapped fault. With b = 0 the first
 *    64 KB are not: Linux maps nothing there, and neither do the owners of the reservation.
 *  - 2^44 <= va < 2^47 - b: host addresses. The simulator's program and heap (0x55.., 0x56..) and
 *    its libraries and stacks (0x7e.., 0x7f..) are here.
 *  - 2^47 - b <= va < 2^64 - b, tagged addresses and most garbage: host addresses that are not
 *    canonical, or of the host's kernel; both fault. Tags are legal and served by the slow path.
 *  - 2^64 - b <= va wraps around to host addresses below b, which are reserved too, from 64 KB on.
 * Where addresses have 32 bits, va is an address plus a constant of up to 16 bits in either
 * direction, which may lie just outside of the 4 GB that the guest has: below b (not canonical, if
 * b = 0), or in the reservation behind them. Nothing is mapped at either place, and the slow path
 * then computes the address that wraps around.
 *
 * An address can hit the simulator only if bits 47:40 of va + b are 0x55, 0x56, 0x7e or 0x7f with
 * zeros above. Even then it must fall into the few MB that the host has mapped there at random
 * places. The simulator has nothing at low addresses: it is a position-independent program.
 *
 * A base below 2^31 is a displacement in host instructions (q_target.is_near()), of 4 bytes. The
 * base 0 takes none, so three in four accesses are 3 or 4 bytes shorter. AddressSanitizer uses the
 * low addresses itself, as emulators of other hosts do, so with it and on other hosts b is 2^46,
 * and 1 TB below b is reserved. Where host addresses have 48 bits, the simulator's program is at
 * 0xaaaa.. and its libraries at 0xffff..; where the processor ignores the top byte, an access by a
 * tagged address is served without the slow path.
 *
 * The interpreter checks all addresses.
 */
#ifndef RUNTIME_MEM_FLAT_H
#define RUNTIME_MEM_FLAT_H

#include <stdbool.h>
#include <stdint.h>

/* A reserved range of host addresses; accesses to it fault until something is mapped there. */
struct reservation {
    uint8_t *at; /* NULL: none */
    uint64_t bytes;
};

/* Reserves `bytes` at `where` exactly or, for NULL, anywhere. False: the host refuses. */
bool reservation_make(struct reservation *r, uint8_t *where, uint64_t bytes);
/* Releases the range; nothing for an empty one. */
void reservation_free(struct reservation *r);

/* Flat memory holds guest addresses below 1 << FLAT_BITS. */
enum { FLAT_BITS = 44 };

/* Reserves the host addresses of flat memory for a guest that has nothing below the address
 * `least`; *base: the host address of guest address 0. False when they are not free, as in a
 * process that already has flat memory, or when the host's pages are not of BUS_PAGE_SIZE. */
bool reservation_flat(struct reservation *r, uint64_t least, uint8_t **base);

#endif
