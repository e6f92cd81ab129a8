/*
 * Writes programs as files; see output.h.
 *
 * The program starts as the harness does. Its first frame is that of the first call, since the
 * handler of signals begins at the same address; the frame that the handler needs is copied over it
 * through a pipe. After the signal each part of its frame that is compared is written, then memory.
 */
#include "gencc/test/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gencc/test/compare.h"

enum { PIPE_READ = 3, PIPE_WRITE = 4, MAX_PIECES = 160 };

/* Bytes of the signal's frame. */
struct piece {
    unsigned at, bytes;
};

static const char script[] = "#!/bin/sh\n"
                             "# Runs all programs: check [COMMAND], for example check qemu-mipsel. "
                             "Without one the host does.\n"
                             "cd \"$(dirname \"$0\")\" || exit 2\n"
                             "good=0 bad=0\n"
                             "for elf in *.elf; do\n"
                             "    if timeout 10 \"$@\" ./\"$elf\" 2>/dev/null </dev/null | cmp -s "
                             "- \"${elf%.elf}.expected\"; then\n"
                             "        good=$((good + 1))\n"
                             "    else\n"
                             "        bad=$((bad + 1))\n"
                             "        echo \"$elf\"\n"
                             "    fi\n"
                             "done\n"
                             "echo \"$good agree, $bad differ\"\n"
                             "[ $bad -eq 0 ]\n";

static FILE *create(const char *path)
{
    FILE *o = fopen(path, "wb");

    if (!o)
        fprintf(stderr, "gencc test: %s: %s\n", path, strerror(errno));
    return o;
}

bool output_begin(const char *folder)
{
    char path[4096];
    FILE *o;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "gencc test: %s: %s\n", folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof(path), "%s/check", folder);
    o = create(path);
    if (!o)
        return false;
    fputs(script, o);
    return fclose(o) == 0 && chmod(path, 0755) == 0;
}

/* Bytes of the part that the description has. */
static struct piece piece_of(const struct frame *f, const struct carried *part)
{
    unsigned bytes = part->bytes;

    if (part->kind == ABI_REGISTER && part->place.bytes < bytes)
        bytes = part->place.bytes;
    return (struct piece){part->at + (f->facts->big_endian ? part->bytes - bytes : 0), bytes};
}

/* Fills pieces with the signal's number and all parts that are compared; those that follow each
 * other become one. Returns their count, or 0 if there are too many. */
static unsigned find_pieces(const struct frame *f, struct piece *pieces)
{
    unsigned count = 0;

    pieces[count++] = (struct piece){f->info_at, 4};
    vec_for_each (&f->parts, part) {
        struct piece piece = piece_of(f, part), *last = &pieces[count - 1];

        if (part->lost)
            continue;
        if (last->at + last->bytes == piece.at)
            last->bytes += piece.bytes;
        else if (count == MAX_PIECES)
            return 0;
        else
            pieces[count++] = piece;
    }
    return count;
}

static bool put_calls(struct harness *h, const struct program *p, const struct piece *pieces,
                      unsigned count)
{
    struct frame_call after[MAX_PIECES + 2], boot[BOOT_CALLS + 3];
    uint64_t frame = h->base + ALT_AT + h->dump_at, fds = h->base + DATA_AT + 0x200;
    uint64_t state = h->base + (count + 2) * h->stride, first = h->base + BOOT_AT + BOOT_BYTES;
    unsigned calls = harness_boot(h, boot);

    for (unsigned n = 0; n < count; n++)
        after[n] =
            (struct frame_call){"write", 3, {1, frame + pieces[n].at, pieces[n].bytes}, 0, 0};
    after[count] = (struct frame_call){"write", 3, {1, h->base + MEMORY_AT, PAGE_BYTES}, 0, 0};
    after[count + 1] = (struct frame_call){"exit_group", 1, {0}, 0, 0};
    first -= h->stride;
    boot[calls++] = (struct frame_call){"pipe2", 2, {fds, 0}, 0, 0};
    boot[calls++] = (struct frame_call){"write", 3, {PIPE_WRITE, first, h->stride}, 0, 0};
    boot[calls++] = (struct frame_call){"read", 3, {PIPE_READ, h->base, h->stride}, 0, 0};
    if (state + h->stride > h->base + CHAIN_BYTES || (calls + 1) * h->stride > BOOT_BYTES) {
        fputs("gencc test: the ABI's frames are too large for --output\n", stderr);
        return false;
    }
    if (!harness_begin(h) || !harness_chain(h, 0, after, count + 2, state) ||
        !harness_chain(h, BOOT_AT, boot, calls, state))
        return false;
    memcpy(h->image + (first - h->base), h->image, h->stride);
    machine_load(h->frame->m, &p->before);
    frame_write(h->frame, h->image + (state - h->base), h->base + ALT_AT, ALT_BYTES);
    memcpy(h->image + CODE_AT, p->code, PAGE_BYTES);
    memcpy(h->image + MEMORY_AT, p->before.w.memory, PAGE_BYTES);
    return true;
}

static bool write_expected(const struct harness *h, const struct program *p,
                           const struct piece *pieces, unsigned count, const char *path)
{
    static uint8_t frame[0x10000];
    const struct abi_facts *f = h->frame->facts;
    FILE *o = create(path);

    if (!o)
        return false;
    machine_load(h->frame->m, &p->after);
    memset(frame, 0, sizeof(frame));
    guest_put(f, frame + h->frame->info_at, signal_expected(h->frame), 4);
    vec_for_each (&h->frame->parts, part)
        guest_put(f, frame + part->at, frame_part(h->frame, part), part->bytes);
    for (unsigned n = 0; n < count; n++)
        fwrite(frame + pieces[n].at, pieces[n].bytes, 1, o);
    fwrite(p->after.w.memory, PAGE_BYTES, 1, o);
    return fclose(o) == 0;
}

bool output_program(struct harness *h, const struct program *p, const char *folder, unsigned number)
{
    struct piece pieces[MAX_PIECES];
    unsigned count = find_pieces(h->frame, pieces);
    char path[4096];

    if (!count) {
        fputs("gencc test: the ABI's frames have too many parts for --output\n", stderr);
        return false;
    }
    snprintf(path, sizeof(path), "%s/%06u.expected", folder, number);
    if (!put_calls(h, p, pieces, count) || !write_expected(h, p, pieces, count, path))
        return false;
    snprintf(path, sizeof(path), "%s/%06u.elf", folder, number);
    return harness_write(h, path);
}
