/* GPU memory of a test: one range of pages, some of which are not mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/graphics/memory.h"

enum { NOT_MAPPED = 0xc3 }; /* an exception code */

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    struct memory *m = opaque;
    uint64_t page = (va - MEMORY_BASE) / MEMORY_PAGE;

    (void)access;
    if (va < MEMORY_BASE || page >= MEMORY_PAGES || m->absent[page])
        return NOT_MAPPED;
    *out = (struct gpu_page){
        .host = m->bytes + page * MEMORY_PAGE, .bytes = MEMORY_PAGE, .read = true, .write = true};
    return 0;
}

void memory_begin(struct memory *m, unsigned version)
{
    memset(m, 0, sizeof(*m));
    m->variant = (struct gpu_variant){.name = "test", .architecture = version};
    m->space = (struct gpu_address_space){.opaque = m, .translate = translate_page};
    m->reader = (struct gfx_reader){version, &m->space, &m->out, &m->variant};
}

uint8_t *memory_at(struct memory *m, uint64_t address)
{
    assert_in_range(address, MEMORY_BASE, MEMORY_BASE + sizeof(m->bytes) - 1);
    return m->bytes + (address - MEMORY_BASE);
}

void memory_map(struct memory *m, uint64_t address, bool mapped)
{
    m->absent[(address - MEMORY_BASE) / MEMORY_PAGE] = !mapped;
}

void memory_has_fault(const struct memory *m, uint64_t address, enum gpu_access access)
{
    assert_int_equal(m->out.progress, GPU_PROGRESS_FAULT);
    assert_int_equal(m->out.fault.va / MEMORY_PAGE, address / MEMORY_PAGE);
    assert_int_equal(m->out.fault.access, access);
    assert_int_equal(m->out.fault.code, NOT_MAPPED);
}

void memory_is_invalid(const struct memory *m, uint64_t address)
{
    assert_int_equal(m->out.progress, GPU_PROGRESS_FAILED);
    assert_int_equal(m->out.code, GPU_JOB_CONFIG_FAULT);
    assert_int_equal(m->out.address, address);
}
