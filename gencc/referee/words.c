/*
 * Random instruction words; see words.h.
 */
#include "gencc/referee/words.h"

enum { TRIES = 200 };

/* xorshift64*, the same on every host. */
static uint64_t next_random(struct words *w)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return w->random * 0x2545f4914f6cdd1du;
}

static u128 wide_random(struct words *w)
{
    u128 high = next_random(w);

    return high << 64 | next_random(w);
}

static u128 try_word(struct words *w, const struct pattern *p, unsigned width)
{
    u128 r = wide_random(w);

    /* Sparse and dense words reach special cases. */
    switch (next_random(w) % 4) {
    case 0:
        r &= wide_random(w);
        break;
    case 1:
        r |= wide_random(w);
        break;
    }
    if (width < 128)
        r &= ((u128)1 << width) - 1;
    return (r & ~p->mask) | p->value;
}

bool random_word(struct words *w, struct form *form, u128 *word)
{
    unsigned width = form->instr->format->width;

    for (unsigned i = 0; i < TRIES && form->patterns.len; i++) {
        *word = try_word(w, &form->patterns.data[next_random(w) % form->patterns.len], width);
        if (text_decode(w->text, *word, width) == form)
            return true;
    }
    return false;
}
