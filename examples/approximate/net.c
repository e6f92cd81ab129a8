/* Data, training and inference. The multiplier is modelled by its partial products. */
#include "net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t net_factor[LEVELS][256];

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t draw_u64(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static float draw_uniform(uint64_t *seed)
{
    return (float)(draw_u64(seed) >> 40) / (1 << 24);
}

static float draw_normal(uint64_t *seed)
{
    float sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw_uniform(seed);
    return sum;
}

/* ---- data: digits of five by seven dots, moved, sheared, stretched, noisy -------------------- */

static const char *const glyphs[CLASSES] = {
    ".###.#...##..###.#.###..##...#.###.", "..#...##....#....#....#....#...###.",
    ".###.#...#....#...#...#...#...#####", "#####...#...#.....#....##...#.###..",
    "...#...##..#.#.#..#.#####...#....#.", "######....####.....#....##...#.###.",
    "..##..#...#....####.#...##...#.###.", "#####....#...#...#...#....#....#...",
    ".###.#...##...#.###.#...##...#.###.", ".###.#...##...#.####....#...#..##..",
};

static float is_dot(int digit, int x, int y)
{
    return x >= 0 && x < 5 && y >= 0 && y < 7 && glyphs[digit][y * 5 + x] == '#';
}

/* Interpolates the glyph between its dots. */
static float interpolate_glyph(int digit, float x, float y)
{
    int i = (int)floorf(x), j = (int)floorf(y);
    float u = x - (float)i, v = y - (float)j;

    return (is_dot(digit, i, j) * (1 - u) + is_dot(digit, i + 1, j) * u) * (1 - v) +
           (is_dot(digit, i, j + 1) * (1 - u) + is_dot(digit, i + 1, j + 1) * u) * v;
}

static void draw_image(struct image *image, uint64_t *seed)
{
    float left = 3.5f + 2.4f * (draw_uniform(seed) - .5f),
          top = 2.5f + 2.4f * (draw_uniform(seed) - .5f);
    float shear = .5f * (draw_uniform(seed) - .5f), size = .8f + .4f * draw_uniform(seed);
    float ink = 110 + 110 * draw_uniform(seed);

    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            float v = ((float)y - top) / size;
            float grey = ink * interpolate_glyph(image->label,
                                                 ((float)x - left) / size + shear * (v - 3), v);

            grey += 34 * fabsf(draw_normal(seed));
            image->pixel[y * SIDE + x] = (uint8_t)(grey > 255 ? 255 : grey);
        }
    }
}

void net_images(struct image *images, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        images[i].label = i % CLASSES;
        draw_image(&images[i], &seed);
    }
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Returns the factor that results if the partial products below z of the eight are not
 * generated. */
static void init_factors(void)
{
    static const int removed[LEVELS] = {0, 3, 5};

    for (int level = 0; level < LEVELS; level++) {
        for (unsigned x = 0; x < 256; x++) {
            net_factor[level][x] = 0;
            for (int bit = removed[level]; bit < 8; bit++)
                net_factor[level][x] += (x >> bit & 1) << bit;
        }
    }
}

void net_init(struct net *n, uint64_t seed)
{
    static const int shapes[LAYERS][4] = {/* output channels, kernel, stride, side of the input */
                                          {8, 3, 1, 12},
                                          {8, 3, 1, 10},
                                          {16, 3, 2, 8},
                                          {24, 3, 1, 3},
                                          {CLASSES, 1, 1, 1}};
    int in = 1;

    init_factors();
    for (int i = 0; i < LAYERS; i++) {
        struct layer *l = &n->layer[i];
        const int *s = shapes[i];

        *l = (struct layer){.in = in, .side = s[3], .out = s[0], .kernel = s[1], .stride = s[2]};
        l->result = (l->side - l->kernel) / l->stride + 1;
        l->taps = in * l->kernel * l->kernel;
        l->reach = calloc((size_t)l->taps, sizeof(int));
        for (int t = 0; t < l->taps; t++)
            l->reach[t] = (t / (s[1] * s[1]) * s[3] + t / s[1] % s[1]) * s[3] + t % s[1];
        l->weight = calloc((size_t)(l->out * l->taps), sizeof(float));
        l->bias = calloc((size_t)l->out, sizeof(float));
        l->quantised = calloc((size_t)(l->out * l->taps), 1);
        l->level = calloc((size_t)(l->out * l->taps), 1);
        l->offset = calloc((size_t)l->out, sizeof(int32_t));
        l->fix = calloc((size_t)l->out, sizeof(int32_t));
        l->error = calloc((size_t)(LEVELS * l->taps), sizeof(float));
        for (int w = 0; w < l->out * l->taps; w++)
            l->weight[w] = draw_normal(&seed) * sqrtf(2.0f / (float)l->taps);
        in = l->out;
    }
}

void net_free(struct net *n)
{
    for (int i = 0; i < LAYERS; i++) {
        struct layer *l = &n->layer[i];

        free(l->reach);
        free(l->weight);
        free(l->bias);
        free(l->quantised);
        free(l->level);
        free(l->offset);
        free(l->fix);
        free(l->error);
    }
}

int64_t net_products(const struct layer *l)
{
    return (int64_t)l->out * l->taps * l->result * l->result;
}

/* ---- training -------------------------------------------------------------------------------- */

static void forward_layer(const struct layer *l, const float *in, float *out, int last)
{
    int area = l->result * l->result;

    for (int o = 0; o < l->out; o++) {
        for (int p = 0; p < area; p++) {
            float sum = l->bias[o];

            for (int t = 0; t < l->taps; t++)
                sum += l->weight[o * l->taps + t] * in[net_place(l, p) + l->reach[t]];
            out[o * area + p] = last || sum > 0 ? sum : 0;
        }
    }
}

/* Adds the gradients of the layer to `dw` and `db`; `din` becomes that of its input. */
static void backward_layer(const struct layer *l, const float *in, const float *dout, float *din,
                           float *dw, float *db)
{
    int area = l->result * l->result;

    memset(din, 0, (size_t)(l->in * l->side * l->side) * sizeof(*din));
    for (int o = 0; o < l->out; o++) {
        for (int p = 0; p < area; p++) {
            float d = dout[o * area + p];

            if (d == 0)
                continue;
            db[o] += d;
            for (int t = 0; t < l->taps; t++) {
                int place = net_place(l, p) + l->reach[t];

                dw[o * l->taps + t] += d * in[place];
                din[place] += d * l->weight[o * l->taps + t];
            }
        }
    }
}

static void to_floats(const struct image *image, float *out)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        out[i] = (float)image->pixel[i] / 255;
}

static void forward_all(const struct net *n, float value[LAYERS + 1][MOST])
{
    for (int i = 0; i < LAYERS; i++)
        forward_layer(&n->layer[i], value[i], value[i + 1], i == LAYERS - 1);
}

/* The gradient of the cross entropy of the softmax. */
static void loss_gradient(const float *value, int label, float *d)
{
    float most = value[0], sum = 0;

    for (int c = 1; c < CLASSES; c++)
        most = fmaxf(most, value[c]);
    for (int c = 0; c < CLASSES; c++)
        sum += d[c] = expf(value[c] - most);
    for (int c = 0; c < CLASSES; c++)
        d[c] = d[c] / sum - (c == label);
}

static void learn_image(struct net *n, const struct image *image, float *gradient[LAYERS][2])
{
    static float value[LAYERS + 1][MOST], d[2][MOST];

    to_floats(image, value[0]);
    forward_all(n, value);
    loss_gradient(value[LAYERS], image->label, d[LAYERS & 1]);
    for (int i = LAYERS; i-- > 0;) {
        float *out = d[(i + 1) & 1], *in = d[i & 1];

        backward_layer(&n->layer[i], value[i], out, in, gradient[i][0], gradient[i][1]);
        for (int v = 0; i && v < n->layer[i].in * n->layer[i].side * n->layer[i].side; v++)
            in[v] = value[i][v] > 0 ? in[v] : 0;
    }
}

static void step_weights(float *value, float *gradient, int count, float rate)
{
    for (int i = 0; i < count; i++) {
        value[i] -= rate * gradient[i];
        gradient[i] *= .9f; /* momentum */
    }
}

void net_train(struct net *n, const struct image *images, int count, int epochs)
{
    enum { BATCH = 10 };
    float *gradient[LAYERS][2];

    for (int i = 0; i < LAYERS; i++) {
        gradient[i][0] = calloc((size_t)(n->layer[i].out * n->layer[i].taps), sizeof(float));
        gradient[i][1] = calloc((size_t)n->layer[i].out, sizeof(float));
    }
    for (int k = 0; k < epochs * count; k++) {
        float rate = .0012f * (1 - (float)k / (float)(epochs * count));

        learn_image(n, &images[k % count], gradient);
        for (int i = 0; k % BATCH == BATCH - 1 && i < LAYERS; i++) {
            step_weights(n->layer[i].weight, gradient[i][0], n->layer[i].out * n->layer[i].taps,
                         rate);
            step_weights(n->layer[i].bias, gradient[i][1], n->layer[i].out, rate);
        }
    }
    for (int i = 0; i < LAYERS; i++) {
        free(gradient[i][0]);
        free(gradient[i][1]);
    }
}

/* ---- eight bits ------------------------------------------------------------------------------ */

static float largest_magnitude(const float *value, int count)
{
    float most = 1e-6f;

    for (int i = 0; i < count; i++)
        most = fmaxf(most, fabsf(value[i]));
    return most;
}

/* Adds to the mean errors of a layer's taps by its input. */
static void add_errors(struct layer *l, const uint8_t *in, int images)
{
    int area = l->result * l->result;

    for (int t = 0; t < l->taps; t++) {
        for (int p = 0; p < area; p++) {
            uint8_t x = in[net_place(l, p) + l->reach[t]];

            for (int level = 0; level < LEVELS; level++)
                l->error[level * l->taps + t] +=
                    (float)(x - net_factor[level][x]) / (float)(area * images);
        }
    }
}

void net_quantise(struct net *n, const struct image *images, int count)
{
    static float value[LAYERS + 1][MOST];
    static uint8_t bytes[LAYERS + 1][MOST];
    float most[LAYERS + 1] = {1}, before = 1;

    for (int k = 0; k < count; k++) {
        to_floats(&images[k], value[0]);
        forward_all(n, value);
        for (int i = 1; i <= LAYERS; i++)
            most[i] = fmaxf(most[i], largest_magnitude(value[i], i < LAYERS ? MOST / 8 : CLASSES));
    }
    for (int i = 0; i < LAYERS; i++) {
        struct layer *l = &n->layer[i];
        float unit = largest_magnitude(l->weight, l->out * l->taps) / 127,
              product = unit * before / 255;

        for (int w = 0; w < l->out * l->taps; w++)
            l->quantised[w] = (int8_t)lrintf(l->weight[w] / unit);
        for (int o = 0; o < l->out; o++)
            l->offset[o] = (int32_t)lrintf(l->bias[o] / product);
        l->scale = product / most[i + 1];
        before = most[i + 1];
    }
    for (int k = 0; k < count; k++) {
        memcpy(bytes[0], images[k].pixel, SIDE * SIDE);
        for (int i = 0; i < CONVOLUTIONS; i++) {
            add_errors(&n->layer[i], bytes[i], count);
            net_layer(&n->layer[i], bytes[i], bytes[i + 1], NULL);
        }
    }
}

void net_correct(struct layer *l, int corrected)
{
    for (int o = 0; o < l->out; o++) {
        float lost = 0;

        for (int t = 0; t < l->taps; t++) {
            int w = o * l->taps + t;

            lost += (float)l->quantised[w] * l->error[l->level[w] * l->taps + t];
        }
        l->fix[o] = corrected ? (int32_t)lrintf(lost) : 0;
    }
}

void net_layer(const struct layer *l, const uint8_t *in, uint8_t *out, int32_t *sums)
{
    int area = l->result * l->result;

    for (int o = 0; o < l->out; o++) {
        for (int p = 0; p < area; p++) {
            int32_t sum = l->offset[o] + l->fix[o];
            const uint8_t *from = in + net_place(l, p);
            float part;

            for (int t = 0; t < l->taps; t++) {
                int w = o * l->taps + t;

                sum += l->quantised[w] * (int32_t)net_factor[l->level[w]][from[l->reach[t]]];
            }
            if (sums)
                sums[o * area + p] = sum;
            part = fminf(fmaxf((float)sum * l->scale, 0), 1);
            out[o * area + p] = (uint8_t)(part * 255);
        }
    }
}

int net_classify(const struct net *n, const struct image *image)
{
    static uint8_t bytes[LAYERS + 1][MOST];
    static int32_t sums[MOST];
    int best = 0;

    memcpy(bytes[0], image->pixel, SIDE * SIDE);
    for (int i = 0; i < LAYERS; i++)
        net_layer(&n->layer[i], bytes[i], bytes[i + 1], sums);
    for (int c = 1; c < CLASSES; c++)
        if (sums[c] > sums[best])
            best = c;
    return best;
}

double net_accuracy(const struct net *n, const struct image *images, int count)
{
    int right = 0;

    for (int i = 0; i < count; i++)
        right += net_classify(n, &images[i]) == images[i].label;
    return (double)right / count;
}
