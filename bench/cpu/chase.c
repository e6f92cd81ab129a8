/* Dependent loads: a random ring of pointers through 8 MB, and a binary tree. */
#include "bench.h"

enum { RING = 1 << 17, NODES = 20000 };

struct link {
    struct link *next;
    uint64_t value[7];
};

struct node {
    struct node *child[2];
    uint32_t key;
};

static struct link ring[RING];
static struct node pool[NODES];

static void make_ring(void)
{
    static uint32_t order[RING];
    uint64_t seed = 5;

    for (uint32_t n = 0; n < RING; n++)
        order[n] = n;
    for (uint32_t n = RING - 1; n; n--) {
        uint32_t k = bench_random(&seed) % (n + 1), t = order[n];

        order[n] = order[k];
        order[k] = t;
    }
    for (uint32_t n = 0; n < RING; n++) {
        ring[order[n]].next = &ring[order[(n + 1) % RING]];
        ring[n].value[n % 7] = n;
    }
}

static struct node *make_tree(void)
{
    struct node *root = NULL;
    uint64_t seed = 11;

    for (unsigned n = 0; n < NODES; n++) {
        struct node **at = &root;

        pool[n].key = bench_random(&seed);
        while (*at)
            at = &(*at)->child[pool[n].key > (*at)->key];
        *at = &pool[n];
    }
    return root;
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    uint64_t sum = BENCH_SEED, seed = 13;
    struct node *root = make_tree();
    struct link *l = ring;

    make_ring();
    while (rounds--) {
        for (unsigned n = 0; n < 4 * RING; n++) {
            sum += l->value[n % 7];
            l = l->next;
        }
        for (unsigned n = 0; n < 40000; n++) {
            uint32_t key = bench_random(&seed);
            const struct node *at = root;

            while (at) {
                sum += at->key;
                at = at->child[key > at->key];
            }
        }
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
