/*
 * Significance of layers and ranges of weights. Where the dissertation's text and its listing
 * differ, the text is followed: ranges are tried from the widest to the narrowest, and step 4 takes
 * all weights that step 3 left exact.
 */
#include "mapping.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY = -1, RANGES = 3 };

void mapping_set(struct mapping_layer *l, int range, uint8_t level)
{
    for (int w = 0; w < l->weights; w++)
        if (range == EVERY || (!l->level[w] && abs(l->weight[w]) <= range))
            l->level[w] = level;
}

/* qsort order: the less significant layer first. */
static int by_significance(const struct mapping *m, const struct significance *a,
                           const struct significance *b)
{
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    /* A layer with fewer multiplications is more significant. */
    return m->layer[a->layer].products > m->layer[b->layer].products ? -1 : 1;
}

static void sort_layers(const struct mapping *m, struct significance *list)
{
    for (int i = 1; i < m->layers; i++) {
        struct significance s = list[i];
        int at = i;

        for (; at && by_significance(m, &s, &list[at - 1]) < 0; at--)
            list[at] = list[at - 1];
        list[at] = s;
    }
}

void mapping_significance(struct mapping *m, struct significance *list)
{
    double exact;

    for (int i = 0; i < m->layers; i++)
        mapping_set(&m->layer[i], EVERY, 0);
    exact = m->execute(m->opaque, false);
    for (int i = 0; i < m->layers; i++) {
        mapping_set(&m->layer[i], EVERY, 2);
        list[i] = (struct significance){i, (exact - m->execute(m->opaque, false)) / exact};
        mapping_set(&m->layer[i], EVERY, 0);
    }
    sort_layers(m, list);
}

int mapping_layers(struct mapping *m, const struct significance *list, double threshold)
{
    int n = 0;

    for (; n < m->layers; n++) {
        struct mapping_layer *l = &m->layer[list[n].layer];

        mapping_set(l, EVERY, 2);
        if (m->execute(m->opaque, m->bias) < threshold) {
            mapping_set(l, EVERY, 0);
            break;
        }
    }
    return n;
}

/* DETERMINE CONFIG: whether one of the ranges meets the threshold; the layer keeps that one. */
static bool determine_config(struct mapping *m, struct mapping_layer *l, const int *ranges,
                             uint8_t level, double threshold)
{
    uint8_t *before = malloc((size_t)l->weights);
    bool good = false;

    memcpy(before, l->level, (size_t)l->weights);
    for (int i = 0; i < RANGES && !good && ranges[i] != EVERY; i++) {
        mapping_set(l, ranges[i], level);
        good = m->execute(m->opaque, m->bias) >= threshold;
        if (!good)
            memcpy(l->level, before, (size_t)l->weights);
    }
    free(before);
    return good;
}

void mapping_weights(struct mapping *m, const struct significance *list, int approximate,
                     double threshold)
{
    static const int level2[RANGES] = {10, 5, 0}, level1[RANGES] = {30, 20, EVERY};

    for (int i = approximate; i < m->layers; i++)
        if (!determine_config(m, &m->layer[list[i].layer], level2, 2, threshold))
            break;
    for (int i = approximate; i < m->layers; i++)
        if (!determine_config(m, &m->layer[list[i].layer], level1, 1, threshold))
            break;
}

double mapping_gain(const struct mapping *m, const int generated[3])
{
    double all = 0, made = 0;

    for (int i = 0; i < m->layers; i++) {
        const struct mapping_layer *l = &m->layer[i];
        double each = (double)l->products / l->weights;

        for (int w = 0; w < l->weights; w++)
            made += each * generated[l->level[w]];
        all += (double)l->products * generated[0];
    }
    return 1 - made / all;
}
