/* stb_image: a JPEG picture decoded, with NEON or with SSE2. */
#include "bytes.h"
#define STB_IMAGE_IMPLEMENTATION
#include "stb/stb_image.h"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "stb/stb_image_write.h"

static uint8_t jpeg[1 << 20];
static int size;

static void append(void *unused, void *data, int count)
{
    (void)unused;
    memcpy(jpeg + size, data, count);
    size += count;
}

int main(int argc, char **argv)
{
    static uint8_t picture[640 * 480 * 3];

    size = 0;
    fill_picture(picture, 640, 480, 3);
    stbi_write_jpg_to_func(append, NULL, 640, 480, 3, picture, 85);
    for (int k = atoi(argv[1]); k > 0; k--) {
        int width, height, channels;
        uint8_t *pixels = stbi_load_from_memory(jpeg, size, &width, &height, &channels, 4);

        if (k == 1)
            print_sum(pixels, (size_t)width * height * 4);
        free(pixels);
    }
    return 0;
}
