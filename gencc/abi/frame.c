/*
 * The statement `frame`: the layout of the stack frame that a signal handler is entered with.
 */
#include "gencc/abi/internal.h"

#include <inttypes.h>
#include <string.h>

enum {
    INFO_BYTES = 128,   /* siginfo_t */
    MOST_BYTES = 65535, /* largest frame */
    HEAD_BYTES = 8,     /* magic number and size of a record */
    RECORD_ALIGN = 16
};

struct label {
    const char *name;
    unsigned at;
};

/* A frame that is being laid out, or a record of a frame's list. */
struct frame {
    struct frame *outer;       /* a record's frame; NULL: this is a frame */
    unsigned at, align, items; /* offset of the next item; largest alignment; number of items */
    unsigned enters;           /* number of enter_lines */
    unsigned list_at;          /* offset of the next record of the list */
    VEC(struct abi_item) facts;
    VEC(struct label) labels;
    VEC(const char *) lines, enter_lines; /* C of the items; of what registers hold */
};

static unsigned word_bytes(const struct words *w)
{
    return w->abi->m->word_bits / 8;
}

static void align_to(struct frame *f, unsigned align)
{
    f->at = (f->at + align - 1) / align * align;
    f->align = align > f->align ? align : f->align;
}

/* Adds to the facts what the item added last is, unless it has no kind there. */
static void add_fact(struct words *w, struct frame *f, struct abi_item item)
{
    item.at = f->at - item.bytes * item.count;
    vec_push_in(w->abi->a, &f->facts, item);
}

/* Adds an item of `count` elements of `bytes` bytes each; `rest` is C of further members. */
static void add_item(struct words *w, struct frame *f, const char *kind, unsigned bytes,
                     unsigned count, const char *rest)
{
    vec_push_in(w->abi->a, &f->lines,
                arena_printf(w->abi->a, "    {.kind = %s, .at = %u, .bytes = %u, .count = %u%s},\n",
                             kind, f->at, bytes, count, rest));
    f->items++;
    if ((uint64_t)f->at + (uint64_t)bytes * count > MOST_BYTES)
        words_error(w, "a frame of at most 65535 bytes");
    else
        f->at += bytes * count;
}

/* Reads `bytes N`, N being a power of 2 up to 16; without it an element is a word. Aligns the next
 * item to its size. */
static unsigned element_bytes(struct words *w, struct frame *f)
{
    unsigned bytes = word_bytes(w);

    if (words_accept(w, "bytes"))
        bytes = (unsigned)words_number(w, 1, 16);
    if (!bytes || (bytes & (bytes - 1)))
        words_error(w, "a power of 2 as bytes");
    align_to(f, bytes && !(bytes & (bytes - 1)) ? bytes : 1);
    return bytes;
}

/* ---- items ----------------------------------------------------------------------------------- */

static void read_register_item(struct words *w, struct frame *f)
{
    const struct abi_word *name = words_name(w);
    unsigned count = words_accept(w, "count") ? (unsigned)words_number(w, 1, 256) : 1, bytes;
    bool saved;

    bytes = element_bytes(w, f);
    if (!w->failed && !has_registers(w->abi, name->text, count)) {
        w->failed = true;
        diag_error(w->abi->d, name->pos, "the description has no %u register%s '%s'", count,
                   count == 1 ? "" : "s from", name->text);
    }
    saved = words_accept(w, "saved");
    add_item(
        w, f, "FRAME_REGISTER", bytes, count,
        arena_printf(w->abi->a, ", .name = \"%s\"%s", name->text, saved ? ", .saved = true" : ""));
    add_fact(w, f,
             (struct abi_item){.kind = ABI_REGISTER,
                               .bytes = bytes,
                               .count = count,
                               .name = name->text,
                               .saved = saved});
}

static void read_value_item(struct words *w, struct frame *f, bool is_number)
{
    const char *kind = is_number ? "FRAME_NUMBER" : "FRAME_VALUE";
    uint64_t number = words_value(w), must = 0, is = 0;
    unsigned count = words_accept(w, "count") ? (unsigned)words_number(w, 1, 256) : 1;
    unsigned bytes = element_bytes(w, f);

    if (words_accept(w, "must")) {
        must = words_value(w);
        words_expect(w, "=");
        is = words_value(w);
    }
    for (unsigned n = 0; n < count; n++) {
        add_item(w, f, kind, bytes, 1,
                 arena_printf(w->abi->a,
                              ", .value = %#" PRIx64 ", .must = %#" PRIx64 ", .is = %#" PRIx64,
                              number + n, must, is));
        add_fact(w, f,
                 (struct abi_item){.kind = is_number ? ABI_CONSTANT : ABI_VALUE,
                                   .bytes = bytes,
                                   .count = 1,
                                   .value = number + n,
                                   .must = must,
                                   .is = is});
    }
}

static void read_item(struct words *w, void *opaque);

/* Reads a record. Offsets of its items are relative to the record, and their C follows the record's
 * own line. */
static void read_record(struct words *w, void *opaque)
{
    struct frame *f = opaque, inner = {.outer = f, .at = HEAD_BYTES, .align = 1};
    uint64_t magic;

    words_expect(w, "record");
    magic = words_value(w);
    words_block(w, read_item, &inner);
    inner.at = (inner.at + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
    vec_push_in(
        w->abi->a, &f->lines,
        arena_printf(w->abi->a,
                     "    {.kind = FRAME_RECORD, .bytes = %u, .count = %u, .value = %#" PRIx64
                     "},\n",
                     inner.at, inner.items, magic));
    vec_for_each (&inner.lines, line)
        vec_push_in(w->abi->a, &f->lines, *line);
    vec_push_in(w->abi->a, &f->facts,
                ((struct abi_item){ABI_HEAD, f->list_at, inner.at, 1, .value = magic}));
    vec_for_each (&inner.facts, fact) {
        fact->at += f->list_at;
        vec_push_in(w->abi->a, &f->facts, *fact);
    }
    f->list_at += inner.at;
    f->items += 1 + inner.items;
}

static void read_list_item(struct words *w, struct frame *f)
{
    unsigned bytes;

    align_to(f, 8);
    bytes = (unsigned)words_number(w, 1, MOST_BYTES);
    if (f->outer)
        words_error(w, "no list inside of a record");
    f->list_at = f->at;
    add_item(w, f, "FRAME_LIST", bytes, 1, "");
    words_block(w, read_record, f);
}

/* ---- what registers have when a handler begins ----------------------------------------------- */

static void read_place(struct words *w, const struct frame *f, unsigned *at)
{
    const struct abi_word *name = words_name(w);
    const char *known[16] = {NULL};
    unsigned count = 0;

    vec_for_each (&f->labels, l) {
        if (!strcmp(l->name, name->text)) {
            *at = l->at;
            return;
        }
        if (count < 15)
            known[count++] = l->name;
    }
    words_unknown(w, name, "label", known);
}

static void read_enter(struct words *w, void *opaque)
{
    struct frame *f = opaque;
    const char *reg = words_register(w), *kind = "ENTER_NUMBER";
    uint64_t number = 0;
    unsigned at = 0;

    words_expect(w, "=");
    if (words_accept(w, "signal")) {
        kind = "ENTER_SIGNAL";
    } else if (words_accept(w, "return")) {
        kind = "ENTER_RETURN";
    } else if (words_accept(w, "handler")) {
        kind = "ENTER_HANDLER";
    } else if (words_accept(w, "place")) {
        kind = "ENTER_PLACE";
        read_place(w, f, &at);
        number = at;
    } else {
        number = words_value(w);
    }
    vec_push_in(w->abi->a, &f->enter_lines,
                arena_printf(w->abi->a, "    {\"%s\", %s, %s, %#" PRIx64 "},\n", reg, kind,
                             words_accept(w, "siginfo") ? "true" : "false", number));
    f->enters++;
    words_finish(w, false);
}

static void read_item(struct words *w, void *opaque)
{
    struct frame *f = opaque;

    if (words_accept(w, "gap")) {
        f->at += (unsigned)words_number(w, 1, MOST_BYTES);
        if (f->at > MOST_BYTES)
            words_error(w, "a frame of at most 65535 bytes");
    } else if (words_accept(w, "align")) {
        align_to(f, (unsigned)words_number(w, 1, 64));
    } else if (words_accept(w, "label")) {
        vec_push_in(w->abi->a, &f->labels, ((struct label){words_name(w)->text, f->at}));
    } else if (words_accept(w, "info")) {
        add_item(w, f, "FRAME_INFO", INFO_BYTES, 1, "");
        add_fact(w, f, (struct abi_item){.kind = ABI_INFO, .bytes = INFO_BYTES, .count = 1});
    } else if (words_accept(w, "stack")) {
        align_to(f, word_bytes(w));
        add_item(w, f, "FRAME_STACK", 3 * word_bytes(w), 1, "");
        add_fact(w, f,
                 (struct abi_item){.kind = ABI_STACK, .bytes = 3 * word_bytes(w), .count = 1});
    } else if (words_accept(w, "mask")) {
        unsigned bytes;

        align_to(f, word_bytes(w));
        bytes = words_accept(w, "bytes") ? (unsigned)words_number(w, 4, 16) : w->abi->set_bytes;
        add_item(w, f, "FRAME_MASK", bytes, 1, "");
        add_fact(w, f, (struct abi_item){.kind = ABI_MASK, .bytes = bytes, .count = 1});
    } else if (words_accept(w, "pc")) {
        unsigned bytes = element_bytes(w, f);

        add_item(w, f, "FRAME_PC", bytes, 1, "");
        add_fact(w, f, (struct abi_item){.kind = ABI_PC, .bytes = bytes, .count = 1});
    } else if (words_accept(w, "fault")) {
        unsigned bytes = element_bytes(w, f);

        add_item(w, f, "FRAME_FAULT", bytes, 1, "");
    } else if (words_accept(w, "registers")) {
        read_register_item(w, f);
    } else if (words_accept(w, "value")) {
        read_value_item(w, f, false);
    } else if (words_accept(w, "number")) {
        read_value_item(w, f, true);
    } else if (words_accept(w, "list")) {
        read_list_item(w, f);
        return;
    } else if (words_accept(w, "enter")) {
        words_block(w, read_enter, f);
        return;
    } else {
        words_error(w, "an item of a frame");
    }
    words_finish(w, false);
}

/* ---- the whole frame ------------------------------------------------------------------------- */

void read_frame(struct words *w)
{
    unsigned plain = words_accept(w, "plain"), align, return_at;
    struct frame f = {.align = 1};
    FILE *o = w->abi->arrays;

    words_expect(w, "align");
    align = (unsigned)words_number(w, 1, 64);
    words_expect(w, "return");
    return_at = (unsigned)words_number(w, 0, 4092);
    if (w->abi->frames & (plain ? 1 : 2))
        words_error(w, "one frame of this kind");
    words_block(w, read_item, &f);
    w->abi->frames |= plain ? 1 : 2;
    align_to(&f, f.align);
    fprintf(o, "static const struct frame_item items_%u[] = {\n", !plain);
    vec_for_each (&f.lines, line)
        fputs(*line, o);
    fprintf(o, "    {0},\n};\nstatic const struct frame_enter enters_%u[] = {\n", !plain);
    vec_for_each (&f.enter_lines, line)
        fputs(*line, o);
    fputs("    {0},\n};\n\n", o);
    w->abi->frame = arena_printf(w->abi->a, "{%u, %u, %u, %u, %u, items_%u, enters_%u}", f.at,
                                 align, return_at, f.items, f.enters, !plain, !plain);
    fprintf(w->abi->members, "    .frames[%u] = %s,\n", !plain, w->abi->frame);
    if (!plain && w->abi->facts) {
        w->abi->facts->frame_bytes = f.at;
        w->abi->facts->frame_align = align;
        w->abi->facts->return_at = return_at;
        vec_for_each (&f.facts, fact)
            vec_push_in(w->abi->a, &w->abi->facts->items, *fact);
    }
}
