/*
 * Algorithms 2 and 3 of seed 004, chapter 6: they choose the level at which each weight is
 * multiplied. They see a network only as layers of weights and a function that runs it.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stdint.h>

enum { MAPPING_LAYERS = 16 };

/* A layer's weights in eight bits, and the level of each. */
struct mapping_layer {
    const int8_t *weight;
    uint8_t *level;
    int weights;
    int64_t products; /* multiplications per input of the network */
};

struct mapping {
    struct mapping_layer layer[MAPPING_LAYERS];
    int layers;
    /* Runs the network with the current levels, with corrected biases or original ones. Returns the
     * accuracy. */
    double (*execute)(void *opaque, bool bias);
    void *opaque;
    bool bias; /* true: EXECUTEWBIAS, with corrected biases; false: EXECUTE */
};

struct significance {
    int layer;
    double value; /* equation 6.1 */
};

/* Sets the level of the weights of a layer that are still exact and lie within -range to range.
 * With range -1, sets the level of all weights. */
void mapping_set(struct mapping_layer *l, int range, uint8_t level);

/* LAYER SIGNIFICANCE: fills one element per layer, the least significant first. */
void mapping_significance(struct mapping *m, struct significance *list);

/* APPROXIMATE LAYER MAPPING: returns the number of layers, from the least significant on, whose
 * weights are all at level 2. */
int mapping_layers(struct mapping *m, const struct significance *list, double threshold);

/* INITIAL and FINE WEIGHT MAPPING of the remaining layers: sets ranges of weights to level 2, then
 * ranges of those that are still exact to level 1. */
void mapping_weights(struct mapping *m, const struct significance *list, int approximate,
                     double threshold);

/* Returns the fraction of partial products that are not generated, over all multiplications of an
 * input. generated[level]: number of the eight partial products that the level generates. */
double mapping_gain(const struct mapping *m, const int generated[3]);

#endif
