/*
 * A frame that Mesa drew for a G72, on the GPU behind its registers: the driver gives the tiler its
 * heap page by page. Faults of each kind of job, after which the same frame is drawn as before; and
 * two frames at once, which are stopped.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/compute.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "tests/gpu_device/board.h"

#define SCENE FRAME_SCENES "/gradbias.G72"
#define LONG  UINT64_C(2000000000)
#define PAGE  UINT64_C(4096)
#define WILD  UINT64_C(0x123456789000)

enum {
    TILER = 1, /* slots, as Linux uses them */
    FRAGMENT = 0,
    LARGEST = 1 << 20, /* larger segments are heaps */
    MAX_SEGMENTS = 64,
    RUNNING = 0x1000, /* no status: the job waits for a page that the driver does not have */
};

extern const struct gpu_isa bifrost_isa;

/* The scene in an address space of the board. */
struct frame {
    struct board *d;
    struct gpu_snapshot *s;
    struct gpu_snapshot_kept *kept;
    unsigned as;
    uint64_t root;
    uint64_t *pages[MAX_SEGMENTS]; /* physical address of each page of a segment; NULL: a heap */
    unsigned heap_pages;           /* pages that the driver has left for heaps */
};

static struct board *new_board(void)
{
    struct board *d = board_new_gpu(gpu_variant_by_name("g72"), &bifrost_isa);

    driver_resume(d);
    return d;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Copies all but heaps to the board, or (`back`) from it. */
static void copy_frame(struct frame *f, bool back)
{
    for (size_t i = 0; i < f->s->segment_count; i++) {
        uint8_t *host = f->s->segments[i].host;

        for (uint64_t at = 0; f->pages[i] && at < f->s->segments[i].bytes; at += 4) {
            uint64_t pa = f->pages[i][at / PAGE] + at % PAGE;
            uint32_t word = back ? peek(f->d, pa) : 0;

            if (back)
                memcpy(host + at, &word, sizeof(word));
            memcpy(&word, host + at, sizeof(word));
            if (!back)
                poke(f->d, pa, word);
        }
    }
}

static void open_frame(struct frame *f, struct board *d, unsigned as)
{
    struct error err = {""};

    *f = (struct frame){.d = d, .as = as, .heap_pages = 1000, .root = space_new(d)};
    f->s = gpu_snapshot_read(SCENE ".snap.elf", &err);
    if (!f->s)
        fail_msg("%s", err.text);
    assert_in_range(f->s->segment_count, 1, MAX_SEGMENTS);
    f->kept = gpu_snapshot_keep(f->s);
    for (size_t i = 0; i < f->s->segment_count; i++) {
        const struct gpu_snapshot_segment *g = &f->s->segments[i];

        if (g->bytes > LARGEST)
            continue;
        f->pages[i] = xcalloc(g->bytes / PAGE, sizeof(**f->pages));
        for (uint64_t at = 0; at < g->bytes; at += PAGE) {
            f->pages[i][at / PAGE] = board_page(d);
            space_map(d, f->root, g->va + at, f->pages[i][at / PAGE],
                      PAGE_RW | (g->execute ? PAGE_X : 0));
        }
    }
    copy_frame(f, false);
    driver_enable(d, as, f->root);
}

static void close_frame(struct frame *f)
{
    for (size_t i = 0; i < f->s->segment_count; i++)
        free(f->pages[i]);
    gpu_snapshot_kept_free(f->kept);
    gpu_snapshot_free(f->s);
}

/* Makes the frame as Mesa left it, in an address space that works. */
static void restore_frame(struct frame *f)
{
    gpu_snapshot_restore(f->s, f->kept);
    copy_frame(f, false);
    driver_enable(f->d, f->as, f->root);
}

/* Reads or writes the scene's memory, before it is copied to the board. */
static uint64_t get_word(const struct frame *f, uint64_t va)
{
    uint64_t v;
    struct gpu_fault fault;

    assert_true(gpu_memory_read(&f->s->space, va, &v, sizeof(v), &fault));
    return v;
}

static void put_bytes(const struct frame *f, uint64_t va, const void *bytes, size_t len)
{
    struct gpu_fault fault;

    assert_true(gpu_memory_write(&f->s->space, va, bytes, len, &fault));
}

/* The address of the first draw's descriptor, of its fragments. */
static uint64_t first_draw(const struct frame *f)
{
    return f->s->submits[0].head + MALI_JOB_HEADER_BYTES +
           MALI_INDEXED_VERTEX_PAYLOAD_FRAGMENT_DRAW_OFFSET;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static bool is_heap(const struct frame *f, uint64_t va)
{
    for (size_t i = 0; i < f->s->segment_count; i++)
        if (!f->pages[i] && va - f->s->segments[i].va < f->s->segments[i].bytes)
            return true;
    return false;
}

/* Serves a page fault of the heap; false: the driver has no page for that address. */
static bool serve_fault(struct frame *f)
{
    uint64_t va = rd(f->d, MALI_AS_FAULTADDRESS_LO(f->as)) |
                  (uint64_t)rd(f->d, MALI_AS_FAULTADDRESS_HI(f->as)) << 32;

    if (!is_heap(f, va) || !f->heap_pages)
        return false;
    f->heap_pages--;
    space_map(f->d, f->root, va & ~(PAGE - 1), board_page(f->d), PAGE_RW);
    wr(f->d, MALI_MMU_IRQ_CLEAR, UINT32_C(0x10001) << f->as);
    driver_flush(f->d, f->as, va);
    return true;
}

static void start(struct frame *f, unsigned slot, uint64_t head)
{
    driver_submit(f->d, slot, head, f->as);
}

/* Waits for the slot, and serves faults. Returns the chain's status, or RUNNING at a fault that
 * cannot be served. */
static uint32_t finish(struct frame *f, unsigned slot)
{
    uint32_t bits = UINT32_C(0x10001) << slot;

    for (uint64_t end = f->d->now + LONG; f->d->now < end; board_wait(f->d, 1000)) {
        if (rd(f->d, MALI_JOB_IRQ_RAWSTAT) & bits)
            return driver_finish(f->d, slot, 1, NULL);
        if (rd(f->d, MALI_MMU_IRQ_RAWSTAT) >> f->as & 1 && !serve_fault(f))
            return RUNNING;
    }
    fail_msg("slot %u does not end", slot);
    return RUNNING;
}

static uint32_t run(struct frame *f, unsigned slot)
{
    start(f, slot, f->s->submits[slot == TILER ? 0 : 1].head);
    return finish(f, slot);
}

/* Asserts that the pixels are those that are expected of the scene. */
static void check_pixels(struct frame *f)
{
    uint64_t differences = 1;
    struct error err = {""};

    copy_frame(f, true);
    if (!gpu_snapshot_compare(f->s, SCENE ".expect.elf", stderr, &differences, &err))
        fail_msg("%s", err.text);
    assert_int_equal(differences, 0);
}

/* The frame, as Mesa left it, is drawn. */
static void check_frame(struct frame *f)
{
    restore_frame(f);
    assert_int_equal(run(f, TILER), MALI_EXCEPTION_DONE);
    assert_int_equal(run(f, FRAGMENT), MALI_EXCEPTION_DONE);
    check_pixels(f);
}

/* What panfrost does about a fault that it cannot serve: the job fails. */
static void give_up(struct frame *f, unsigned slot)
{
    wr(f->d, MALI_MMU_IRQ_CLEAR, UINT32_C(0x10001) << f->as);
    driver_disable(f->d, f->as);
    assert_int_equal(driver_finish(f->d, slot, LONG, NULL), MALI_EXCEPTION_JOB_BUS_FAULT);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_growing_heap(void **unused)
{
    struct frame f;

    (void)unused;
    open_frame(&f, new_board(), 0);
    check_frame(&f);
    assert_true(f.heap_pages < 1000);
    check_frame(&f); /* with the heap that is there */
    close_frame(&f);
    board_free(f.d);
}

/* A texture whose surface is nowhere: the fragment job reads there, and fails. */
static void test_wild_texture(void **unused)
{
    const uint64_t wild = WILD;
    struct frame f;
    uint64_t textures, surfaces;

    (void)unused;
    open_frame(&f, new_board(), 0);
    textures = get_word(&f, first_draw(&f) + MALI_DRAW_TEXTURES_OFFSET);
    surfaces = get_word(&f, textures + MALI_TEXTURE_SURFACES_OFFSET);
    for (unsigned level = 0; level < 7; level++)
        put_bytes(&f, surfaces + level * MALI_SURFACE_BYTES, &wild, sizeof(wild));
    copy_frame(&f, false);
    assert_int_equal(run(&f, TILER), MALI_EXCEPTION_DONE);
    assert_int_equal(run(&f, FRAGMENT), RUNNING);
    assert_int_equal(rd(f.d, MALI_AS_FAULTADDRESS_HI(0)), WILD >> 32);
    assert_int_equal(rd(f.d, MALI_AS_FAULTSTATUS(0)),
                     MALI_EXCEPTION_TRANSLATION_FAULT | MALI_FAULT_ACCESS_READ << 8);
    give_up(&f, FRAGMENT);
    check_frame(&f);
    close_frame(&f);
    board_free(f.d);
}

/* A fragment shader without an end, which a hard stop ends and a soft stop does not. */
static void test_endless_shader(void **unused)
{
    /* ds(0) nbb ncph { *NOP t0; +JUMP t1, clause_0 } */
    static const uint8_t loop[32] = {0x0b, 0x40, 0,    0,    0x40, 0x18, 0xcb, 0x80, 0xd3,
                                     0xfc, 0x03, 0xc0, 0x08, 0,    0,    0,    0x70, [31] = 0xa0};
    struct frame f;
    uint64_t state;

    (void)unused;
    open_frame(&f, new_board(), 0);
    check_frame(&f);
    restore_frame(&f);
    state = get_word(&f, first_draw(&f) + MALI_DRAW_STATE_OFFSET);
    put_bytes(&f, get_word(&f, state), loop, sizeof(loop));
    copy_frame(&f, false);
    assert_int_equal(run(&f, TILER), MALI_EXCEPTION_DONE);
    start(&f, FRAGMENT, f.s->submits[1].head);
    board_wait(f.d, 1000000);
    wr(f.d, MALI_JS_COMMAND(FRAGMENT), MALI_SLOT_COMMAND_SOFT_STOP);
    board_wait(f.d, 1000000);
    assert_int_equal(rd(f.d, MALI_JS_STATUS(FRAGMENT)), MALI_EXCEPTION_ACTIVE);
    wr(f.d, MALI_JS_COMMAND(FRAGMENT), MALI_SLOT_COMMAND_HARD_STOP);
    assert_int_equal(finish(&f, FRAGMENT), MALI_EXCEPTION_TERMINATED);
    check_frame(&f);
    close_frame(&f);
    board_free(f.d);
}

/* The driver has no page for the heap, or the heap's end is reached before its pages' is. */
static void test_exhausted_heap(void **unused)
{
    struct frame f;
    uint64_t heap, end;

    (void)unused;
    open_frame(&f, new_board(), 0);
    f.heap_pages = 0;
    assert_int_equal(run(&f, TILER), RUNNING);
    give_up(&f, TILER);
    f.heap_pages = 1000;
    check_frame(&f);

    restore_frame(&f);
    heap = get_word(&f, f.s->submits[0].head + MALI_JOB_HEADER_BYTES +
                            MALI_INDEXED_VERTEX_PAYLOAD_TILER_OFFSET);
    heap = get_word(&f, heap + MALI_TILER_CONTEXT_HEAP_OFFSET);
    end = get_word(&f, heap + MALI_TILER_HEAP_BOTTOM_OFFSET) + 128;
    put_bytes(&f, heap + MALI_TILER_HEAP_TOP_OFFSET, &end, sizeof(end));
    copy_frame(&f, false);
    assert_int_equal(run(&f, TILER), MALI_EXCEPTION_OUT_OF_MEMORY);
    check_frame(&f);
    close_frame(&f);
    board_free(f.d);
}

/*
 * The fragments of a frame and the vertices of another at once. A soft stop of the vertices leaves
 * the rest of their chain, whose head the slot tells; a hard stop of the fragments leaves a job to
 * start again. Nothing is drawn twice.
 */
static void test_two_slots(void **unused)
{
    struct board *d = new_board();
    struct frame a, b;
    uint64_t tail;

    (void)unused;
    open_frame(&a, d, 0);
    open_frame(&b, d, 1);
    check_frame(&b); /* its heap has pages now */
    restore_frame(&b);
    assert_int_equal(run(&a, TILER), MALI_EXCEPTION_DONE);
    start(&a, FRAGMENT, a.s->submits[1].head);
    start(&b, TILER, b.s->submits[0].head);
    board_wait(d, 2000);
    assert_int_equal(rd(d, MALI_JS_STATUS(TILER)), MALI_EXCEPTION_ACTIVE);
    assert_int_equal(rd(d, MALI_JS_STATUS(FRAGMENT)), MALI_EXCEPTION_ACTIVE);
    wr(d, MALI_JS_COMMAND(TILER), MALI_SLOT_COMMAND_SOFT_STOP);
    wr(d, MALI_JS_COMMAND(FRAGMENT), MALI_SLOT_COMMAND_HARD_STOP);
    assert_int_equal(finish(&b, TILER), MALI_EXCEPTION_STOPPED);
    assert_int_equal(finish(&a, FRAGMENT), MALI_EXCEPTION_TERMINATED);
    tail = rd(d, MALI_JS_TAIL_LO(TILER)) | (uint64_t)rd(d, MALI_JS_TAIL_HI(TILER)) << 32;
    assert_true(tail != b.s->submits[0].head);
    start(&b, TILER, tail);
    start(&a, FRAGMENT, a.s->submits[1].head);
    assert_int_equal(finish(&b, TILER), MALI_EXCEPTION_DONE);
    assert_int_equal(finish(&a, FRAGMENT), MALI_EXCEPTION_DONE);
    assert_int_equal(run(&b, FRAGMENT), MALI_EXCEPTION_DONE);
    check_pixels(&a);
    check_pixels(&b);
    close_frame(&a);
    close_frame(&b);
    board_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing_heap),   cmocka_unit_test(test_wild_texture),
        cmocka_unit_test(test_endless_shader), cmocka_unit_test(test_exhausted_heap),
        cmocka_unit_test(test_two_slots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
