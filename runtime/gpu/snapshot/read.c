/*
 * Reads snapshots: memory from a file, as a flat address space.
 *
 * Bounds      memory: MAX_MEMORY, allocated by the host when it is touched; SNAPSHOT_MAX_SEGMENTS
 *             submissions
 */
#include "runtime/gpu/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/snapshot/elf_file.h"

#define MAX_ADDRESS (UINT64_C(1) << 48)
#define MAX_MEMORY  (UINT64_C(64) << 30) /* bytes per snapshot; most of it is never touched */

static bool add_segment(struct gpu_snapshot *s, const struct snapshot_elf *e, const Elf64_Phdr *ph,
                        struct error *err)
{
    const struct gpu_snapshot_range range = {.va = ph->p_vaddr,
                                             .bytes = ph->p_memsz,
                                             .write = ph->p_flags & PF_W,
                                             .execute = ph->p_flags & PF_X};
    uint8_t *host;

    if (ph->p_vaddr % SNAPSHOT_PAGE || ph->p_memsz % SNAPSHOT_PAGE)
        return error_set(err, "damaged snapshot: the piece of memory at 0x%llx is not whole pages",
                         (unsigned long long)ph->p_vaddr);
    host = gpu_snapshot_add(s, &range, ph->p_flags & PF_R);
    if (!host)
        return error_set(err, "not enough memory for the snapshot's piece at 0x%llx",
                         (unsigned long long)ph->p_vaddr);
    memcpy(host, e->file + ph->p_offset, ph->p_filesz);
    s->segments[s->segment_count - 1].given = ph->p_filesz;
    return true;
}

static bool add_segments(struct gpu_snapshot *s, const struct snapshot_elf *e, struct error *err)
{
    uint64_t total = 0;

    for (size_t i = 0; i < e->load_count; i++) {
        if (e->loads[i].p_memsz > MAX_MEMORY - total)
            return error_set(err, "the snapshot has more than %llu GiB of memory",
                             (unsigned long long)(MAX_MEMORY >> 30));
        total += e->loads[i].p_memsz;
        if (!add_segment(s, e, &e->loads[i], err))
            return false;
    }
    return true;
}

static uint64_t read_number(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

/* A copy of a string in the note; NULL: there is none. */
static char *copy_string(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value ? xstrdup(value) : NULL;
}

/* Reads the submitted chains: a single one, or the note's list. */
static bool add_submits(struct gpu_snapshot *s, const struct snapshot_elf *e, struct error *err)
{
    const json_t *list = json_object_get(e->note, "submits");
    size_t count = json_array_size(list);

    if (count > SNAPSHOT_MAX_SEGMENTS)
        return error_set(err, "the snapshot has more than %d submissions", SNAPSHOT_MAX_SEGMENTS);
    s->submits = xcalloc(count + 1, sizeof(*s->submits));
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i);

        s->submits[s->submit_count++] = (struct gpu_snapshot_submit){
            read_number(one, "jc"), (uint32_t)read_number(one, "requirements")};
    }
    if (!count)
        s->submits[s->submit_count++] =
            (struct gpu_snapshot_submit){e->entry, (uint32_t)read_number(e->note, "requirements")};
    return true;
}

/* Sets the area of a buffer: the allocation that holds it, or the pages that it touches. */
static void find_area(struct gpu_snapshot_buffer *b, const json_t *allocations)
{
    uint64_t end = (b->va + b->bytes + SNAPSHOT_PAGE - 1) & ~(uint64_t)(SNAPSHOT_PAGE - 1);
    const json_t *one;
    size_t i;

    b->area_va = b->va & ~(uint64_t)(SNAPSHOT_PAGE - 1);
    b->area_bytes = end - b->area_va;
    json_array_foreach(allocations, i, one)
    {
        uint64_t va = read_number(one, "va"), bytes = read_number(one, "size");

        if (b->va - va < bytes && b->bytes <= bytes - (b->va - va)) {
            b->area_va = va;
            b->area_bytes = bytes;
        }
    }
}

/* Reads the arguments that are buffers. Those without address or size are not of use to anyone. */
static void add_buffers(struct gpu_snapshot *s, const json_t *note)
{
    const json_t *list = json_object_get(note, "args"), *one;
    size_t i;

    s->buffers = xcalloc(json_array_size(list) + 1, sizeof(*s->buffers));
    json_array_foreach(list, i, one)
    {
        struct gpu_snapshot_buffer b = {.argument = (unsigned)read_number(one, "index"),
                                        .va = read_number(one, "va"),
                                        .bytes = read_number(one, "size")};

        if (!b.va || !b.bytes || b.va >= MAX_ADDRESS || b.bytes >= MAX_ADDRESS)
            continue;
        find_area(&b, json_object_get(note, "bos"));
        s->buffers[s->buffer_count++] = b;
    }
}

struct gpu_snapshot *gpu_snapshot_parse(const uint8_t *file, size_t bytes, const char *name,
                                        struct error *err)
{
    struct gpu_snapshot *s = gpu_snapshot_new();
    struct snapshot_elf e;
    bool good = snapshot_elf_open(&e, file, bytes, err);

    if (good) {
        s->product = e.flags >> 16;
        s->revision = e.flags & 0xffff;
        good = add_segments(s, &e, err) && add_submits(s, &e, err);
        add_buffers(s, e.note);
        s->missing_memory = copy_string(e.note, "left_out");
        snapshot_elf_close(&e);
    }
    if (good)
        return s;
    error_prefix(err, "%.100s: ", name);
    gpu_snapshot_free(s);
    return NULL;
}

struct gpu_snapshot *gpu_snapshot_read(const char *path, struct error *err)
{
    size_t bytes;
    uint8_t *file = snapshot_load_file(path, &bytes, err);
    struct gpu_snapshot *s;

    if (!file)
        return NULL;
    s = gpu_snapshot_parse(file, bytes, path, err);
    free(file);
    return s;
}
