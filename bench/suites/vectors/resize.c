/* stb_image_resize2: a picture made smaller and larger, with NEON or with SSE2. */
#include "bytes.h"
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include "stb/stb_image_resize2.h"

int main(int argc, char **argv)
{
    static uint8_t large[640 * 480 * 4], small[320 * 200 * 4];

    fill_picture(large, 640, 480, 4);
    for (int k = atoi(argv[1]); k > 0; k--) {
        stbir_resize_uint8_linear(large, 640, 480, 0, small, 320, 200, 0, STBIR_RGBA);
        stbir_resize_uint8_linear(small, 320, 200, 0, large, 640, 480, 0, STBIR_RGBA);
    }
    print_sum(large, sizeof(large));
    return 0;
}
