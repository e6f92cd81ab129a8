/*
 * A virtio slot with a function in it, and a driver made by hand: the three parts of each queue at
 * fixed places of a small RAM, buffers after them.
 */
#ifndef TESTS_MACHINE_RIG_H
#define TESTS_MACHINE_RIG_H

#include "runtime/dev/virtio.h"
#include "tests/dev/bench.h"

#define RAM      UINT64_C(0x80000000)
#define RAM_SIZE UINT64_C(0x100000)
#define DESC     (RAM + 0x1000)
#define AVAIL    (RAM + 0x2000)
#define USED     (RAM + 0x3000)
#define TABLE    (RAM + 0x4000) /* place of an indirect table */
#define BUFFER   (RAM + 0x10000)
#define QUEUE    8u /* entries per queue */

enum { NEXT = 1, WRITE = 2, INDIRECT = 4 };
enum { STATUS_OK = 15, STATUS_NEEDS_RESET = 64 };
#define VERSION_1     (UINT64_C(1) << 32)
#define EVENT_IDX     (UINT64_C(1) << 29)
#define INDIRECT_DESC (UINT64_C(1) << 28)

struct rig {
    struct bench *b;
    struct virtio_function *f;
    uint16_t offered; /* number of chains made available so far */
    uint16_t used;    /* number of entries taken from the used ring so far */
};

/* Makes a bench with RAM, a display and the function in a slot; the driver has not begun. */
struct rig *rig_new(struct virtio_function *f);
void rig_free(struct rig *r);

/*
 * Negotiates features and sets up queue `queue`, as section 3.1.1 says. Returns false if the
 * features are refused.
 */
bool rig_start(struct rig *r, uint64_t features, unsigned queue);

/* Access registers of the slot. */
uint32_t rig_read(struct rig *r, unsigned offset);
void rig_write(struct rig *r, unsigned offset, uint32_t value);

/* Access guest memory. */
void rig_put(struct rig *r, uint64_t at, unsigned size, uint64_t value);
uint64_t rig_get(struct rig *r, uint64_t at, unsigned size);

/* Address of descriptor `n` of a table. */
static inline uint64_t rig_entry(uint64_t table, unsigned n)
{
    return table + 16 * n;
}
/* Writes the descriptor at an address. */
void rig_desc(struct rig *r, uint64_t at, uint64_t addr, uint32_t len, unsigned flags,
              unsigned next);

/* Makes the chain that starts at `head` available, notifies, and lets 1 ms pass. */
void rig_offer(struct rig *r, unsigned queue, unsigned head);

/* Returns the chain of the next used entry, with its length in *len; -1 if there is none. */
int rig_take(struct rig *r, uint32_t *len);

/* Lets `ns` of virtual time pass. */
void rig_wait(struct rig *r, uint64_t ns);

#endif
