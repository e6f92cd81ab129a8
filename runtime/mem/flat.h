/*
 * Flat guest memory: guest address va is host address base + va, so that translated code (cpu->flat_base) can
 * access it by one host instruction; a fault of that leads to the slow path (runtime/cpu/fault.h). Pages with
 * decoded code are read-only on the host, so that writes to them are seen (struct bus.protect).
 *
 * Translated code adds base and va in 64 bits, without any check of va. That is sound because of
 * where the base is on x86-64, with b = 2^30 and host addresses of user space below 2^47:
 *  - va < 2^44: in the reservation; what the guest has not mapped faults.
 *  - 2^44 <= va < 2^47 - b: host addresses. The simulator's program and heap (0x55.., 0x56..) and its
 *    libraries and stacks (0x7e.., 0x7f..) are here: see below.
 *  - 2^47 - b <= va < 2^64 - b, tagged addresses and most garbage: host addresses that are not
 *    canonical, or of the host's kernel; both fault. Tags are legal and served by the slow path.
 *  - other negative ones wrap around to host addresses below b, which are reserved too; in the first
 *    64 KB of them Linux maps nothing.
 * So no address can hit the simulator but those of which va + b has the bits 47:40 0x55, 0x56, 0x7e or
 * 0x7f and zeros above, and of them only the few MB that are mapped at places which the host chooses
 * at random. (Nothing of the simulator is low: it is a position-independent program.)
 *
 * A base below 2^31 is part of the host's instructions (q_target.is_near()). AddressSanitizer has the low
 * addresses for itself, so with it b is 2^46, and the TB below is reserved.
 * The interpreter checks all addresses.
 */
#ifndef RUNTIME_MEM_FLAT_H
#define RUNTIME_MEM_FLAT_H

#include <stdbool.h>
#include <stdint.h>

/* A range of the host's addresses, kept free: nothing of it can be accessed yet. */
struct reservation {
    uint8_t *at; /* NULL: none */
    uint64_t bytes;
};

/* Anywhere where `where` is NULL, else there and nowhere else. False where the host does not let it. */
bool reservation_make(struct reservation *r, uint8_t *where, uint64_t bytes);
void reservation_free(struct reservation *r);

/* The bits of guest addresses that flat memory can have. */
enum { FLAT_BITS = 44 };

/* Reserves what flat memory needs, and returns the base; NULL where that is not free, as when a process has two
 * such memories, or the host's pages have not the CPUs' size. */
uint8_t *reservation_flat(struct reservation *r);

#endif
