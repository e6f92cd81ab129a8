/* Writes weights as lists by level, launches mali-run per layer, and reads the results. */
#include "gpu.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { GROUP = 64, PAIR = 8, HEADER = 16 };

extern char **environ;

/* A value of a layer, and the sum from which it was computed. */
struct pair {
    uint32_t value;
    int32_t sum;
};

static void path_of(const struct gpu_run *g, const char *name, char *path)
{
    snprintf(path, 512, "%s/%s", g->folder, name);
}

static int write_file(const struct gpu_run *g, const char *name, const void *bytes, size_t size)
{
    char path[512];
    FILE *f;
    int good;

    path_of(g, name, path);
    f = fopen(path, "wb");
    if (!f)
        return 0;
    good = fwrite(bytes, 1, size, f) == size;
    return !fclose(f) && good;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int list_bytes(const struct layer *l)
{
    return (HEADER + 4 * l->taps + HEADER - 1) / HEADER * HEADER;
}

/* A filter's list: its weights in the order of their levels. */
static void fill_list(const struct layer *l, int o, uint32_t *list)
{
    uint32_t *at = list + HEADER / 4;

    list[0] = (uint32_t)(l->offset[o] + l->fix[o]);
    for (int level = 0; level < LEVELS; level++) {
        uint32_t *first = at;

        for (int t = 0; t < l->taps; t++)
            if (l->level[o * l->taps + t] == level)
                *at++ = (uint32_t)(uint8_t)l->quantised[o * l->taps + t] << 24 |
                        (uint32_t)l->reach[t] * PAIR;
        list[1 + level] = (uint32_t)(at - first);
    }
}

static int write_lists(const struct gpu_run *g, const struct layer *l)
{
    int bytes = list_bytes(l), good;
    uint32_t *lists = calloc((size_t)l->out, (size_t)bytes);

    for (int o = 0; o < l->out; o++)
        fill_list(l, o, lists + o * bytes / 4);
    good = write_file(g, "lists", lists, (size_t)(l->out * bytes));
    free(lists);
    return good;
}

/* Start offsets of each thread. Threads that pad the last group repeat the work of the first
 * thread. */
static int write_places(const struct gpu_run *g, const struct layer *l, int images, int threads)
{
    uint32_t(*place)[2] = calloc((size_t)threads, sizeof(*place));
    int area = l->result * l->result, each = l->out * area, good;

    for (int i = 0; i < images * each; i++) {
        place[i][0] =
            (uint32_t)(i / each * l->in * l->side * l->side + net_place(l, i % area)) * PAIR;
        place[i][1] = (uint32_t)(i % each / area * list_bytes(l));
    }
    good = write_file(g, "places", place, (size_t)threads * sizeof(*place));
    free(place);
    return good;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Runs the kernel over `threads` threads: buffers in, places, lists to out. */
static int launch_kernel(const struct gpu_run *g, const struct layer *l, int threads)
{
    char global[32], zero[32], in[600], places[600], lists[600], scale[32], dump[600], stats[600];
    uint32_t bits;
    pid_t child;
    int status;

    memcpy(&bits, &l->scale, sizeof(bits));
    snprintf(global, sizeof(global), "%d", threads);
    snprintf(zero, sizeof(zero), "zero:%d", threads * PAIR);
    snprintf(in, sizeof(in), "buffer=%s/in", g->folder);
    snprintf(places, sizeof(places), "buffer=%s/places", g->folder);
    snprintf(lists, sizeof(lists), "buffer=%s/lists", g->folder);
    snprintf(scale, sizeof(scale), "u32:%" PRIu32, bits);
    snprintf(dump, sizeof(dump), "0=%s/out", g->folder);
    snprintf(stats, sizeof(stats), "%s/stats", g->folder);
    const char *const words[] = {
        g->mali_run, "-kernel", g->kernel, "-gpu",  "g72approx", "-global", global, "-local",
        "64",        "-arg",    zero,      "-arg",  in,          "-arg",    places, "-arg",
        lists,       "-arg",    scale,     "-dump", dump,        "-stats",  stats,  NULL};
    if (posix_spawn(&child, g->mali_run, NULL, NULL, (char *const *)words, environ))
        return 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Adds the executions of each level that mali-run counted. */
static int count_levels(struct gpu_run *g)
{
    char path[512], line[256];
    FILE *f;

    path_of(g, "stats/gpu_instructions.txt", path);
    f = fopen(path, "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof(line), f) && strncmp(line, "shader", 6)) {
        int level;
        int64_t n;

        if (sscanf(line, " bifrost_fma/IMUL_APPROX_lvl%d %" SCNd64, &level, &n) == 2 &&
            level >= 0 && level < LEVELS)
            g->products[level] += n;
    }
    fclose(f);
    return 1;
}

static int read_pairs(const struct gpu_run *g, struct pair *pairs, size_t count)
{
    char path[512];
    FILE *f;
    size_t got;

    path_of(g, "out", path);
    f = fopen(path, "rb");
    if (!f)
        return 0;
    got = fread(pairs, sizeof(*pairs), count, f);
    fclose(f);
    return got == count;
}

/* Computes a layer for all images. `values` holds its inputs and receives its outputs. */
static int run_layer(struct gpu_run *g, const struct layer *l, struct pair *values, int images)
{
    int area = l->result * l->result, inputs = images * l->in * l->side * l->side;
    int outputs = images * l->out * area, threads = (outputs + GROUP - 1) / GROUP * GROUP;
    int64_t before[LEVELS];

    memcpy(before, g->products, sizeof(before));
    if (!write_file(g, "in", values, (size_t)inputs * sizeof(*values)) || !write_lists(g, l) ||
        !write_places(g, l, images, threads) || !launch_kernel(g, l, threads) ||
        !read_pairs(g, values, (size_t)outputs) || !count_levels(g))
        return 0;
    /* The work of the threads that pad the last group is subtracted. */
    for (int t = 0; t < l->taps; t++)
        g->products[l->level[t]] -= threads - outputs;
    if (l->result == 1 && l->kernel == 1)
        memcpy(g->products, before, sizeof(before));
    return 1;
}

static int compare_layer(const struct layer *l, const struct pair *got, const uint8_t *in,
                         uint8_t *out)
{
    static int32_t sums[MOST];
    int wrong = 0;

    net_layer(l, in, out, sums);
    for (int v = 0; v < l->out * l->result * l->result; v++)
        wrong += got[v].value != out[v] || got[v].sum != sums[v];
    return wrong;
}

/* ---- the network ----------------------------------------------------------------------------- */

int gpu_classify(struct gpu_run *g, const struct net *n, const struct image *images, int count)
{
    struct pair *values = calloc((size_t)count * MOST + GROUP, sizeof(*values));
    uint8_t *bytes = calloc((size_t)count, 2 * MOST);
    int right = 0;

    for (int k = 0; k < count; k++) {
        for (int i = 0; i < SIDE * SIDE; i++)
            values[k * SIDE * SIDE + i].value = bytes[2 * MOST * k + i] = images[k].pixel[i];
    }
    for (int i = 0; i < LAYERS && right >= 0; i++) {
        const struct layer *l = &n->layer[i];
        int each = l->out * l->result * l->result;

        if (!run_layer(g, l, values, count))
            right = -1;
        for (int k = 0; k < count && right >= 0; k++) {
            uint8_t *own = bytes + 2 * MOST * k;

            g->differences +=
                compare_layer(l, values + k * each, own + MOST * (i & 1), own + MOST * (~i & 1));
        }
    }
    for (int k = 0; k < count && right >= 0; k++) {
        const struct pair *v = values + k * CLASSES;
        int best = 0;

        for (int c = 1; c < CLASSES; c++)
            best = v[c].sum > v[best].sum ? c : best;
        right += best == images[k].label;
    }
    free(values);
    free(bytes);
    return right;
}
