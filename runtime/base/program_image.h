/*
 * The running program as its linker made it: which build it is, and where it lies. Files that have
 * parts of its code, or distances in it, are of use to the same build only.
 */
#ifndef RUNTIME_BASE_PROGRAM_IMAGE_H
#define RUNTIME_BASE_PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_ID_BYTES = 32 };

struct program_image {
    uintptr_t base, end;          /* all of its segments; libraries are not part of it */
    uint8_t id[PROGRAM_ID_BYTES]; /* the linker's hash of it, and zeros */
};

/* Finds the image of this process. False: it was linked without a hash (ld's --build-id). */
bool program_image_find(struct program_image *image);

/* Whether an address is part of the image; *distance is the one from its base then. */
static inline bool program_image_has(const struct program_image *image, const void *address,
                                     size_t *distance)
{
    *distance = (uintptr_t)address - image->base;
    return (uintptr_t)address >= image->base && (uintptr_t)address < image->end;
}

#endif
