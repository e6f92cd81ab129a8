/*
 * Pointers to buffers among the uniforms of a job: pairs of words, in push uniforms and in the
 * buffers of uniforms, that hold the address of readable memory. Mesa packs the words that a shader
 * uses, so a pointer may begin at an odd word. They are numbered in memory
 * order, which is the order of the kernel's used buffer arguments.
 *
 * Bounds      MAX_WORDS words per buffer of uniforms, REPORT_POINTERS pointers
 */
#include <stdlib.h>

#include "runtime/report/internal.h"

enum { MAX_WORDS = 256 };

static bool is_readable(const struct gpu_address_space *as, uint64_t address)
{
    struct gpu_page page = {0};

    return address && !as->translate(as->opaque, address, GPU_ACCESS_READ, &page) && page.host;
}

/* Adds the address if it is a pointer to readable memory. Returns whether it is. */
static bool add_pointer(struct report_open *o, const struct gpu_address_space *as, uint64_t address)
{
    if (o->pointer_count == REPORT_POINTERS || !is_readable(as, address))
        return false;
    for (unsigned i = 0; i < o->pointer_count; i++)
        if (o->pointers[i].address == address)
            return true;
    o->pointers[o->pointer_count] = (struct report_pointer){address, o->pointer_count};
    o->pointer_count++;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct report_pointer *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

void report_pointers_find(struct report_open *o, const struct gpu_compute_job *job,
                          const struct gpu_address_space *as)
{
    for (uint32_t i = 0; i + 1 < job->uniform_words;)
        i += add_pointer(o, as, job->uniform[i] | (uint64_t)job->uniform[i + 1] << 32) ? 2 : 1;
    for (unsigned n = 0; n < job->block_count; n++)
        for (uint64_t i = 0; i + 8 <= job->blocks[n].bytes && i < 4 * MAX_WORDS; i += 8) {
            struct gpu_fault fault;
            uint64_t word;

            if (gpu_memory_read(as, job->blocks[n].address + i, &word, sizeof(word), &fault))
                add_pointer(o, as, word);
        }
    qsort(o->pointers, o->pointer_count, sizeof(*o->pointers), by_address);
}
