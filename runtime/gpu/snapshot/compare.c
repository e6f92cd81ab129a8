/* Compares memory after a run with a file of expectations. */
#include "runtime/gpu/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/numeric/half.h"
#include "runtime/gpu/snapshot/elf_file.h"

enum { SHOWN = 10 }; /* most differences that are printed */

enum element_kind { SIGNED, UNSIGNED, REAL };

static const struct element {
    const char *name;
    unsigned bytes;
    enum element_kind kind;
} elements[] = {
    {"u8", 1, UNSIGNED},  {"i8", 1, SIGNED},  {"u16", 2, UNSIGNED}, {"i16", 2, SIGNED},
    {"u32", 4, UNSIGNED}, {"i32", 4, SIGNED}, {"u64", 8, UNSIGNED}, {"i64", 8, SIGNED},
    {"f16", 2, REAL},     {"f32", 4, REAL},
};

/* A range with its type and tolerance. */
struct range {
    const struct element *element;
    double absolute, relative;
    uint64_t va, bytes;
    const uint8_t *expected;
};

static bool read_range(struct range *r, const json_t *note, const Elf64_Phdr *ph,
                       const struct snapshot_elf *e, struct error *err)
{
    const char *type = json_string_value(json_object_get(note, "type"));

    *r = (struct range){
        .absolute = json_number_value(json_object_get(note, "abs_tol")),
        .relative = json_number_value(json_object_get(note, "rel_tol")),
        .va = ph->p_vaddr,
        .bytes = ph->p_filesz,
        .expected = e->file + ph->p_offset,
    };
    for (size_t i = 0; type && i < sizeof(elements) / sizeof(*elements); i++)
        if (!strcmp(elements[i].name, type))
            r->element = &elements[i];
    if (!r->element)
        return error_set(err, "the expectation at 0x%llx has no known type",
                         (unsigned long long)ph->p_vaddr);
    if (r->bytes % r->element->bytes)
        return error_set(err, "the expectation at 0x%llx is not a whole number of %s",
                         (unsigned long long)ph->p_vaddr, type);
    return true;
}

static uint64_t raw_value(const uint8_t *at, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, at, bytes);
    return v;
}

static double real_value(const struct element *element, uint64_t raw)
{
    float f;
    uint32_t bits = (uint32_t)raw;

    if (element->bytes == 2)
        return gpu_f16_to_f32(bits);
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double as_number(const struct element *element, uint64_t raw)
{
    unsigned spare = 64 - 8 * element->bytes;

    if (element->kind == REAL)
        return real_value(element, raw);
    if (element->kind == SIGNED)
        return (double)((int64_t)(raw << spare) >> spare);
    return (double)raw;
}

static bool element_matches(const struct range *r, uint64_t expected, uint64_t got)
{
    double e, g;

    if (expected == got)
        return true;
    if (r->element->kind != REAL && r->absolute == 0 && r->relative == 0)
        return false;
    e = as_number(r->element, expected);
    g = as_number(r->element, got);
    return e == g || (isnan(e) && isnan(g)) || fabs(g - e) <= r->absolute + r->relative * fabs(e);
}

static void print_value(FILE *out, const struct element *element, uint64_t raw)
{
    unsigned spare = 64 - 8 * element->bytes;

    fprintf(out, "0x%0*llx", (int)(2 * element->bytes), (unsigned long long)raw);
    if (element->kind == REAL)
        fprintf(out, " (%.9g)", real_value(element, raw));
    else if (element->kind == SIGNED)
        fprintf(out, " (%lld)", (long long)((int64_t)(raw << spare) >> spare));
}

static void show_difference(FILE *out, const struct range *r, uint64_t index, uint64_t expected,
                            uint64_t got)
{
    fprintf(out, "0x%llx: element %llu: expected ",
            (unsigned long long)(r->va + index * r->element->bytes), (unsigned long long)index);
    print_value(out, r->element, expected);
    fprintf(out, ", found ");
    print_value(out, r->element, got);
    fputc('\n', out);
}

static bool compare_range(const struct gpu_snapshot *s, const struct range *r, FILE *out,
                          uint64_t *differences, struct error *err)
{
    uint8_t *got = xcalloc(1, r->bytes + 1);
    struct gpu_fault fault;

    if (!gpu_memory_read(&s->space, r->va, got, r->bytes, &fault)) {
        free(got);
        return error_set(err, "the snapshot has no memory at 0x%llx, where results are expected",
                         (unsigned long long)fault.va);
    }
    for (uint64_t i = 0; i < r->bytes / r->element->bytes; i++) {
        uint64_t at = i * r->element->bytes;
        uint64_t e = raw_value(r->expected + at, r->element->bytes);
        uint64_t g = raw_value(got + at, r->element->bytes);

        if (element_matches(r, e, g))
            continue;
        if ((*differences)++ < SHOWN)
            show_difference(out, r, i, e, g);
    }
    free(got);
    return true;
}

bool gpu_snapshot_compare(const struct gpu_snapshot *s, const char *path, FILE *out,
                          uint64_t *differences, struct error *err)
{
    size_t bytes;
    uint8_t *file = snapshot_load_file(path, &bytes, err);
    struct snapshot_elf e;
    bool good;

    *differences = 0;
    if (!file)
        return false;
    good = snapshot_elf_open(&e, file, bytes, err);
    if (good) {
        if (json_array_size(e.note) != e.load_count)
            good = error_set(err, "the note does not describe each range");
        for (size_t i = 0; good && i < e.load_count; i++) {
            struct range r;

            good = read_range(&r, json_array_get(e.note, i), &e.loads[i], &e, err) &&
                   compare_range(s, &r, out, differences, err);
        }
        snapshot_elf_close(&e);
    }
    free(file);
    if (!good)
        error_prefix(err, "%.100s: ", path);
    return good;
}
