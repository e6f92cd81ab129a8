/* Accesses of rows, as traces have them. */
#include "runtime/check/internal.h"

enum check_memory check_memory_of(enum timing_access access)
{
    static const uint8_t memory[] = {
        [TIMING_LOAD] = CHECK_GLOBAL,         [TIMING_STORE] = CHECK_GLOBAL,
        [TIMING_ATOMIC] = CHECK_GLOBAL,       [TIMING_GROUP_LOAD] = CHECK_LOCAL,
        [TIMING_GROUP_STORE] = CHECK_LOCAL,   [TIMING_GROUP_ATOMIC] = CHECK_LOCAL,
        [TIMING_THREAD_LOAD] = CHECK_PRIVATE, [TIMING_THREAD_STORE] = CHECK_PRIVATE,
    };

    return (enum check_memory)memory[access];
}

bool check_is_atomic(enum timing_access access)
{
    return access == TIMING_ATOMIC || access == TIMING_GROUP_ATOMIC;
}

bool check_is_store(enum timing_access access)
{
    return access == TIMING_STORE || access == TIMING_GROUP_STORE ||
           access == TIMING_THREAD_STORE || check_is_atomic(access);
}

void check_row_begin(struct check_row_reader *r, const struct timing_job *job,
                     const struct timing_row *row)
{
    timing_cursor_begin(&r->cursor, job, row, 0);
    r->cursor.warp_lanes = UINT32_MAX;
    timing_cursor_next(&r->cursor);
}

bool check_row_next(struct check_row_reader *r)
{
    for (; r->cursor.event != TIMING_END; timing_cursor_next(&r->cursor))
        if (r->cursor.event == TIMING_MEMORY && timing_cursor_access(&r->cursor, &r->touch))
            return true;
    return false;
}
