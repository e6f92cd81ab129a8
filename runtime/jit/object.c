/*
 * Loading ELF objects of LLVM: places their sections in one piece of the arena, and relocates
 * references between them and to the few C library functions that the code generator calls. All
 * other addresses are constants in the code.
 */
#include <elf.h>
#include <math.h>
#include <stdio.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/fault.h"
#include "runtime/jit/llvm_build.h"

enum { STUB_BYTES = 16, MAX_STUBS = 16 };

struct object {
    struct region *list;
    const char *failure;
    struct chunk *chunk;
    const char *data;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned count;
    size_t *place; /* by section: offset in the mapping, when it is loaded */
    uint8_t *base;
    ptrdiff_t write;            /* distance from the mapping to where it is written */
    size_t faults, fault_bytes; /* section of late.c: offset in the mapping, size */
    size_t stubs;               /* offset of the jumps to far functions */
    unsigned stub_count;
    const char *stub_name[MAX_STUBS];
};

static bool fail_load(struct object *o, const char *why)
{
    o->failure = why;
    return false;
}

/* Functions that code may call by name. */
static const struct {
    const char *name;
    void (*fn)(void);
} library[] = {
    {"jit_leave", (void (*)(void))jit_leave},
    {"jit_keep_avx", jit_keep_avx},
    {"jit_keep2_avx", jit_keep2_avx},
    {"jit_keep_sse", jit_keep_sse},
    {"jit_keep2_sse", jit_keep2_sse},
    {"memcpy", (void (*)(void))memcpy},
    {"memset", (void (*)(void))memset},
    {"memmove", (void (*)(void))memmove},
    {"fmod", (void (*)(void))fmod},
    {"fmodf", (void (*)(void))fmodf},
    {"fma", (void (*)(void))fma},
    {"fmaf", (void (*)(void))fmaf},
    {"floor", (void (*)(void))floor},
    {"floorf", (void (*)(void))floorf},
    {"ceil", (void (*)(void))ceil},
    {"ceilf", (void (*)(void))ceilf},
    {"trunc", (void (*)(void))trunc},
    {"truncf", (void (*)(void))truncf},
    {"rint", (void (*)(void))rint},
    {"rintf", (void (*)(void))rintf},
};

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_loaded(const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) && s->sh_size &&
           (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS);
}

static bool find_sections(struct object *o)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)o->data;

    if (o->size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_machine != EM_X86_64 ||
        h->e_shoff > o->size || h->e_shnum > (o->size - h->e_shoff) / sizeof(Elf64_Shdr))
        return fail_load(o, "not an object of this host");
    o->sections = (const Elf64_Shdr *)(const void *)(o->data + h->e_shoff);
    o->count = h->e_shnum;
    return true;
}

static const char *section_name(const struct object *o, const Elf64_Shdr *s)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)o->data;

    return o->data + o->sections[h->e_shstrndx].sh_offset + s->sh_name;
}

static bool place_sections(struct object *o)
{
    struct arena *arena = &o->list->jit->arena;
    size_t at = 0, most = ARENA_ALIGN; /* LLVM reads whole vectors of 32 and 64 bytes */

    o->place = xcalloc(o->count + 1, sizeof(*o->place));
    for (unsigned n = 0; n < o->count; n++) {
        const Elf64_Shdr *s = &o->sections[n];
        size_t align = s->sh_addralign ? s->sh_addralign : 1;

        if (!is_loaded(s))
            continue;
        most = align > most ? align : most;
        at = align_up(at, align);
        o->place[n] = at;
        at += s->sh_size;
        if (!strcmp(section_name(o, s), ".gencc.faults")) {
            o->faults = o->place[n];
            o->fault_bytes = s->sh_size;
        }
    }
    o->stubs = align_up(at, STUB_BYTES);
    o->base = arena_take(arena, ARENA_GUEST, o->stubs + MAX_STUBS * STUB_BYTES, most, &o->chunk);
    o->write = arena->write;
    if (!o->base)
        return fail_load(o, "no memory for code");
    for (unsigned n = 0; n < o->count; n++) {
        const Elf64_Shdr *s = &o->sections[n];

        if (is_loaded(s) && s->sh_type == SHT_PROGBITS)
            memcpy(o->base + o->place[n] + o->write, o->data + s->sh_offset, s->sh_size);
    }
    return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool is_near(const struct object *o, uintptr_t at)
{
    int64_t distance = (int64_t)(at - (uintptr_t)o->base);

    return distance == (int32_t)distance && llabs(distance) < INT32_MAX / 2;
}

/* The address of a library function, or of a jump to it near the code when it is out of reach. */
static uint8_t *function_address(struct object *o, const char *name)
{
    uint8_t *at = o->base + o->stubs;
    unsigned n;

    for (n = 0; n < o->stub_count; n++) {
        if (!strcmp(o->stub_name[n], name))
            return at + STUB_BYTES * n;
    }
    for (size_t k = 0; k < ARRAY_SIZE(library) && n < MAX_STUBS; k++) {
        static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(%rip) */

        if (strcmp(library[k].name, name))
            continue;
        if (is_near(o, (uintptr_t)library[k].fn))
            return (uint8_t *)(uintptr_t)library[k].fn;
        o->stub_name[o->stub_count++] = name;
        at += STUB_BYTES * n;
        memcpy(at + o->write, jump, sizeof(jump));
        memcpy(at + o->write + sizeof(jump), &library[k].fn, sizeof(library[k].fn));
        return at;
    }
    return NULL;
}

static uint8_t *symbol_address(struct object *o, const Elf64_Shdr *table, unsigned n)
{
    const Elf64_Sym *s = (const Elf64_Sym *)(const void *)(o->data + table->sh_offset) + n;
    const char *names = o->data + o->sections[table->sh_link].sh_offset;
    uint8_t *at;

    if (s->st_shndx != SHN_UNDEF && s->st_shndx < o->count)
        return o->base + o->place[s->st_shndx] + s->st_value;
    at = function_address(o, names + s->st_name);
    if (!at)
        fail_load(o, "the code calls a function that is not known");
    return at;
}

/* ---- relocations ----------------------------------------------------------------------------- */

/* Applies a relocation of code that runs at `at`, and is written o->write bytes further on. */
static bool apply_relocation(struct object *o, const Elf64_Rela *rel, const uint8_t *at,
                             uint64_t to)
{
    uint64_t value = to + (uint64_t)rel->r_addend;
    int64_t near = (int64_t)(value - (uintptr_t)at);
    uint8_t *place = (uint8_t *)(uintptr_t)at + o->write;

    switch (ELF64_R_TYPE(rel->r_info)) {
    case R_X86_64_64:
        memcpy(place, &value, 8);
        return true;
    case R_X86_64_PC64:
        memcpy(place, &near, 8);
        return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        memcpy(place, &near, 4);
        return near == (int32_t)near || fail_load(o, "code is too far apart");
    default:
        return fail_load(o, "a relocation of an unknown kind");
    }
}

static bool relocate_section(struct object *o, const Elf64_Shdr *s)
{
    const Elf64_Rela *rel = (const Elf64_Rela *)(const void *)(o->data + s->sh_offset);
    const Elf64_Shdr *table = &o->sections[s->sh_link];

    if (!is_loaded(&o->sections[s->sh_info]))
        return true;
    for (size_t n = 0; n < s->sh_size / sizeof(*rel); n++) {
        uint8_t *at = o->base + o->place[s->sh_info] + rel[n].r_offset;
        uint8_t *to = symbol_address(o, table, (unsigned)ELF64_R_SYM(rel[n].r_info));

        if (!to || !apply_relocation(o, &rel[n], at, (uintptr_t)to))
            return false;
    }
    return true;
}

static bool load_sections(struct object *o)
{
    if (!find_sections(o) || !place_sections(o))
        return false;
    for (unsigned n = 0; n < o->count; n++) {
        if (o->sections[n].sh_type == SHT_RELA && !relocate_section(o, &o->sections[n]))
            return false;
    }
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void set_entry(struct object *o, const Elf64_Sym *s, const char *called)
{
    for (struct region *r = o->list; r; r = r->queue_next) {
        char name[REGION_NAME];

        region_name(name, r);
        if (strcmp(name, called))
            continue;
        r->entry = o->base + o->place[s->st_shndx] + s->st_value;
        r->text_size = s->st_size;
        r->chunk = o->chunk;
        r->faults = o->base + o->faults;
        r->fault_bytes = o->fault_bytes;
        arena_share(&r->jit->arena, o->chunk);
    }
}

static void find_functions(struct object *o)
{
    for (unsigned n = 0; n < o->count; n++) {
        const Elf64_Shdr *t = &o->sections[n];
        const Elf64_Sym *s = (const Elf64_Sym *)(const void *)(o->data + t->sh_offset);
        const char *names;

        if (t->sh_type != SHT_SYMTAB)
            continue;
        names = o->data + o->sections[t->sh_link].sh_offset;
        for (size_t k = 0; k < t->sh_size / sizeof(*s); k++) {
            if (ELF64_ST_TYPE(s[k].st_info) == STT_FUNC && s[k].st_shndx < o->count)
                set_entry(o, &s[k], names + s[k].st_name);
        }
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* An entry of the table of accesses: distances from here to the access and to the instruction
 * behind it. Entries may be misaligned. */
struct fault_place {
    int32_t at, next;
};

static uintptr_t place_from(const uint8_t *distance)
{
    int32_t bytes;

    memcpy(&bytes, distance, sizeof(bytes));
    return (uintptr_t)distance + (uintptr_t)(intptr_t)bytes;
}

/* Called in a signal handler on the thread that runs guest code: no list is being changed then. */
static const struct region *region_at(const struct jit *jit, uintptr_t pc)
{
    const struct region *r = jit->newest;

    while (r && (r->quick || !r->entry || pc - (uintptr_t)r->entry >= r->text_size))
        r = r->all_next;
    return r;
}

/* Skips the access and sets the carry flag (late.c). */
static bool on_fault(void *opaque, const siginfo_t *info, ucontext_t *context)
{
    const struct jit *jit = opaque;
    greg_t *regs = context->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)regs[REG_RIP];
    const struct region *r = region_at(jit, pc);
    const uint8_t *places = r ? r->faults : NULL;

    (void)info;
    for (size_t n = 0; places && n < r->fault_bytes / sizeof(struct fault_place); n++) {
        const uint8_t *place = places + n * sizeof(struct fault_place);

        if (place_from(place + offsetof(struct fault_place, at)) != pc)
            continue;
        regs[REG_RIP] = (greg_t)place_from(place + offsetof(struct fault_place, next));
        regs[REG_EFL] |= 1;
        return true;
    }
    return false;
}

bool llvm_catch_faults(struct jit *jit)
{
    jit->faults = jit->faults || fault_add(on_fault, jit);
    return jit->faults;
}

void llvm_release_faults(struct jit *jit)
{
    if (jit->faults)
        fault_remove(on_fault, jit);
    jit->faults = false;
}

/* ---- objects --------------------------------------------------------------------------------- */

void object_load(struct region *list, const char *data, size_t size)
{
    struct object o = {.list = list, .data = data, .size = size};

    if (load_sections(&o)) {
        find_functions(&o);
    } else {
        for (struct region *r = list; r; r = r->queue_next)
            snprintf(r->failure, sizeof(r->failure), "%s", o.failure);
    }
    if (o.chunk)
        arena_give(&list->jit->arena, o.chunk);
    free(o.place);
}
