/* libwebp: a picture encoded once, and decoded, with NEON or with SSE2. */
#include "bytes.h"
#include "webp/decode.h"
#include "webp/encode.h"

int main(int argc, char **argv)
{
    static uint8_t picture[640 * 480 * 3];
    uint8_t *file, *pixels = NULL;
    size_t size;
    int width, height;

    fill_picture(picture, 640, 480, 3);
    size = WebPEncodeRGB(picture, 640, 480, 640 * 3, 80, &file);
    for (int k = atoi(argv[1]); k > 0; k--) {
        WebPFree(pixels);
        pixels = WebPDecodeRGB(file, size, &width, &height);
    }
    print_sum(file, size);
    print_sum(pixels, (size_t)width * height * 3);
    WebPFree(pixels);
    WebPFree(file);
    return 0;
}
