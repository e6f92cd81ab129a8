/*
 * Frames that wait in a network card until the guest has room for them. What comes when
 * FRAME_QUEUE_MAX wait is dropped, as are frames longer than FRAME_MAX.
 */
#ifndef RUNTIME_DEV_FRAME_QUEUE_H
#define RUNTIME_DEV_FRAME_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/state.h"

#define FRAME_MAX       65536u
#define FRAME_QUEUE_MAX 256u

struct frame {
    struct frame *next;
    size_t len;
    uint8_t bytes[];
};

/* Zero is an empty queue. */
struct frame_queue {
    struct frame *first, *last;
    unsigned count;
};

/* Appends a copy of the frame; false: it was dropped. */
bool frame_queue_push(struct frame_queue *q, const uint8_t *bytes, size_t len);

/* Releases the first frame; there must be one. */
void frame_queue_drop(struct frame_queue *q);

/* Releases all frames. */
void frame_queue_clear(struct frame_queue *q);

/* Appends all frames to a snapshot. */
void frame_queue_save(const struct frame_queue *q, struct state_buf *buf);

/* Replaces the frames by those of a snapshot, or only checks these without `apply`. false: the
 * bytes are no frames, and nothing is replaced. */
bool frame_queue_load(struct frame_queue *q, const uint8_t *bytes, size_t len, bool apply);

#endif
