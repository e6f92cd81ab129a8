/* What the runs start from in which the quick tier makes its traces. */
#include "tests/random/arch_cpu.h"
#include "tests/random/arch_words.h"

#include <string.h>

/* Takes the integer and the vector registers of another state. */
static void copy_registers(struct state *to, const struct state *from)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct state_part *p = &arch_cpu.parts[i];

        memcpy((uint8_t *)to + p->offset, (const uint8_t *)from + p->offset, p->count * p->bytes);
    }
}

/*
 * Fills bytes with ordinary numbers of every format: lanes of 16 bits from 1 to below 2 are also
 * normal numbers of 32 and of 64 bits.
 */
static void fill_ordinary(struct generator *g, void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += 2) {
        uint16_t lane = (uint16_t)(0x3c00 + below(g, 0x400));

        memcpy((uint8_t *)bytes + i, &lane, sizeof(lane));
    }
}

static void make_ordinary(struct generator *g, struct warm_up *w)
{
    const struct state_part *p = &arch_cpu.parts[1];

    fill_ordinary(g, w->memory, MEMORY_BYTES);
    for (unsigned n = 0; n < p->count; n++) {
        uint8_t *element = (uint8_t *)&w->state + p->offset + n * p->bytes;

        fill_ordinary(g, element, p->bytes);
        if (arch_words.boxed && one_in(g, 2))
            memset(element + 4, 0xff, 4);
    }
}

void make_warm_up(struct generator *g, const struct request *request, struct warm_up *w)
{
    struct state other;

    w->state = request->state;
    memcpy(w->memory, request->memory, MEMORY_BYTES);
    switch (below(g, 3)) {
    case 0:
        make_ordinary(g, w);
        break;
    case 1:
        arch_words.random_state(g, &other);
        copy_registers(&w->state, &other);
        break;
    default:
        break;
    }
}
