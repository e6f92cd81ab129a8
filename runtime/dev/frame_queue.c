/*
 * A list of frames, first in, first out.
 *
 * Bounds      FRAME_QUEUE_MAX frames of FRAME_MAX bytes
 */
#include "runtime/dev/frame_queue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

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
