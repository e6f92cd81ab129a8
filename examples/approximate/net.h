/* A small network of convolutions: made data, training in floating point, 8-bit inference. */
#ifndef NET_H
#define NET_H

#include <stdint.h>

enum {
    SIDE = 12, /* of an image */
    CLASSES = 10,
    LAYERS = 5, /* the last one is the classifier, which stays exact */
    CONVOLUTIONS = LAYERS - 1,
    LEVELS = 3,
    TRAINED = 3000,   /* images to train with */
    CALIBRATED = 200, /* number of these that determine scales and mean errors */
    TESTED = 400,
    MOST = 10 * 10 * 8, /* largest number of values between two layers */
};

struct image {
    uint8_t pixel[SIDE * SIDE];
    int label;
};

struct layer {
    int in, side, out, kernel, stride, result; /* channels and sides, of the input and the output */
    int taps;                                  /* weights of a filter */
    int *reach;                                /* of each tap, from an output's first place */
    float *weight, *bias;                      /* out * taps; out */
    int8_t *quantised;
    uint8_t *level;  /* level of each weight: 0 (exact), 1 or 2 */
    int32_t *offset; /* the bias in units of a product */
    int32_t *fix;    /* correction that a mapping adds to `offset` */
    float scale;     /* from a sum of products to the fraction of the largest output */
    float *error;    /* LEVELS * taps: mean reduction of each tap's input by a level */
};

struct net {
    struct layer layer[LAYERS];
};

/* Makes `count` images with labels in turn, from the seed. */
void net_images(struct image *images, int count, uint64_t seed);

/* Sets the shapes, and random weights that depend on the seed only. net_free() releases it. */
void net_init(struct net *n, uint64_t seed);
void net_free(struct net *n);
void net_train(struct net *n, const struct image *images, int count, int epochs);
/* Weights in 8 bits; scales and mean errors from the images. All levels are 0. */
void net_quantise(struct net *n, const struct image *images, int count);

/* Returns the second factor as the multiplier of a level uses it. */
extern uint32_t net_factor[LEVELS][256];

/* Sets the biases of a layer to those corrected for its levels, or to the original ones. */
void net_correct(struct layer *l, int corrected);
/* Computes the outputs of a layer: 0 to 255, or for the classifier the sums. */
void net_layer(const struct layer *l, const uint8_t *in, uint8_t *out, int32_t *sums);
int net_classify(const struct net *n, const struct image *image);
double net_accuracy(const struct net *n, const struct image *images, int count);
/* Returns the index of the first input value that an output reads. */
static inline int net_place(const struct layer *l, int output)
{
    return (output / l->result * l->side + output % l->result) * l->stride;
}

int64_t net_products(const struct layer *l); /* multiplications per image */

#endif
