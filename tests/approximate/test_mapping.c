/* Algorithms 2 and 3 on networks that are sums worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "examples/approximate/mapping.h"

enum { LAYERS = 4, WEIGHTS = 8 };

/* Weights of each layer; two are in no range. */
static const int8_t weights[WEIGHTS] = {0, -5, 5, 10, -20, 30, 31, -127};

/* A network that loses `cost[layer][level]` of its accuracy for each weight at that level, of which
 * biases give back a share. */
struct made {
    struct mapping m;
    uint8_t level[LAYERS][WEIGHTS];
    double cost[LAYERS][3], back;
    unsigned runs, with_bias;
};

static double run_network(void *opaque, bool bias)
{
    struct made *n = opaque;
    double lost = 0;

    n->runs++;
    n->with_bias += bias;
    for (int i = 0; i < LAYERS; i++)
        for (int w = 0; w < WEIGHTS; w++)
            lost += n->cost[i][n->level[i][w]];
    return 0.5 - (bias ? lost * (1 - n->back) : lost);
}

static void make_network(struct made *n, double first, double second, double third, double fourth)
{
    const double costs[LAYERS] = {first, second, third, fourth};
    static const int64_t products[LAYERS] = {800, 1600, 80, 8};

    *n = (struct made){.m = {.layers = LAYERS, .execute = run_network, .opaque = n}};
    for (int i = 0; i < LAYERS; i++) {
        n->cost[i][2] = costs[i];
        n->cost[i][1] = costs[i] / 4;
        n->m.layer[i] = (struct mapping_layer){weights, n->level[i], WEIGHTS, products[i]};
    }
}

static void expect_levels(const struct made *n, int layer, const char *levels)
{
    for (int w = 0; w < WEIGHTS; w++)
        assert_int_equal(n->level[layer][w], levels[w] - '0');
}

static void test_significance(void **state)
{
    struct significance list[LAYERS];
    struct made n;

    (void)state;
    make_network(&n, 0.02, 0.005, 0.01, 0.005);
    n.level[2][3] = 1; /* what was before does not matter */
    mapping_significance(&n.m, list);
    assert_int_equal(n.runs, 1 + LAYERS);
    assert_int_equal(n.with_bias, 0);
    assert_int_equal(list[0].layer, 1); /* as significant as the last one, with more products */
    assert_int_equal(list[1].layer, 3);
    assert_int_equal(list[2].layer, 2);
    assert_int_equal(list[3].layer, 0);
    assert_float_equal(list[0].value, 8 * 0.005 / 0.5, 1e-12); /* equation 6.1 */
    assert_float_equal(list[3].value, 8 * 0.02 / 0.5, 1e-12);
    for (int i = 0; i < LAYERS; i++)
        expect_levels(&n, i, "00000000");
}

/* Two layers cost 0.08 together, the third would make it 0.16. */
static void test_layers(void **state)
{
    struct significance list[LAYERS] = {{1, 0}, {3, 0}, {2, 0}, {0, 0}};
    struct made n;

    (void)state;
    make_network(&n, 0.02, 0.005, 0.01, 0.005);
    assert_int_equal(mapping_layers(&n.m, list, 0.5 - 0.1), 2);
    assert_int_equal(n.runs, 3);
    expect_levels(&n, 1, "22222222");
    expect_levels(&n, 3, "22222222");
    expect_levels(&n, 2, "00000000");
    make_network(&n, 0.02, 0.005, 0.01, 0.005);
    n.back = 0.5;
    n.m.bias = true;
    assert_int_equal(mapping_layers(&n.m, list, 0.5 - 0.1), 3); /* 0.16 / 2 */
    assert_int_equal(n.with_bias, n.runs);
    make_network(&n, 0.02, 0.005, 0.01, 0.005);
    assert_int_equal(mapping_layers(&n.m, list, 0.5 - 1), LAYERS);
}

/*
 * Behind the first layer, 0.04 may be lost. Of layer 2 (a weight 0.01 at level 2, 0.0025 at level
 * 1) the range of 10 costs four weights, 0.04, and is taken; of layer 0 (0.02) no range is free of
 * cost, so that the search for level 2 ends there. Nothing is left for level 1.
 */
static void test_ranges_of_level2(void **state)
{
    struct significance list[LAYERS] = {{1, 0}, {2, 0}, {0, 0}, {3, 0}};
    struct made n;

    (void)state;
    make_network(&n, 0.02, 0, 0.01, 0.005);
    mapping_weights(&n.m, list, 1, 0.5 - 0.04 - 1e-9);
    expect_levels(&n, 1, "00000000");
    expect_levels(&n, 2, "22220000");
    expect_levels(&n, 0, "00000000");
    expect_levels(&n, 3, "00000000");
    assert_int_equal(n.runs, 1 + 3 + 2);
}

/*
 * With a loss of 0.0325, layer 2 has the range of 5 (three weights with |w| <= 5) at level 2, which
 * costs 0.03. The 0.0025 left is the cost of one weight at level 1, and the ranges of 30 and 20 add
 * three and two weights. With 0.035 the range of 20 fits, and nothing is left for layer 0.
 */
static void test_ranges_of_level1(void **state)
{
    struct significance list[LAYERS] = {{1, 0}, {2, 0}, {0, 0}, {3, 0}};
    struct made n;

    (void)state;
    make_network(&n, 0.02, 0, 0.01, 0.005);
    mapping_weights(&n.m, list, 1, 0.5 - 0.0325 - 1e-9);
    expect_levels(&n, 2, "22200000");
    make_network(&n, 0.02, 0, 0.01, 0.005);
    mapping_weights(&n.m, list, 1, 0.5 - 0.035 - 1e-9);
    expect_levels(&n, 2, "22211000");
    expect_levels(&n, 0, "00000000");
}

/* 800 products of layer 0 are over eight weights: half of them at 3 of 8, a quarter at 5. */
static void test_gain(void **state)
{
    static const int generated[3] = {8, 5, 3};
    struct made n;

    (void)state;
    make_network(&n, 0, 0, 0, 0);
    assert_float_equal(mapping_gain(&n.m, generated), 0, 1e-12);
    for (int w = 0; w < 6; w++)
        n.level[0][w] = w < 4 ? 2 : 1;
    assert_float_equal(mapping_gain(&n.m, generated), (400 * 5 + 200 * 3) / (8 * 2488.0), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_significance),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_ranges_of_level2),
        cmocka_unit_test(test_ranges_of_level1),
        cmocka_unit_test(test_gain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
