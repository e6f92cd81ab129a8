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

#define FIT(v) \
    ((v)->data = xrealloc((v)->data, (v)->cap = (v)->len ? (v)->len : 1, sizeof(*(v)->data)))
void quick_fit(struct q_code *code)
{
    FIT(&code->pieces);
    FIT(&code->exits);
    FIT(&code->maps);
    FIT(&code->exprs);
    FIT(&code->constants);
    FIT(&code->faults);
    FIT(&code->entry);
    FIT(&code->late);
    FIT(&code->fixes);
    FIT(&code->sites);
}
#undef FIT

void quick_free(struct q_code *code)
{
    if (!code)
        return;
    for (size_t n = 0; n < code->pieces.len; n++)
        free(code->pieces.data[n]);
    vec_free(&code->pieces);
    vec_free(&code->exits);
    vec_free(&code->maps);
    vec_free(&code->exprs);
    vec_free(&code->constants);
    vec_free(&code->faults);
    vec_free(&code->entry);
    vec_free(&code->late);
    vec_free(&code->fixes);
    vec_free(&code->sites);
    free(code);
}
