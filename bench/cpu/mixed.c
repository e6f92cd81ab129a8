/* A mix as in embedded benchmarks: lists, small matrices, a state machine, CRCs. */
#include "bench.h"

struct item {
    struct item *next;
    int16_t key, index;
};

enum { ITEMS = 200, N = 24 };

static uint16_t update_crc16(uint16_t crc, uint8_t byte)
{
    for (int n = 0; n < 8; n++, byte >>= 1)
        crc = (uint16_t)((crc >> 1) ^ ((crc ^ byte) & 1 ? 0xa001 : 0));
    return crc;
}

static struct item *merge_lists(struct item *a, struct item *b)
{
    struct item *out = NULL, **end = &out;

    while (a && b) {
        struct item **from = a->key <= b->key ? &a : &b;

        *end = *from;
        *from = (*from)->next;
        end = &(*end)->next;
    }
    *end = a ? a : b;
    return out;
}

static struct item *sort_list(struct item *list)
{
    struct item *slow = list, *fast = list ? list->next : NULL, *half;

    if (!fast)
        return list;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    half = slow->next;
    slow->next = NULL;
    return merge_lists(sort_list(list), sort_list(half));
}

static struct item *reverse_list(struct item *list)
{
    struct item *out = NULL;

    while (list) {
        struct item *next = list->next;

        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static uint16_t multiply_matrices(uint16_t crc, int16_t seed)
{
    static int16_t a[N][N], b[N][N];
    static int32_t c[N][N];

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (int16_t)(seed + i * j);
            b[i][j] = (int16_t)(seed - i + j);
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;

            for (int k = 0; k < N; k++)
                sum += (a[i][k] * b[k][j]) >> 2 & 0x7f;
            c[i][j] = sum;
        }
    }
    for (int i = 0; i < N; i++)
        crc = update_crc16(crc, (uint8_t)c[i][N - 1 - i]);
    return crc;
}

/* Sorts words into integers, fractions, names and others. */
static void classify_words(const char *text, unsigned count[4])
{
    enum { START, INTEGER, FRACTION, NAME, OTHER } state = START;

    for (;; text++) {
        if (*text == ',' || !*text) {
            if (state != START)
                count[state - 1]++;
            if (!*text)
                return;
            state = START;
            continue;
        }
        switch (state) {
        case START:
            state = *text >= '0' && *text <= '9'   ? INTEGER
                    : *text >= 'a' && *text <= 'z' ? NAME
                                                   : OTHER;
            break;
        case INTEGER:
            state = *text == '.' ? FRACTION : *text >= '0' && *text <= '9' ? INTEGER : OTHER;
            break;
        case FRACTION:
            state = *text >= '0' && *text <= '9' ? FRACTION : OTHER;
            break;
        case NAME:
            state = *text >= 'a' && *text <= 'z' ? NAME : OTHER;
            break;
        case OTHER:
            break;
        }
    }
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv) * 60, count[4] = {0};
    static struct item items[ITEMS];
    struct item *list = NULL;
    uint16_t crc = 0xffff;
    uint64_t seed = 29;

    for (unsigned n = 0; n < ITEMS; n++)
        items[n].index = (int16_t)n;
    while (rounds--) {
        list = NULL;
        for (unsigned n = 0; n < ITEMS; n++) {
            items[n].key = (int16_t)bench_random(&seed);
            items[n].next = list;
            list = &items[n];
        }
        list = reverse_list(sort_list(list));
        for (const struct item *i = list; i; i = i->next)
            crc = update_crc16(update_crc16(crc, (uint8_t)i->key), (uint8_t)i->index);
        crc = multiply_matrices(crc, (int16_t)crc);
        classify_words("12,3.14,abc,x9,77,1.5e,zz,-4,hello,0.001,,8", count);
    }
    printf("%04x %u %u %u %u\n", crc, count[0], count[1], count[2], count[3]);
    return 0;
}
