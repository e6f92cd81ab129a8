/* BLAKE3 of 256 KB, with NEON or with SSE2. */
#include "bytes.h"
#define BLAKE3_NO_SSE41
#define BLAKE3_NO_AVX2
#define BLAKE3_NO_AVX512
#include "BLAKE3/c/blake3.c"
#include "BLAKE3/c/blake3_dispatch.c"
#include "BLAKE3/c/blake3_portable.c"
#ifdef __aarch64__
#include "BLAKE3/c/blake3_neon.c"
#else
/* Both files have functions of these names. */
#define compress_pre compress_pre_sse2
#define round_fn     round_fn_sse2
#include "BLAKE3/c/blake3_sse2.c"
#endif

int main(int argc, char **argv)
{
    static uint8_t bytes[256 << 10];
    uint8_t digest[32];
    blake3_hasher hasher;

    fill_bytes(bytes, sizeof(bytes));
    blake3_hasher_init(&hasher);
    for (int k = atoi(argv[1]); k > 0; k--)
        blake3_hasher_update(&hasher, bytes, sizeof(bytes));
    blake3_hasher_finalize(&hasher, digest, sizeof(digest));
    print_sum(digest, sizeof(digest));
    return 0;
}
