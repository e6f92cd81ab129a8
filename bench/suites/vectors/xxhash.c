/* XXH3 of 256 KB, 64 and 128 bits. */
#include "bytes.h"
#define XXH_INLINE_ALL
#include "xxHash/xxhash.h"

int main(int argc, char **argv)
{
    static uint8_t bytes[256 << 10];
    uint64_t sum = 0;

    fill_bytes(bytes, sizeof(bytes));
    for (int k = atoi(argv[1]); k > 0; k--)
        sum += XXH3_64bits_withSeed(bytes, sizeof(bytes), k) +
               XXH3_128bits_withSeed(bytes, sizeof(bytes), k).high64;
    print_sum(&sum, sizeof(sum));
    return 0;
}
