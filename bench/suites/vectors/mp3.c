/* minimp3: a stream decoded, with NEON or with SSE2. */
#include "bytes.h"
#define MINIMP3_IMPLEMENTATION
#include "minimp3/minimp3.h"

int main(int argc, char **argv)
{
    static uint8_t stream[1 << 20];
    static mp3d_sample_t samples[MINIMP3_MAX_SAMPLES_PER_FRAME];
    FILE *file = fopen(argv[1], "rb");
    int size = fread(stream, 1, sizeof(stream), file), at = 0;
    uint64_t sum = 0;
    mp3dec_t decoder;
    mp3dec_frame_info_t info;

    fclose(file);
    mp3dec_init(&decoder);
    do {
        int count = mp3dec_decode_frame(&decoder, stream + at, size - at, samples, &info);

        for (int k = 0; k < count * info.channels; k++)
            sum = sum * 31 + samples[k];
        at += info.frame_bytes;
    } while (info.frame_bytes);
    print_sum(&sum, sizeof(sum));
    return 0;
}
