/*
 * A list of frames, first in, first out.
 *
 * Bounds      FRAME_QUEUE_MAX frames of FRAME_MAX bytes
 */
#include "runtime/dev/frame_queue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

bool frame_queue_push(struct frame_queue *q, const uint8_t *bytes, size_t len)
{
    struct frame *frame;

    if (q->count == FRAME_QUEUE_MAX || len > FRAME_MAX)
        return false;
    frame = xcalloc(1, sizeof(*frame) + len);
    frame->len = len;
    memcpy(frame->bytes, bytes, len);
    *(q->first ? &q->last->next : &q->first) = frame;
    q->last = frame;
    q->count++;
    return true;
}

void frame_queue_drop(struct frame_queue *q)
{
    struct frame *frame = q->first;

    q->first = frame->next;
    q->count--;
    free(frame);
}

void frame_queue_clear(struct frame_queue *q)
{
    while (q->first)
        frame_queue_drop(q);
}

/* ---- snapshots: each frame is its length (4 bytes) and its bytes ----------------------------- */

void frame_queue_save(const struct frame_queue *q, struct state_buf *buf)
{
    for (const struct frame *frame = q->first; frame; frame = frame->next) {
        uint8_t len[4];

        le_put(len, 4, frame->len);
        state_put(buf, len, sizeof(len));
        state_put(buf, frame->bytes, frame->len);
    }
}

static bool are_frames(const uint8_t *bytes, size_t len)
{
    unsigned count = 0;

    while (len) {
        size_t frame = len < 4 ? SIZE_MAX : le_get(bytes, 4);

        if (frame > FRAME_MAX || frame > len - 4 || ++count > FRAME_QUEUE_MAX)
            return false;
        bytes += 4 + frame;
        len -= 4 + frame;
    }
    return true;
}

bool frame_queue_load(struct frame_queue *q, const uint8_t *bytes, size_t len, bool apply)
{
    if (!are_frames(bytes, len))
        return false;
    if (!apply)
        return true;
    frame_queue_clear(q);
    while (len) {
        size_t frame = le_get(bytes, 4);

        frame_queue_push(q, bytes + 4, frame);
        bytes += 4 + frame;
        len -= 4 + frame;
    }
    return true;
}
