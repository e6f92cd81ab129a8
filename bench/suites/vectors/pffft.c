/* Real and complex transforms of 1024 floats by pffft, with NEON or with SSE, there and back. */
#include "bytes.h"
#include "pffft/pffft.h"

static float data[2][2048] __attribute__((aligned(64))), work[2048] __attribute__((aligned(64)));

int main(int argc, char **argv)
{
    for (int kind = 0; kind < 2; kind++) {
        PFFFT_Setup *setup = pffft_new_setup(1024, kind ? PFFFT_COMPLEX : PFFFT_REAL);

        for (int k = 0; k < 2048; k++)
            data[kind][k] = k % 7 - k % 11;
        for (int k = atoi(argv[1]); k > 0; k--) {
            pffft_transform_ordered(setup, data[kind], data[kind], work, PFFFT_FORWARD);
            pffft_transform_ordered(setup, data[kind], data[kind], work, PFFFT_BACKWARD);
            for (int n = 0; n < (kind ? 2048 : 1024); n++)
                data[kind][n] *= 1.0f / 1024;
        }
        pffft_destroy_setup(setup);
    }
    print_sum(data, sizeof(data));
    return 0;
}
