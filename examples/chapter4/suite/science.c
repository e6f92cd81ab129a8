/* The suite's programs of science: networks, graphs, molecules, grids. */
#include "suite.h"

#include <math.h>
#include <string.h>

enum { HIDDEN = 16 };

/* The hidden nodes' deltas for a target of the only output node, whose weights are all 0.1. */
static void compute_deltas(const float *sums, float *delta)
{
    float hidden[HIDDEN], out = 0, error;

    for (int j = 0; j < HIDDEN; j++) {
        hidden[j] = 1 / (1 + expf(-sums[j]));
        out += 0.1f * hidden[j];
    }
    out = 1 / (1 + expf(-out));
    error = out * (1 - out) * (0.1f - out);
    for (int j = 0; j < HIDDEN; j++)
        delta[j] = hidden[j] * (1 - hidden[j]) * error * 0.1f;
}

size_t back_propagation(struct suite *s, unsigned n)
{
    size_t count = (size_t)n * HIDDEN, groups = n / HIDDEN, wrong;
    float *inputs = suite_floats(s, n), *weights = suite_floats(s, count),
          *changes = suite_floats(s, count), *partial, *got;
    float sums[HIDDEN] = {0}, wanted_sums[HIDDEN] = {0}, delta[HIDDEN];
    cl_mem in, w, c, p = suite_buffer(s, NULL, 4 * groups * HIDDEN), d;

    for (size_t i = 0; i < count; i++) {
        weights[i] = (weights[i] - 0.5f) / (float)n;
        changes[i] -= 0.5f;
        wanted_sums[i % HIDDEN] += weights[i] * inputs[i / HIDDEN];
    }
    in = suite_buffer(s, inputs, 4 * n), w = suite_buffer(s, weights, 4 * count),
    c = suite_buffer(s, changes, 4 * count);
    RUN(s, "layer_forward", plane(HIDDEN, n, HIDDEN, HIDDEN), BUFFER(in), BUFFER(w), BUFFER(p));
    partial = suite_take(s, p, 4 * groups * HIDDEN);
    for (size_t i = 0; i < groups * HIDDEN; i++)
        sums[i % HIDDEN] += partial[i];
    wrong = wrong_floats(sums, wanted_sums, HIDDEN, 1e-4f);
    compute_deltas(sums, delta);
    d = suite_buffer(s, delta, sizeof(delta));
    RUN(s, "adjust_weights", plane(HIDDEN, n, HIDDEN, HIDDEN), BUFFER(d), BUFFER(in), BUFFER(w),
        BUFFER(c));
    for (size_t i = 0; i < count; i++)
        weights[i] += 0.3f * delta[i % HIDDEN] * inputs[i / HIDDEN] + 0.3f * changes[i];
    got = suite_take(s, w, 4 * count);
    wrong += wrong_floats(got, weights, count, 1e-5f);
    clReleaseMemObject(in), clReleaseMemObject(c), clReleaseMemObject(d);
    free(inputs), free(weights), free(changes), free(partial), free(got);
    return wrong;
}

/* A graph in place of Parboil's, whose data is not to be had: a node, and behind it rows of a
 * strip, so many that the search takes as many steps as the thesis has jobs. A node knows up to two
 * of the next row, its neighbour, and one of the row before. */
struct graph {
    uint32_t n, wide, *nodes, *edges, count;
};

static void connect_nodes(struct graph *g, uint32_t from, uint32_t to)
{
    if (to < g->n && to != from) {
        g->edges[g->count++] = to;
        g->nodes[2 * from + 1]++;
    }
}

static struct graph make_strip(struct suite *s, uint32_t n)
{
    struct graph g = {.n = n, .wide = n > 100000 ? (n - 1 + 1001) / 1002 : 50};
    uint32_t *random = suite_words(s, n);

    g.nodes = suite_memory(8 * (size_t)n);
    g.edges = suite_memory(4 * (4 * (size_t)n + g.wide));
    for (uint32_t k = 0; k < g.wide; k++)
        connect_nodes(&g, 0, 1 + k);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = (i - 1) % g.wide;

        g.nodes[2 * i] = g.count;
        connect_nodes(&g, i, i + g.wide);
        if (random[i] & 1)
            connect_nodes(&g, i, i - x + (x + random[i] / 2 % 9) % g.wide + g.wide);
        connect_nodes(&g, i, x + 1 < g.wide ? i + 1 : i);
        connect_nodes(&g, i, i > g.wide ? i - g.wide : 0);
    }
    free(random);
    return g;
}

/* By a queue. */
static void search_breadth_first(const struct graph *g, int32_t *cost)
{
    uint32_t *queue = suite_memory(4 * (size_t)g->n), end = 1;

    memset(cost, 0xff, 4 * (size_t)g->n);
    cost[0] = 0;
    for (uint32_t at = 0; at < end; at++) {
        uint32_t i = queue[at];

        for (uint32_t k = 0; k < g->nodes[2 * i + 1]; k++) {
            uint32_t to = g->edges[g->nodes[2 * i] + k];

            if (cost[to] < 0) {
                cost[to] = cost[i] + 1;
                queue[end++] = to;
            }
        }
    }
    free(queue);
}

size_t breadth_first_search(struct suite *s, unsigned n)
{
    struct graph g = make_strip(s, n);
    size_t bytes = 4 * (size_t)n, wrong;
    int32_t *wanted = suite_memory(bytes), *got = suite_memory(bytes), level = 0;
    uint32_t zero = 0, count = 1;
    cl_mem front = suite_buffer(s, NULL, bytes), next = suite_buffer(s, NULL, bytes),
           tail = suite_buffer(s, NULL, 4);
    cl_mem nodes = suite_buffer(s, g.nodes, 2 * bytes),
           edges = suite_buffer(s, g.edges, 4 * (size_t)g.count), cost;

    memset(got, 0xff, bytes);
    got[0] = 0;
    cost = suite_buffer(s, got, bytes);
    while (count) {
        cl_mem other = front;

        suite_write(s, tail, &zero, 4);
        RUN(s, "breadth_first_search", line((count + 127) / 128 * 128, 128), BUFFER(front),
            INT(count), BUFFER(next), BUFFER(tail), BUFFER(nodes), BUFFER(edges), BUFFER(cost),
            INT(++level));
        suite_read(s, tail, &count, 4);
        front = next, next = other;
    }
    search_breadth_first(&g, wanted);
    suite_read(s, cost, got, bytes);
    wrong = wrong_words((uint32_t *)got, (uint32_t *)wanted, n);
    clReleaseMemObject(front), clReleaseMemObject(next), clReleaseMemObject(tail);
    clReleaseMemObject(nodes), clReleaseMemObject(edges), clReleaseMemObject(cost);
    free(g.nodes), free(g.edges), free(wanted), free(got);
    return wrong;
}

size_t cutoff_potential(struct suite *s, unsigned n)
{
    enum { SIDE = 32 };
    const float spacing = 0.5f, cutoff = 12;
    float *atoms = suite_floats(s, 4 * n), *wanted = suite_memory(4 * SIDE * SIDE * SIDE), *got;
    struct range range = {3, {SIDE, SIDE, SIDE}, {16, 8, 1}};
    cl_mem from, to = suite_buffer(s, NULL, 4 * SIDE * SIDE * SIDE);
    size_t wrong;

    for (unsigned i = 0; i < 4 * n; i++)
        atoms[i] = i % 4 == 3 ? 2 * atoms[i] - 1 : atoms[i] * SIDE * spacing;
    from = suite_buffer(s, atoms, 16 * n);
    RUN(s, "cutoff_potential", range, BUFFER(from), BUFFER(to), INT(n), FLOAT(spacing),
        FLOAT(cutoff));
    for (unsigned i = 0; i < SIDE * SIDE * SIDE; i++)
        for (unsigned k = 0; k < n; k++) {
            float dx = atoms[4 * k] - spacing * (float)(i % SIDE),
                  dy = atoms[4 * k + 1] - spacing * (float)(i / SIDE % SIDE);
            float dz = atoms[4 * k + 2] - spacing * (float)(i / SIDE / SIDE),
                  square = dx * dx + dy * dy + dz * dz;
            float smooth = 1 - square / (cutoff * cutoff);

            if (square < cutoff * cutoff)
                wanted[i] += atoms[4 * k + 3] / sqrtf(square) * smooth * smooth;
        }
    got = suite_take(s, to, 4 * SIDE * SIDE * SIDE);
    wrong = wrong_floats(got, wanted, SIDE * SIDE * SIDE, 1e-3f);
    clReleaseMemObject(from);
    free(atoms), free(wanted), free(got);
    return wrong;
}

/* The five nearest of n hurricanes to 30 degrees of latitude and 90 of longitude. */
size_t nearest_neighbor(struct suite *s, unsigned n)
{
    float *records = suite_floats(s, 2 * n), *wanted = suite_memory(4 * n), *got, nearest[5];
    cl_mem from, to = suite_buffer(s, NULL, 4 * n);
    size_t wrong;

    for (unsigned i = 0; i < n; i++) {
        records[2 * i] = 7 + 63 * records[2 * i];
        records[2 * i + 1] *= 359;
        wanted[i] = hypotf(30 - records[2 * i], 90 - records[2 * i + 1]);
    }
    from = suite_buffer(s, records, 8 * n);
    RUN(s, "nearest_neighbor", line((n + 255) / 256 * 256, 256), BUFFER(from), BUFFER(to), INT(n),
        FLOAT(30), FLOAT(90));
    got = suite_take(s, to, 4 * n);
    wrong = wrong_floats(got, wanted, n, 1e-5f);
    for (int k = 0; k < 5; k++) {
        unsigned best = 0;

        for (unsigned i = 0; i < n; i++)
            best = got[i] < got[best] ? i : best;
        nearest[k] = got[best];
        got[best] = INFINITY;
        wrong += k && nearest[k] < nearest[k - 1];
    }
    clReleaseMemObject(from);
    free(records), free(wanted), free(got);
    return wrong;
}

/* n rows with 2596 values for 1138, most rows short. */
size_t sparse_product(struct suite *s, unsigned n)
{
    enum { LONGEST = 17 };
    unsigned left = n * 2596 / 1138 - n, total = 0;
    int *lengths = suite_memory(4 * n), *rows = suite_memory(4 * n),
        *columns = suite_memory(4 * LONGEST * n), starts[LONGEST] = {0};
    float *values = suite_floats(s, LONGEST * n), *x = suite_floats(s, n),
          *wanted = suite_memory(4 * n), *got;
    cl_mem v, c, b, l, r, in, out = suite_buffer(s, NULL, 4 * n);
    uint32_t *random = suite_words(s, LONGEST * n);
    size_t wrong;

    for (unsigned i = 0; i < n; i++) {
        unsigned more = LONGEST - 1 - i * 64 / n < LONGEST ? LONGEST - 1 - i * 64 / n : 1;

        more = more < left ? more : left;
        lengths[i] = (int)(1 + more);
        left -= more;
        rows[i] = (int)((i * 7919ull + 3) % n);
    }
    for (int k = 0; k < LONGEST; k++) {
        starts[k] = (int)total;
        for (unsigned i = 0; i < n && lengths[i] > k; i++, total++) {
            columns[total] = (int)(random[total] % n);
            wanted[rows[i]] += values[total] * x[columns[total]];
        }
    }
    v = suite_buffer(s, values, 4 * total), c = suite_buffer(s, columns, 4 * total),
    b = suite_buffer(s, starts, sizeof(starts));
    l = suite_buffer(s, lengths, 4 * n), r = suite_buffer(s, rows, 4 * n),
    in = suite_buffer(s, x, 4 * n);
    RUN(s, "sparse_product", line((n + 63) / 64 * 64, 64), BUFFER(v), BUFFER(c), BUFFER(b),
        BUFFER(l), BUFFER(r), BUFFER(in), BUFFER(out), INT(n));
    got = suite_take(s, out, 4 * n);
    wrong = wrong_floats(got, wanted, n, 1e-4f);
    clReleaseMemObject(v), clReleaseMemObject(c), clReleaseMemObject(b), clReleaseMemObject(l),
        clReleaseMemObject(r);
    clReleaseMemObject(in);
    free(lengths), free(rows), free(columns), free(values), free(x), free(wanted), free(got),
        free(random);
    return wrong;
}

/* n rounds on 128 x 128 x 32 points. */
size_t stencil(struct suite *s, unsigned n)
{
    enum { WIDE = 128, DEEP = 32, PLANE = WIDE * WIDE, COUNT = PLANE * DEEP };
    const float self = 1.0f / 6, others = 1.0f / 6 / 6;
    float *a = suite_floats(s, COUNT), *b = suite_memory(4 * COUNT), *got;
    struct range range = {3, {WIDE, WIDE, DEEP}, {64, 2, 1}};
    cl_mem from = suite_buffer(s, a, 4 * COUNT), to = suite_buffer(s, a, 4 * COUNT);
    size_t wrong;

    memcpy(b, a, 4 * COUNT);
    for (unsigned round = 0; round < n; round++) {
        cl_mem other = from;
        float *old = a;

        RUN(s, "stencil", range, BUFFER(from), BUFFER(to), FLOAT(self), FLOAT(others));
        for (int at = PLANE; at < COUNT - PLANE; at++)
            if (at % WIDE && at % WIDE != WIDE - 1 && at % PLANE >= WIDE &&
                at % PLANE < PLANE - WIDE)
                b[at] = others * (a[at - 1] + a[at + 1] + a[at - WIDE] + a[at + WIDE] +
                                  a[at - PLANE] + a[at + PLANE]) -
                        self * a[at];
        from = to, to = other;
        a = b, b = old;
    }
    got = suite_take(s, from, 4 * COUNT);
    wrong = wrong_floats(got, a, COUNT, 1e-5f);
    clReleaseMemObject(to);
    free(a), free(b), free(got);
    return wrong;
}
