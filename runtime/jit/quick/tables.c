/* Memory of a trace's tables. */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/tier.h"

enum { FIRST_PIECE = 480, PIECE = 2016, ALIGNED = 16 };

void *q_take(struct q_code *code, size_t bytes)
{
    uint8_t *piece;

    bytes = (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
    if (bytes > code->piece_free) {
        size_t size = code->pieces.len ? PIECE : FIRST_PIECE;

        size = bytes > size ? bytes : size;
        vec_push(&code->pieces, xcalloc(1, size));
        code->piece_free = size;
    }
    /* Pieces are used from their end, so that the piece's size need not be kept. */
    piece = code->pieces.data[code->pieces.len - 1];
    code->piece_free -= bytes;
    return piece + code->piece_free;
}

/* Tables of a trace that do not grow after its translation. */
#define EACH_TABLE(DO) \
    DO(constants) DO(exprs) DO(maps) DO(faults) DO(entry) DO(late) DO(fixes) DO(sites)

void quick_borrow(struct q_code *code, struct q_code *spare)
{
#define BORROW(table)                     \
    code->table.data = spare->table.data; \
    code->table.cap = spare->table.cap;   \
    code->table.len = 0;                  \
    spare->table.data = NULL;             \
    spare->table.cap = 0;
    EACH_TABLE(BORROW)
#undef BORROW
}

static size_t table_room(size_t bytes)
{
    return (bytes + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

void quick_fit(struct q_code *code, struct q_code *spare)
{
    size_t bytes = 0;
    uint8_t *to;

#define ADD(table) bytes += table_room(code->table.len * sizeof(*code->table.data));
    EACH_TABLE(ADD)
#undef ADD
    to = code->tables = xalloc_aligned(ALIGNED, bytes);
#define MOVE(table)                                               \
    do {                                                          \
        size_t own = code->table.len * sizeof(*code->table.data); \
                                                                  \
        spare->table.data = code->table.data;                     \
        spare->table.cap = code->table.cap;                       \
        code->table.data = (void *)to;                            \
        code->table.cap = code->table.len;                        \
        if (own)                                                  \
            memcpy(to, spare->table.data, own);                   \
        to += table_room(own);                                    \
    } while (0);
    EACH_TABLE(MOVE)
#undef MOVE
}

void quick_free_tables(struct q_code *code)
{
#define FREE(table) vec_free(&code->table);
    EACH_TABLE(FREE)
#undef FREE
}

void quick_free(struct q_code *code)
{
    if (!code)
        return;
    for (size_t n = 0; n < code->pieces.len; n++)
        free(code->pieces.data[n]);
    vec_free(&code->pieces);
    vec_free(&code->exits);
    if (code->tables)
        free(code->tables);
    else
        quick_free_tables(code);
    free(code);
}
