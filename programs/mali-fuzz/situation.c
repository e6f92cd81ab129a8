/* Random registers and memory of situations. */
#include "programs/mali-fuzz/situation.h"

#include <string.h>

#include "gencc/referee/operands.h"

uint32_t situation_random_word(struct random *r)
{
    uint64_t f[3];

    switch (random_below(r, 6)) {
    case 0:
        return random_below(r, 40);
    case 1:
        return (uint32_t)random_integer(r);
    case 2:
        random_floats(r, 32, f);
        return (uint32_t)f[0];
    case 3:
        random_floats(r, 16, f);
        return (uint32_t)(f[0] | f[1] << 16);
    case 4:
        return (uint32_t)random_integral(r, 32);
    default:
        return (uint32_t)random_next(r);
    }
}

static void refresh_words(struct situation_store *store, struct random *r)
{
    unsigned count = store->full ? FRESH_WORDS : STORED_WORDS;

    for (unsigned i = 0; i < count; i++) {
        store->word[store->next] = situation_random_word(r);
        store->next = (store->next + 1) % STORED_WORDS;
    }
    store->full = true;
}

void situation_fill(struct situation *s, struct situation_store *store, struct random *r)
{
    refresh_words(store, r);
    for (unsigned k = 0; k < slot_count(s); k++)
        memcpy(s->slot[k], store->word + random_below(r, STORED_WORDS - s->lanes + 1),
               s->lanes * sizeof(*store->word));
    for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
        uint64_t v = random_next(r);

        memcpy(s->memory + i, &v, 8);
    }
}

static bool is_nan(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

bool situation_same_word(uint32_t a, uint32_t b)
{
    return a == b || (is_nan(a) && is_nan(b));
}
