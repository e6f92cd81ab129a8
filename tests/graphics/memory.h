/* GPU memory of a test, with descriptors in it. */
#ifndef TESTS_GRAPHICS_MEMORY_H
#define TESTS_GRAPHICS_MEMORY_H

#include "mali_layout.h"
#include "runtime/gpu/graphics/reader.h"
#include "runtime/gpu/variant.h"

enum { MEMORY_PAGE = 4096, MEMORY_PAGES = 128 };

/* Its GPU address, which needs more than 32 bits. */
#define MEMORY_BASE UINT64_C(0x5600000000)

struct memory {
    uint8_t bytes[MEMORY_PAGES * MEMORY_PAGE];
    bool absent[MEMORY_PAGES]; /* the page is not mapped */
    struct gpu_variant variant;
    struct gpu_address_space space;
    struct gpu_outcome out;
    struct gfx_reader reader; /* reads this memory as a GPU of the variant, and sets `out` */
};

/* Makes memory of zeros for a GPU of an architecture version. */
void memory_begin(struct memory *m, unsigned version);
/* The byte at a GPU address of the memory. */
uint8_t *memory_at(struct memory *m, uint64_t address);
/* Unmaps or maps the page that holds an address. */
void memory_map(struct memory *m, uint64_t address, bool mapped);
/* Fails unless the last reader ended with a fault of this access in the page of `address`. */
void memory_has_fault(const struct memory *m, uint64_t address, enum gpu_access access);
/* Fails the test unless the last reader found an invalid descriptor at `address`. */
void memory_is_invalid(const struct memory *m, uint64_t address);

/* Packs descriptor `name` to GPU address `address`. */
#define MEMORY_PUT(m, name, address, from) \
    assert_null(mali_##name##_pack((m)->variant.architecture, from, memory_at(m, address)))

#endif
