/*
 * The bundles of a shader, found by following its branches.
 *
 * Bounds      GPU_WALK_GRAINS grains, two passes over a bundle: it is first found, and then visited
 */
#include "runtime/gpu/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/asm_text.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/shader/code.h"

enum { WORDS = GPU_WALK_GRAINS / 64, NONE = GPU_WALK_GRAINS };

struct walk {
    const struct gpu_isa *isa;
    const struct gpu_address_space *as;
    uint64_t start;
    uint32_t uniforms;         /* uniform words of the job */
    uint64_t reachable[WORDS]; /* bit g: a reachable bundle begins at grain g */
    uint64_t decoded[WORDS];   /* bits of `reachable` whose bundles were decoded */
    /* bundles that are certainly reached: by a branch, or because there is no other path */
    uint64_t needed[WORDS];
    unsigned lowest; /* all reachable bundles below this grain were decoded */
    bool is_complete, ends;
    /* Current bundle: */
    struct gpu_walked bundle;
    bool end;          /* no execution continues behind the bundle */
    unsigned branches; /* number of the bundle's branches */
    uint8_t code[GPU_MAX_BUNDLE_BYTES];
    char text[8192];
};

/* Reads the bundle at a grain. */
static void read_bundle(struct walk *w, unsigned index)
{
    uint64_t address = w->start + (uint64_t)index * w->isa->grain_bytes;
    size_t available = gpu_code_read(w->as, address, w->code, w->isa->max_bytes, NULL);
    struct asm_out out = {.text = w->text, .size = sizeof(w->text), .address = address};
    struct gpu_bundle bundle = {0};

    w->bundle = (struct gpu_walked){.address = address,
                                    .index = index,
                                    .code = w->code,
                                    .available = available,
                                    .text = w->text};
    w->bundle.bytes = w->isa->disasm_bundle(w->code, available, index, w->uniforms, &out);
    w->end = w->bundle.bytes && w->isa->unpack(w->code, available, address, &bundle) &&
             w->isa->bundle_flags(&bundle) & GPU_BUNDLE_END;
    w->bundle.ends = w->end;
}

/* ---- where a bundle leads to ----------------------------------------------------------------- */

static bool is_set(const uint64_t *bits, unsigned index)
{
    return bits[index / 64] >> index % 64 & 1;
}

static void want_grain(struct walk *w, int64_t index, bool needed)
{
    if (index < 0 || index >= GPU_WALK_GRAINS) {
        w->is_complete = false;
        return;
    }
    w->reachable[index / 64] |= UINT64_C(1) << index % 64;
    if (needed)
        w->needed[index / 64] |= UINT64_C(1) << index % 64;
    if (index < w->lowest)
        w->lowest = (unsigned)index;
}

/* Whether the branch whose target is at `at` in the text is always taken. */
static bool is_always(const struct walk *w, const char *at)
{
    const char *line = at, *end = at + strcspn(at, "\n"), *word;
    unsigned commas = 0;

    while (line > w->text && line[-1] != '\n')
        line--;
    for (const char *c = line; c < end; c++)
        commas += *c == ',';
    word = strstr(line, "always");
    return commas == 1 || (word && word < end);
}

static void branch_to(struct walk *w, int64_t index, const char *at)
{
    struct gpu_walked *b = &w->bundle;

    b->loops += index <= b->index;
    b->always |= is_always(w, at);
    if (b->target_count < GPU_WALK_TARGETS)
        b->targets[b->target_count++] = index;
    w->branches++;
    want_grain(w, index, true);
}

/* Finds the branches in the text of the bundle. `-> break` is the end of a lane. */
static void follow_branches(struct walk *w)
{
    int64_t end = w->bundle.index + (int64_t)(w->bundle.bytes / w->isa->grain_bytes);
    size_t length = strlen(w->isa->bundle_name);

    w->branches = 0;
    for (const char *at = w->text; *at; at++) {
        char *behind;
        long distance;

        if (!strncmp(at, w->isa->bundle_name, length) && at[length] == '_' &&
            isdigit((unsigned char)at[length + 1])) {
            branch_to(w, strtol(at + length + 1, NULL, 10), at);
        } else if (*at == '+' || *at == '-') {
            distance = strtol(at, &behind, 10);
            if (behind > at + 1 && !strncmp(behind, " -> ", 4) && strncmp(behind + 4, "break", 5))
                branch_to(w, end + distance, at);
        }
    }
}

/* The branch may always be taken, so the bytes behind it need not be code. */
static void want_next(struct walk *w, unsigned index)
{
    w->decoded[index / 64] |= UINT64_C(1) << index % 64;
    read_bundle(w, index);
    if (!w->bundle.bytes)
        return;
    follow_branches(w);
    w->ends |= w->end || w->branches;
    if (!w->end)
        want_grain(w, index + (int64_t)(w->bundle.bytes / w->isa->grain_bytes), !w->branches);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* The first grain from `index` on with a bit set in `bits` and not in `but` (may be NULL). */
static unsigned next_bit(const uint64_t *bits, const uint64_t *but, unsigned index)
{
    for (unsigned i = index / 64; i < WORDS; i++) {
        uint64_t word = bits[i] & ~(but ? but[i] : 0);

        if (i == index / 64)
            word &= ~UINT64_C(0) << index % 64;
        if (word)
            return i * 64 + (unsigned)__builtin_ctzll(word);
    }
    return NONE;
}

static void find_all(struct walk *w)
{
    unsigned index;

    want_grain(w, 0, true);
    while ((index = next_bit(w->reachable, w->decoded, w->lowest)) < NONE) {
        w->lowest = index + 1;
        want_next(w, index);
    }
}

static void visit_all(struct walk *w, gpu_walk_fn *visit, void *opaque)
{
    for (unsigned index = 0; (index = next_bit(w->decoded, NULL, index)) < NONE; index++) {
        read_bundle(w, index);
        if (w->bundle.bytes)
            follow_branches(w);
        else if (is_set(w->needed, index))
            w->is_complete = false;
        else
            continue;
        if (!visit(opaque, &w->bundle))
            return;
    }
}

bool gpu_walk_shader(const struct gpu_isa *isa, const struct gpu_address_space *as, uint64_t start,
                     uint32_t uniforms, gpu_walk_fn *visit, void *opaque)
{
    struct walk *w = xcalloc(1, sizeof(*w));
    bool whole;

    w->isa = isa;
    w->as = as;
    w->start = start;
    w->uniforms = uniforms;
    w->is_complete = true;
    find_all(w);
    visit_all(w, visit, opaque);
    whole = w->is_complete && w->ends;
    free(w);
    return whole;
}
