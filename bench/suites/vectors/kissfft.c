/* Complex transforms of 1024 and 1000 floats by kissfft, there and back. */
#include "bytes.h"
#include "kissfft/kiss_fft.h"

int main(int argc, char **argv)
{
    static kiss_fft_cpx data[2][1024], work[1024];

    for (int kind = 0; kind < 2; kind++) {
        int count = kind ? 1000 : 1024;
        kiss_fft_cfg there = kiss_fft_alloc(count, 0, NULL, NULL),
                     back = kiss_fft_alloc(count, 1, NULL, NULL);

        for (int k = 0; k < count; k++)
            data[kind][k] = (kiss_fft_cpx){k % 7 - k % 11, k % 3};
        for (int k = atoi(argv[1]); k > 0; k--) {
            kiss_fft(there, data[kind], work);
            kiss_fft(back, work, data[kind]);
            for (int n = 0; n < count; n++) {
                data[kind][n].r *= 1.0f / count;
                data[kind][n].i *= 1.0f / count;
            }
        }
        free(there);
        free(back);
    }
    print_sum(data, sizeof(data));
    return 0;
}
