/*
 * Copies from and to memory as the GPU sees it, across page boundaries.
 *
 * Bounds      `bytes`, which callers take from a layout, or from the size of a file of the host
 */
#include "runtime/gpu/compute.h"

#include <string.h>

/*
 * Host memory of `va`; *run becomes the number of contiguous bytes from there, at most `bytes`.
 * NULL: *fault has the cause.
 */
static uint8_t *locate_bytes(const struct gpu_address_space *as, uint64_t va,
                             enum gpu_access access, size_t bytes, size_t *run,
                             struct gpu_fault *fault)
{
    struct gpu_page page = {0};
    uint32_t code = as->translate(as->opaque, va, access, &page);

    if (code || !page.host || !page.bytes) {
        *fault = (struct gpu_fault){.va = va, .code = code, .access = access};
        return NULL;
    }
    uint64_t offset = va & (page.bytes - 1);

    *run = page.bytes - offset < bytes ? (size_t)(page.bytes - offset) : bytes;
    return page.host + offset;
}

bool gpu_memory_read(const struct gpu_address_space *as, uint64_t va, void *out, size_t bytes,
                     struct gpu_fault *fault)
{
    uint8_t *to = out;

    while (bytes) {
        size_t run;
        const uint8_t *host = locate_bytes(as, va, GPU_ACCESS_READ, bytes, &run, fault);

        if (!host)
            return false;
        memcpy(to, host, run);
        to += run;
        va += run;
        bytes -= run;
    }
    return true;
}

bool gpu_memory_write(const struct gpu_address_space *as, uint64_t va, const void *from,
                      size_t bytes, struct gpu_fault *fault)
{
    const uint8_t *source = from;

    while (bytes) {
        size_t run;
        uint8_t *host = locate_bytes(as, va, GPU_ACCESS_WRITE, bytes, &run, fault);

        if (!host)
            return false;
        memcpy(host, source, run);
        source += run;
        va += run;
        bytes -= run;
    }
    return true;
}
