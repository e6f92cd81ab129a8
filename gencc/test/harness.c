/*
 * Makes the harness; see harness.h.
 */
#include "gencc/test/harness.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"

/* ---- the instruction ------------------------------------------------------------------------- */

/* Random states in which words are tried. */
enum { STATES = 24 };

struct trial {
    struct harness *h;
    struct place stack;
    struct words words;
    struct snapshot state[STATES];
    uint8_t *useful; /* by form->index: 1: a word set the stack pointer alike from two states */
};

static void make_states(struct trial *t)
{
    struct machine *m = t->h->frame->m;
    struct random random = {1};

    m->code_at = 0x3000;
    for (unsigned n = 0; n < STATES; n++) {
        vec_for_each (&t->h->frame->parts, p)
            if (p->kind != ABI_PC)
                frame_set_part(t->h->frame, p, random_next(&random) & p->bits);
        m->w.pc = m->code_at + 64;
        m->w.mode = 0;
        m->w.leaving = WENT_ON;
        machine_save(m, &t->state[n]);
    }
}

/* Executes the word in state number n. Returns whether it went on to the next word. *sp receives
 * the stack pointer. */
static bool try_word(struct trial *t, u128 word, unsigned width, unsigned n, uint64_t *sp)
{
    struct machine *m = t->h->frame->m;

    machine_load(m, &t->state[n]);
    isa_word_store(m->isa[0], m->code + 64, word, width);
    machine_step(m);
    *sp = (uint64_t)place_read(m, &t->stack);
    return m->w.leaving == WENT_ON && m->w.pc == m->code_at + 64 + width / 8;
}

static bool is_base(const struct harness *h, uint64_t sp)
{
    unsigned bits = h->frame->facts->address_bits;

    return sp % 0x10000 == 0 && sp >= 0x100000 && sp < UINT64_C(0x60000000) && !(sp >> (bits - 1));
}

/* Whether the word sets the stack pointer to one and the same base from all states. */
static bool is_constant(struct trial *t, u128 word, unsigned width)
{
    uint64_t sp, first = 0;

    for (unsigned n = 0; n < STATES; n++) {
        if (!try_word(t, word, width, n, &sp) || !is_base(t->h, sp) || (n && sp != first))
            return false;
        first = sp;
    }
    t->h->base = first;
    t->h->word = word;
    t->h->word_bytes = width / 8;
    return true;
}

/* Tries words of the form, and notes whether it is useful. */
static bool try_form(struct trial *t, struct form *form, unsigned tries)
{
    struct machine *m = t->h->frame->m;
    unsigned width = form->instr->format->width;

    for (unsigned n = 0; n < tries; n++) {
        unsigned state = n % STATES;
        uint64_t sp, before, other;
        u128 word;

        machine_load(m, &t->state[state]);
        before = (uint64_t)place_read(m, &t->stack);
        if (!random_word(&t->words, form, &word))
            return false;
        if (!try_word(t, word, width, state, &sp) || sp == before ||
            !try_word(t, word, width, (state + 1) % STATES, &other) || sp != other)
            continue;
        t->useful[form->index] = 1;
        if (is_base(t->h, sp) && is_constant(t, word, width))
            return true;
    }
    return false;
}

/* All forms are tried a little, and the useful ones more and more. */
static bool find_word(struct trial *t)
{
    enum { FIRST = 60, LAST = 100 * FIRST };
    const struct isa *isa = t->h->frame->m->isa[0];

    for (unsigned first = FIRST; first <= LAST; first *= 10) {
        vec_for_each (&isa->forms, form)
            if (try_form(t, *form, first))
                return true;
        for (unsigned tries = 10 * first; tries <= 100 * first; tries *= 10)
            vec_for_each (&isa->forms, form)
                if (t->useful[(*form)->index] && try_form(t, *form, tries))
                    return true;
    }
    return false;
}

bool harness_prepare(struct harness *h, struct frame *frame)
{
    struct trial t = {.h = h, .words = {frame->m->text[0], 1}};
    struct machine *m = frame->m;
    const char *broke = machine_reset(m);
    unsigned forms = m->isa[0]->forms.len + 1;

    *h = (struct harness){.frame = frame, .dump_bytes = ALT_BYTES};
    if (broke || !place_find(m, frame->facts->stack, &t.stack)) {
        fprintf(stderr, "gencc test: %s\n", broke ? broke : "there is no stack pointer");
        return false;
    }
    t.useful = arena_alloc(m->model->arena, forms);
    memset(t.useful, 0, forms);
    make_states(&t);
    if (!find_word(&t)) {
        fputs("gencc test: no instruction sets the stack pointer to a constant\n", stderr);
        return false;
    }
    h->stride = (frame->facts->frame_bytes + 63) / 64 * 64;
    h->image = arena_alloc(m->model->arena, HARNESS_BYTES);
    m->code_at = h->base + CODE_AT;
    m->memory_at = h->base + MEMORY_AT;
    m->other_at = h->base;
    m->other_bytes = HARNESS_BYTES;
    return true;
}

/* ---- the image ------------------------------------------------------------------------------- */

/* Copies the words that call rt_sigreturn(); returns their size, or 0. */
static unsigned put_return(const struct harness *h, uint8_t *to)
{
    const struct abi_facts *f = h->frame->facts;

    vec_for_each (&f->parts, part) {
        unsigned from = (f->return_at - part->at) / 4;

        if (f->return_at < part->at || from >= part->words.len)
            continue;
        for (unsigned n = from; n < part->words.len; n++)
            guest_put(f, to + 4 * (n - from), part->words.data[n], 4);
        return 4 * (part->words.len - from);
    }
    return 0;
}

/* Writes the handler, and an instruction of calls that precedes a return. */
static bool put_gadget(struct harness *h)
{
    uint8_t *at = h->image + GADGET_AT;
    unsigned bytes, call_bytes = h->frame->facts->call_bytes[0];

    isa_word_store(h->frame->m->isa[0], at, h->word, h->word_bytes * 8);
    bytes = put_return(h, at + h->word_bytes);
    if (bytes <= call_bytes) {
        fputs("gencc test: the ABI's page has no code that returns from handlers\n", stderr);
        return false;
    }
    h->call_at = GADGET_AT + h->word_bytes + bytes - call_bytes;
    put_return(h, h->image + h->call_at + call_bytes);
    return true;
}

static void put_actions(struct harness *h)
{
    const struct abi_facts *f = h->frame->facts;
    uint8_t *to = h->image + DATA_AT;
    uint32_t flags = abi_flag(f, "SA_SIGINFO", SA_SIGINFO) | abi_flag(f, "SA_ONSTACK", SA_ONSTACK) |
                     abi_flag(f, "SA_NODEFER", SA_NODEFER);

    vec_for_each (&f->action, member) {
        uint64_t value = !member->name                      ? 0
                         : !strcmp(member->name, "handler") ? h->base + GADGET_AT
                         : !strcmp(member->name, "flags")   ? flags
                                                            : 0;

        for (unsigned n = 0; n < member->bytes; n += 8) {
            unsigned bytes = member->bytes - n < 8 ? member->bytes - n : 8;

            guest_put(f, to + n, n ? 0 : value, bytes);
        }
        to += member->bytes;
    }
    to = h->image + DATA_AT + 0x100;
    vec_for_each (&f->stack_t, m) {
        guest_put(f, to,
                  m->name && !strcmp(m->name, "sp")     ? h->base + ALT_AT
                  : m->name && !strcmp(m->name, "size") ? ALT_BYTES
                                                        : 0,
                  m->bytes);
        to += m->bytes;
    }
}

bool harness_chain(struct harness *h, uint64_t at, struct frame_call *calls, unsigned count,
                   uint64_t then)
{
    for (unsigned n = 0; n < count; n++) {
        calls[n].pc = h->base + h->call_at;
        calls[n].sp = n + 1 < count ? h->base + at + (n + 1) * h->stride : then;
        if (!frame_write_call(h->frame, h->image + at + n * h->stride, &calls[n], h->base + ALT_AT,
                              ALT_BYTES))
            return false;
    }
    return true;
}

bool harness_begin(struct harness *h)
{
    memset(h->image, 0, HARNESS_BYTES);
    put_actions(h);
    return put_gadget(h);
}

const struct harness_signal harness_signals[HARNESS_SIGNALS] = {{"SIGILL", SIGILL},
                                                                {"SIGSEGV", SIGSEGV},
                                                                {"SIGBUS", SIGBUS},
                                                                {"SIGTRAP", SIGTRAP},
                                                                {"SIGFPE", SIGFPE}};

unsigned harness_boot(const struct harness *h, struct frame_call *calls)
{
    const struct abi_facts *f = h->frame->facts;
    unsigned count = 0;

    calls[count++] = (struct frame_call){"sigaltstack", 2, {h->base + DATA_AT + 0x100, 0}, 0, 0};
    for (unsigned n = 0; n < HARNESS_SIGNALS; n++)
        calls[count++] =
            (struct frame_call){"rt_sigaction",
                                4,
                                {abi_signal(f, harness_signals[n].name, harness_signals[n].host),
                                 h->base + DATA_AT, 0, f->set_bytes},
                                0,
                                0};
    return count;
}

enum { STEADY = 5 };

bool harness_build(struct harness *h)
{
    uint64_t request = h->base + STEADY * h->stride;
    struct frame_call steady[STEADY] = {
        {"write", 3, {1, h->base + ALT_AT + h->dump_at, h->dump_bytes}, 0, 0},
        {"write", 3, {1, h->base + MEMORY_AT, PAGE_BYTES}, 0, 0},
        {"read", 3, {0, request, h->frame->facts->frame_bytes}, 0, 0},
        {"read", 3, {0, h->base + CODE_AT, PAGE_BYTES}, 0, 0},
        {"read", 3, {0, h->base + MEMORY_AT, PAGE_BYTES}, 0, 0},
    };
    struct frame_call boot[BOOT_CALLS + 1];
    unsigned count = harness_boot(h, boot);

    if ((STEADY + 1) * h->stride > CHAIN_BYTES || (BOOT_CALLS + 1) * h->stride > BOOT_BYTES) {
        fputs("gencc test: the ABI's frames are too large\n", stderr);
        return false;
    }
    /* The program starts with the first boot call in place of the chain, which is read over it. */
    boot[count++] = (struct frame_call){"read", 3, {0, h->base, h->stride}, 0, 0};
    return harness_begin(h) && harness_chain(h, 0, steady, STEADY, request) &&
           harness_chain(h, BOOT_AT, boot, count, h->base);
}

/* ---- the file -------------------------------------------------------------------------------- */

struct file {
    const struct abi_facts *f;
    uint8_t *to;
};

static void put(struct file *o, uint64_t value, unsigned bytes)
{
    guest_put(o->f, o->to, value, bytes);
    o->to += bytes;
}

static void put_segment(struct file *o, const struct harness *h, unsigned at, unsigned bytes)
{
    unsigned word = o->f->word_bytes;

    put(o, PT_LOAD, 4);
    if (word == 8)
        put(o, PF_R | PF_W | PF_X, 4);
    put(o, 0x1000 + at, word);
    put(o, h->base + at, word);
    put(o, h->base + at, word);
    put(o, bytes, word);
    put(o, bytes, word);
    if (word == 4)
        put(o, PF_R | PF_W | PF_X, 4);
    put(o, 0x1000, word);
}

static void put_header(const struct harness *h, uint8_t *to)
{
    const struct abi_facts *f = h->frame->facts;
    struct file o = {f, to};
    unsigned word = f->word_bytes;

    memcpy(to, ELFMAG, SELFMAG);
    to[EI_CLASS] = word == 8 ? ELFCLASS64 : ELFCLASS32;
    to[EI_DATA] = f->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    to[EI_VERSION] = EV_CURRENT;
    o.to += EI_NIDENT;
    put(&o, ET_EXEC, 2);
    put(&o, f->elf_machine, 2);
    put(&o, EV_CURRENT, 4);
    put(&o, h->base + GADGET_AT, word);
    put(&o, word == 8 ? 64 : 52, word);
    put(&o, 0, word);
    put(&o, f->elf_flags, 4);
    put(&o, word == 8 ? 64 : 52, 2);
    put(&o, word == 8 ? 56 : 32, 2);
    put(&o, 3, 2);
    put(&o, word == 8 ? 64 : 40, 2);
    put(&o, 0, 2);
    put(&o, 0, 2);
    put_segment(&o, h, 0, BOOT_AT + BOOT_BYTES);
    put_segment(&o, h, CODE_AT, PAGE_BYTES);
    put_segment(&o, h, MEMORY_AT, PAGE_BYTES);
}

bool harness_write(const struct harness *h, const char *path)
{
    uint8_t header[0x1000] = {0};
    FILE *o = fopen(path, "wb");
    bool ok;

    if (!o) {
        fprintf(stderr, "gencc test: %s: %s\n", path, strerror(errno));
        return false;
    }
    put_header(h, header);
    ok = fwrite(header, sizeof(header), 1, o) == 1;
    /* The first frame is the first of the boot chain. */
    ok = ok && fwrite(h->image + BOOT_AT, h->stride, 1, o) == 1;
    ok = ok && fwrite(h->image + h->stride, HARNESS_BYTES - h->stride, 1, o) == 1;
    ok = !fclose(o) && ok && !chmod(path, 0755);
    if (!ok)
        fprintf(stderr, "gencc test: %s cannot be written\n", path);
    return ok;
}
