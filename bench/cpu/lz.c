/* Bytes and hash tables: a small LZ77 compressor and decompressor. */
#include "bench.h"

enum { SIZE = 1 << 18, HASH_BITS = 13, MIN_MATCH = 4, MAX_MATCH = 64 };

static uint8_t text[SIZE], packed[SIZE + SIZE / 8 + 16], back[SIZE];

static void make_text(void)
{
    static const char *const words[] = {"the ",  "quick ", "brown ", "fox ",      "jumps\n",
                                        "over ", "a ",     "lazy ",  "dog, and ", "then "};
    uint64_t seed = 7;
    size_t at = 0;

    while (at < SIZE) {
        const char *w = words[bench_random(&seed) % 10];

        while (*w && at < SIZE)
            text[at++] = (uint8_t)*w++;
        if (!(bench_random(&seed) % 16) && at < SIZE)
            text[at++] = (uint8_t)bench_random(&seed);
    }
}

static uint32_t hash_word(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return v * 2654435761u >> (32 - HASH_BITS);
}

/* One byte of flags per eight items: a literal, or a 16-bit distance and a length. */
static size_t compress_text(void)
{
    static uint32_t head[1 << HASH_BITS];
    size_t in = 0, out = 0, flags = 0;
    unsigned items = 8;

    memset(head, 0xff, sizeof(head));
    while (in < SIZE) {
        size_t from = SIZE, len = 0;

        if (items == 8) {
            flags = out++;
            packed[flags] = 0;
            items = 0;
        }
        if (in + MAX_MATCH < SIZE) {
            uint32_t h = hash_word(text + in);

            from = head[h];
            head[h] = (uint32_t)in;
        }
        if (from < in && in - from < 65536) {
            while (len < MAX_MATCH && text[from + len] == text[in + len])
                len++;
        }
        if (len >= MIN_MATCH) {
            uint16_t distance = (uint16_t)(in - from);

            packed[flags] |= (uint8_t)(1u << items);
            memcpy(packed + out, &distance, 2);
            packed[out + 2] = (uint8_t)len;
            out += 3;
            in += len;
        } else {
            packed[out++] = text[in++];
        }
        items++;
    }
    return out;
}

static void expand_packed(size_t size)
{
    size_t in = 0, out = 0;

    while (in < size && out < SIZE) {
        uint8_t flags = packed[in++];

        for (unsigned n = 0; n < 8 && out < SIZE; n++, flags >>= 1) {
            if (flags & 1) {
                uint16_t distance;
                unsigned len = packed[in + 2];

                memcpy(&distance, packed + in, 2);
                in += 3;
                for (; len--; out++)
                    back[out] = back[out - distance];
            } else {
                back[out++] = packed[in++];
            }
        }
    }
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    size_t size = 0;

    make_text();
    while (rounds--) {
        size = compress_text();
        memset(back, 0, sizeof(back));
        expand_packed(size);
        if (memcmp(text, back, SIZE)) {
            puts("wrong");
            return 1;
        }
        text[rounds % SIZE] ^= 1;
    }
    printf("%zu %016llx\n", size, (unsigned long long)bench_hash(BENCH_SEED, packed, size));
    return 0;
}
