/*
 * Collects the facts of an ABI from its statements, which abi.c has checked.
 */
#include "gencc/abi/facts.h"

#include <string.h>

#include "gencc/abi/internal.h"

typedef struct abi_facts facts;

static unsigned number(struct words *w)
{
    return (unsigned)words_value(w);
}

/* Reads the number behind `name`, if it is next; otherwise returns 0. */
static uint32_t optional(struct words *w, const char *name)
{
    return words_accept(w, name) ? (uint32_t)words_value(w) : 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void read_arguments(struct words *w, facts *f)
{
    do
        f->argument[f->argument_count++] = words_name(w)->text;
    while (words_accept(w, ",") && f->argument_count < 6);
}

static void read_elf(struct words *w, facts *f)
{
    words_accept(w, "machine");
    f->elf_machine = number(w);
    f->elf_flags = optional(w, "flags");
}

static void read_call(struct words *w, facts *f)
{
    words_accept(w, "exception");
    f->call_class = number(w);
    words_accept(w, "bytes");
    f->call_bytes[0] = f->call_bytes[1] = number(w);
    if (words_accept(w, ","))
        f->call_bytes[1] = number(w);
}

static void read_exception(struct words *w, facts *f)
{
    struct abi_exception e = {.is_fault = words_accept(w, "fault")};

    e.number = number(w);
    e.mask = optional(w, "mask");
    e.value = optional(w, "value");
    words_accept(w, ":");
    e.signal = words_name(w)->text;
    vec_push_in(w->abi->a, &f->exceptions, e);
}

static void read_breakpoint(struct words *w, facts *f)
{
    struct abi_breakpoint b = {.mode = optional(w, "mode")};

    b.bytes = optional(w, "bytes");
    b.mask = optional(w, "mask");
    b.value = optional(w, "value");
    vec_push_in(w->abi->a, &f->breakpoints, b);
}

static void read_part(struct words *w, facts *f)
{
    struct abi_part part = {.at = optional(w, "at")};

    words_accept(w, ":");
    do
        vec_push_in(w->abi->a, &part.words, number(w));
    while (words_accept(w, ","));
    vec_push_in(w->abi->a, &f->parts, part);
}

static void read_config(struct words *w, facts *f)
{
    do
        vec_push_in(w->abi->a, &f->config, words_value(w));
    while (words_accept(w, ","));
}

/* `NAME = NUMBER` */
static struct abi_setting read_setting(struct words *w)
{
    struct abi_setting s = {.name = words_name(w)->text};

    words_accept(w, "=");
    s.value = words_value(w);
    return s;
}

/* `NUMBER : NAME …`; the call's arguments are not read. */
static void read_call_number(struct words *w, facts *f)
{
    struct abi_setting s = {.value = words_value(w)};

    words_accept(w, ":");
    s.name = words_name(w)->text;
    vec_push_in(w->abi->a, &f->calls, s);
}

static struct abi_member read_member(struct words *w, const facts *f)
{
    struct abi_member m = {NULL, optional(w, "gap")};

    if (m.bytes)
        return m;
    m.name = words_name(w)->text;
    words_accept(w, ":");
    if (words_accept(w, "set"))
        m.bytes = f->set_bytes;
    else if (words_accept(w, "word") || words_accept(w, "long"))
        m.bytes = f->word_bytes;
    else
        m.bytes = number(w);
    return m;
}

/* ---- statements with a block ----------------------------------------------------------------- */

static void read_items(const struct model *m, facts *f, const struct abi_node *node)
{
    const char *what = node->words.data[0].text;
    const char *name = node->words.len > 1 ? node->words.data[1].text : "";
    struct abi abi = {.m = m, .a = m->arena, .d = m->diag};

    vec_for_each (&node->items, item) {
        struct words w = {.abi = &abi, .node = *item};

        if (!strcmp(what, "exceptions"))
            read_exception(&w, f);
        else if (!strcmp(what, "breakpoints"))
            read_breakpoint(&w, f);
        else if (!strcmp(what, "page"))
            read_part(&w, f);
        else if (!strcmp(what, "start"))
            vec_push_in(m->arena, &f->settings, read_setting(&w));
        else if (!strcmp(what, "calls"))
            read_call_number(&w, f);
        else if (!strcmp(what, "struct") && !strcmp(name, "sigaction"))
            vec_push_in(m->arena, &f->action, read_member(&w, f));
        else if (!strcmp(what, "struct") && !strcmp(name, "stack"))
            vec_push_in(m->arena, &f->stack_t, read_member(&w, f));
        else if (!strcmp(what, "table") && !strcmp(name, "sigaction"))
            vec_push_in(m->arena, &f->flags, read_setting(&w));
        else if (!strcmp(what, "table") && !strcmp(name, "signal"))
            vec_push_in(m->arena, &f->signals, read_setting(&w));
    }
}

static void read_one(const struct model *m, facts *f, const struct abi_node *node)
{
    struct abi abi = {.m = m, .a = m->arena, .d = m->diag};
    struct words w = {.abi = &abi, .node = node};
    const char *what = words_name(&w)->text;
    const struct {
        const char *name, **member;
    } registers[] = {
        {"number", &f->number}, {"result", &f->result}, {"stack", &f->stack}, {"tls", &f->tls}};

    if (node->is_block)
        read_items(m, f, node);
    else if (!strcmp(what, "arguments"))
        read_arguments(&w, f);
    else if (!strcmp(what, "elf"))
        read_elf(&w, f);
    else if (!strcmp(what, "call"))
        read_call(&w, f);
    else if (!strcmp(what, "config"))
        read_config(&w, f);
    else if (!strcmp(what, "address_bits"))
        f->address_bits = number(&w);
    else if (!strcmp(what, "set_bytes"))
        f->set_bytes = number(&w);
    else if (!strcmp(what, "code_first"))
        f->code_first = true;
    else if (!strcmp(what, "tagged"))
        f->tagged = true;
    else if (!strcmp(what, "mode_bit"))
        f->mode_bit = true;
    for (unsigned n = 0; n < sizeof(registers) / sizeof(*registers); n++)
        if (!strcmp(what, registers[n].name))
            *registers[n].member = words_name(&w)->text;
}

/* Structures that the ABI does not list have asm-generic's layout. */
static void add_structures(const struct model *m, facts *f)
{
    const struct abi_member action[] = {
        {"handler", f->word_bytes}, {"flags", f->word_bytes}, {"mask", f->set_bytes}};
    const struct abi_member stack[] = {
        {"sp", f->word_bytes}, {"flags", 4}, {NULL, f->word_bytes - 4}, {"size", f->word_bytes}};

    for (unsigned n = 0; n < 3 && f->action.len < n + 1; n++)
        vec_push_in(m->arena, &f->action, action[n]);
    for (unsigned n = 0; n < 4 && f->stack_t.len < n + 1; n++)
        vec_push_in(m->arena, &f->stack_t, stack[n]);
}

const struct abi_facts *abi_read_facts(const struct model *m)
{
    facts *f = arena_alloc(m->arena, sizeof(*f));

    *f = (facts){.set_bytes = 8, .word_bytes = m->word_bits / 8};
    if (!m->ast->abi || !abi_read_frame(m, f))
        return NULL;
    vec_for_each (&m->mems, mem)
        f->big_endian |= mem->big_endian && !mem->is_fetch;
    for (int blocks = 0; blocks < 2; blocks++) /* sizes in blocks depend on the other statements */
        vec_for_each (&m->ast->abi->items, node)
            if ((*node)->is_block == blocks)
                read_one(m, f, *node);
    add_structures(m, f);
    return f;
}

/* ---- look-ups -------------------------------------------------------------------------------- */

uint32_t abi_call(const struct abi_facts *f, const char *name)
{
    vec_for_each (&f->calls, c)
        if (!strcmp(c->name, name))
            return (uint32_t)c->value;
    return UINT32_MAX;
}

uint32_t abi_signal(const struct abi_facts *f, const char *name, uint32_t host)
{
    vec_for_each (&f->signals, s)
        if (!strcmp(s->name, name))
            return (uint32_t)s->value;
    return host;
}

uint32_t abi_flag(const struct abi_facts *f, const char *name, uint32_t host)
{
    vec_for_each (&f->flags, s)
        if (!strcmp(s->name, name))
            return (uint32_t)s->value;
    return host;
}
