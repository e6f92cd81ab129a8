/*
 * Algorithms 2 and 3 of seed 004, chapter 6: which weights of a network are multiplied how. They
 * know a network only by its layers of weights and by a function that runs it.
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
    int64_t products; /* multiplications for an input */
};

struct mapping {
    struct mapping_layer layer[MAPPING_LAYERS];
    int layers;
    /* Runs the network as its levels are, with biases that make up for them or without; returns the
     * accuracy. */
    double (*execute)(void *opaque, bool bias);
    void *opaque;
    bool bias; /* EXECUTEWBIAS has its bias; else it is EXECUTE */
};

struct significance {
    int layer;
    double value; /* equation 6.1 */
};

/* Sets the level of a layer's weights from -range to range that are still exact; -1: of all. */
void mapping_set(struct mapping_layer *l, int range, uint8_t level);

/* LAYER SIGNIFICANCE: fills one element per layer, the least significant first. */
void mapping_significance(struct mapping *m, struct significance *list);

/* APPROXIMATE LAYER MAPPING: how many layers, from the least significant on, are at level 2 as a
 * whole. */
int mapping_layers(struct mapping *m, const struct significance *list, double threshold);

/* INITIAL and FINE WEIGHT MAPPING of the layers behind those: ranges of weights to level 2, then of
 * what is still exact to level 1. */
void mapping_weights(struct mapping *m, const struct significance *list, int approximate,
                     double threshold);

/* The share of partial products that are not generated, of all multiplications of an input;
 * generated[level]: of eight. */
double mapping_gain(const struct mapping *m, const int generated[3]);

#endif
