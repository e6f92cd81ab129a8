/*
 * Trains a network, maps its weights to the levels of an approximate multiplier, and runs the
 * mapped network on the simulated GPU. Prints one line per result, for scripts/approximate.
 *
 *     approximate MALI_RUN KERNEL FOLDER [EPOCHS [IMAGES]]
 */
#include "gpu.h"
#include "mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Partial products of eight that each level generates. */
static const int generated[LEVELS] = {8, 5, 3};
static const double drops[] = {0.005, 0.01, 0.02};

struct study {
    struct net net;
    struct image *trained, *tested;
    int images;
    struct mapping mapping;
    struct gpu_run gpu;
    struct significance list[MAPPING_LAYERS];
    double exact;
};

static double measure_accuracy(void *opaque, bool bias)
{
    struct study *s = opaque;

    for (int i = 0; i < CONVOLUTIONS; i++)
        net_correct(&s->net.layer[i], bias);
    return net_accuracy(&s->net, s->tested, s->images);
}

static void set_all(struct study *s, uint8_t level)
{
    for (int i = 0; i < CONVOLUTIONS; i++)
        memset(s->mapping.layer[i].level, level, (size_t)s->mapping.layer[i].weights);
}

/* Runs the mapping on the GPU, and prints its accuracy and products. False: mali-run failed. */
static bool show_mapping(struct study *s, const char *name, double drop)
{
    double accuracy = measure_accuracy(s, s->mapping.bias);
    struct gpu_run *g = &s->gpu;
    int right;

    memset(g->products, 0, sizeof(g->products));
    right = gpu_classify(g, &s->net, s->tested, s->images);
    if (right < 0)
        return false;
    printf("result %s %g %.6f %.6f %.6f %lld %lld %lld %d\n", name, drop, accuracy,
           (double)right / s->images, mapping_gain(&s->mapping, generated),
           (long long)g->products[0], (long long)g->products[1], (long long)g->products[2],
           g->differences);
    return true;
}

static void print_levels(const struct study *s)
{
    for (int i = 0; i < CONVOLUTIONS; i++) {
        const struct mapping_layer *l = &s->mapping.layer[i];
        int count[LEVELS] = {0};

        for (int w = 0; w < l->weights; w++)
            count[l->level[w]]++;
        printf("levels %d %d %d %d\n", i + 1, count[0], count[1], count[2]);
    }
}

/* Runs a method of table 6.1 for a permitted loss of accuracy. */
static bool map_by_method(struct study *s, const char *name, bool bias, bool fine, double drop)
{
    double threshold = s->exact - drop - 1e-9;
    int whole;

    set_all(s, 0);
    s->mapping.bias = bias;
    whole = mapping_layers(&s->mapping, s->list, threshold);
    if (fine)
        mapping_weights(&s->mapping, s->list, whole, threshold);
    if (!show_mapping(s, name, drop))
        return false;
    print_levels(s);
    return true;
}

/* Figure 6.3: each layer alone, and all layers together, at one level. */
static void show_layers(struct study *s)
{
    for (uint8_t level = 1; level < LEVELS; level++) {
        for (int i = 0; i <= CONVOLUTIONS; i++) {
            set_all(s, i == CONVOLUTIONS ? level : 0);
            if (i < CONVOLUTIONS)
                mapping_set(&s->mapping.layer[i], -1, level);
            printf("layer %d %d %.6f\n", i + 1, level, measure_accuracy(s, false));
        }
    }
}

static void prepare_study(struct study *s, int epochs)
{
    s->trained = calloc(TRAINED, sizeof(*s->trained));
    s->tested = calloc((size_t)s->images, sizeof(*s->tested));
    net_images(s->trained, TRAINED, 12345);
    net_images(s->tested, s->images, 777);
    net_init(&s->net, 99);
    net_train(&s->net, s->trained, TRAINED, epochs);
    net_quantise(&s->net, s->trained, CALIBRATED);
    s->mapping = (struct mapping){.layers = CONVOLUTIONS, .execute = measure_accuracy, .opaque = s};
    for (int i = 0; i < CONVOLUTIONS; i++) {
        struct layer *l = &s->net.layer[i];

        s->mapping.layer[i] = (struct mapping_layer){.weight = l->quantised,
                                                     .level = l->level,
                                                     .weights = l->out * l->taps,
                                                     .products = net_products(l)};
    }
}

static bool run_study(struct study *s)
{
    s->exact = measure_accuracy(s, false);
    if (!show_mapping(s, "exact", 0))
        return false;
    show_layers(s);
    mapping_significance(&s->mapping, s->list);
    for (int i = 0; i < CONVOLUTIONS; i++)
        printf("significance %d %.6f\n", s->list[i].layer + 1, s->list[i].value);
    for (unsigned d = 0; d < sizeof(drops) / sizeof(*drops); d++)
        if (!map_by_method(s, "layer-wise-with-bias", true, false, drops[d]) ||
            !map_by_method(s, "fine-without-bias", false, true, drops[d]) ||
            !map_by_method(s, "fine-with-bias", true, true, drops[d]))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static struct study s;
    bool good;

    if (argc < 4) {
        fprintf(stderr, "usage: approximate MALI_RUN KERNEL FOLDER [EPOCHS [IMAGES]]\n");
        return 2;
    }
    s.gpu = (struct gpu_run){.mali_run = argv[1], .kernel = argv[2], .folder = argv[3]};
    s.images = argc > 5 ? atoi(argv[5]) : TESTED;
    if (s.images < 1 || s.images > 10000)
        return 2;
    prepare_study(&s, argc > 4 ? atoi(argv[4]) : 6);
    good = run_study(&s);
    net_free(&s.net);
    free(s.trained);
    free(s.tested);
    return good ? 0 : 1;
}
