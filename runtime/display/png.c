/* Images as PNG files. */
#include "runtime/display/image.h"

#include <png.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"

bool image_write_png(const struct image *image, const char *path, struct error *err)
{
    size_t count = (size_t)image->width * image->height;
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = image->width,
                     .height = image->height,
                     .format = PNG_FORMAT_RGB};
    uint8_t *bytes = xcalloc(count + 1, 3);
    bool ok;

    for (size_t i = 0; i < count; i++) {
        bytes[3 * i] = (uint8_t)(image->pixels[i] >> 16);
        bytes[3 * i + 1] = (uint8_t)(image->pixels[i] >> 8);
        bytes[3 * i + 2] = (uint8_t)image->pixels[i];
    }
    ok = png_image_write_to_file(&png, path, 0, bytes, 0, NULL);
    free(bytes);
    return ok || error_set(err, "%s: %s", path, png.message);
}
