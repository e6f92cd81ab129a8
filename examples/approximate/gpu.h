/* The network on the simulated GPU: a launch of mali-run per layer. */
#ifndef GPU_H
#define GPU_H

#include "net.h"

struct gpu_run {
    const char *mali_run, *kernel, *folder; /* program, assembled conv.s, folder for files */
    int64_t products[LEVELS]; /* multiplications per level, without the classifier's */
    int differences;          /* values that differ from net_layer()'s */
};

/* Returns the number of correctly classified images; -1: mali-run failed. */
int gpu_classify(struct gpu_run *g, const struct net *n, const struct image *images, int count);

#endif
