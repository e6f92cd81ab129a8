/*
 * The task that a CPU runs, and its name, read from Linux's own structures: where they are follows
 * from the kernel's symbols and from the device tree's /gencc/linux.
 *
 * Bounds      the image is read once per start; KNOWN pages' physical addresses are remembered,
 *             since a CPU that runs a program may not have the kernel's memory mapped
 */
#include "runtime/machine/linux_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/layout.h"

enum { KNOWN = 4096, PAGE = 4096, TASK_BYTES = 16384, MAX_IMAGE = 256 << 20 };

struct known_page {
    uint64_t virtual, physical; /* addresses of the first byte; virtual 0: unused */
};

struct linux_tasks {
    struct bus *bus;
    struct cpu *const *cpus;
    unsigned count;

    bool by_variable;
    /* by_variable: [0] is the distance of the CPU's variables. Otherwise pointers to the task: [0]
     * in ring 0, [1] in higher rings. */
    struct cpu_view view[2];
    const char *variable;

    uint64_t start, end; /* physical */
    uint64_t base;       /* virtual address of the image's start; 0: not known yet */
    bool image_read;     /* the image was read */
    struct linux_symbols symbols;
    uint64_t variable_at; /* distance of the variable */
    uint64_t name_at;     /* offset of the name in a task's structure; 0: not known */
    struct known_page pages[KNOWN];
    struct linux_task task;
};

/* ---- life ------------------------------------------------------------------------------------ */

static bool find_views(struct linux_tasks *t, const struct platform_info *info,
                       const struct dt_node *node, const struct cpu_isa *isa)
{
    const char *first = dt_string(info->dt, node, "task-variable", 0), *second;

    if (first) {
        t->by_variable = true;
        t->variable = dt_string(info->dt, node, "task-variable", 1);
        return t->variable && cpu_register_find(isa, first, &t->view[0]);
    }
    first = dt_string(info->dt, node, "task-registers", 0);
    second = dt_string(info->dt, node, "task-registers", 1);
    return first && second && cpu_register_find(isa, first, &t->view[0]) &&
           cpu_register_find(isa, second, &t->view[1]);
}

struct linux_tasks *linux_tasks_new(const struct platform_info *info, struct bus *bus,
                                    struct cpu *const *cpus, unsigned count)
{
    const struct dt_node *node = dt_find(info->dt, "/gencc/linux");
    struct linux_tasks *t;

    if (!node || !count)
        return NULL;
    t = xcalloc(1, sizeof(*t));
    t->bus = bus;
    t->cpus = cpus;
    t->count = count;
    if (find_views(t, info, node, cpu_isa_of(cpus[0])))
        return t;
    free(t);
    return NULL;
}

void linux_tasks_place(struct linux_tasks *t, uint64_t start, uint64_t end)
{
    linux_symbols_free(&t->symbols);
    t->start = start;
    t->end = end;
    t->base = t->name_at = 0;
    t->image_read = false;
    memset(t->pages, 0, sizeof(t->pages));
}

void linux_tasks_free(struct linux_tasks *t)
{
    if (!t)
        return;
    linux_symbols_free(&t->symbols);
    free(t);
}

/* ---- the image ------------------------------------------------------------------------------- */

/* Where the name is in the structure of the first task, which is part of the image. */
static uint64_t find_name(const struct linux_tasks *t, const uint8_t *image, uint64_t len)
{
    static const char name[] = "swapper";
    const struct linux_symbol *task = linux_symbol_named(&t->symbols, "init_task");
    uint64_t most, at = task ? task->distance : len;
    const uint8_t *found;

    if (at >= len)
        return 0;
    most = len - at < TASK_BYTES ? len - at : TASK_BYTES;
    found = memmem(image + at, most, name, sizeof(name) - 1);
    return found ? (uint64_t)(found - image) - at : 0;
}

static void read_image(struct linux_tasks *t)
{
    uint64_t len = t->end - t->start;
    const struct linux_symbol *variable;
    uint8_t *image;

    t->image_read = true;
    if (t->end <= t->start || len > MAX_IMAGE)
        return;
    image = xcalloc(len, 1);
    if (bus_peek(t->bus, t->start, image, len) && linux_symbols_read(&t->symbols, image, len)) {
        variable = t->by_variable ? linux_symbol_named(&t->symbols, t->variable) : NULL;
        t->variable_at = variable ? variable->distance : 0;
        if (variable || !t->by_variable)
            t->name_at = find_name(t, image, len);
    }
    free(image);
}

/* Sets `base` if the CPU runs kernel code of the image at a virtual address. */
static void find_base(struct linux_tasks *t, struct cpu *cpu)
{
    uint64_t pc = cpu_pc(cpu), pa;

    if (!cpu->ring || !cpu_memory_find(cpu, pc, &pa) || pc == pa || pa < t->start || pa >= t->end)
        return;
    t->base = pc - (pa - t->start);
    read_image(t);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Physical address of a kernel address; 0: not known. */
static uint64_t physical_address(struct linux_tasks *t, struct cpu *cpu, uint64_t va)
{
    uint64_t page = va & ~(uint64_t)(PAGE - 1), pa;
    struct known_page *known = &t->pages[(page / PAGE ^ page >> 24) % KNOWN];

    if (known->virtual != page) {
        if (!cpu->ring || !cpu_memory_find(cpu, page, &pa))
            return 0;
        *known = (struct known_page){page, pa};
    }
    return known->physical + (va - page);
}

static bool read_word(struct linux_tasks *t, struct cpu *cpu, uint64_t va, uint64_t *value)
{
    uint64_t pa = va % 8 ? 0 : physical_address(t, cpu, va);
    uint8_t bytes[8];

    if (!pa || !bus_peek(t->bus, pa, bytes, sizeof(bytes)))
        return false;
    *value = le_get(bytes, 8);
    return true;
}

static uint64_t read_view(struct cpu *cpu, struct cpu_view view)
{
    uint8_t bytes[CPU_REGISTER_BYTES] = {0};

    cpu_register_read(cpu, view, bytes);
    return le_get(bytes, 8);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static uint64_t pointer_of(struct linux_tasks *t, struct cpu *cpu)
{
    uint64_t value = 0;

    if (!t->by_variable)
        return read_view(cpu, t->view[cpu->ring != 0]);
    value = read_view(cpu, t->view[0]);
    return value && read_word(t, cpu, t->base + t->variable_at + value, &value) ? value : 0;
}

static void read_name(struct linux_tasks *t, struct cpu *cpu)
{
    uint64_t at = t->task.address + t->name_at, pa = physical_address(t, cpu, at);
    char *name = t->task.name;

    /* The name is aligned to its size, so it lies in one page. */
    if (!pa || at % PAGE > PAGE - LINUX_COMM || !bus_peek(t->bus, pa, name, LINUX_COMM))
        name[0] = 0;
    name[LINUX_COMM - 1] = 0;
    t->task.idle = !strncmp(name, "swapper", 7);
}

const struct linux_task *linux_tasks_current(struct linux_tasks *t, unsigned number)
{
    struct cpu *cpu = t->cpus[number];

    t->task = (struct linux_task){0};
    if (!t->base && !t->image_read)
        find_base(t, cpu);
    if (!t->name_at)
        return &t->task;
    t->task.address = pointer_of(t, cpu);
    if (t->task.address >> 63) /* the kernel's half */
        read_name(t, cpu);
    else
        t->task.address = 0;
    return &t->task;
}

const struct linux_symbols *linux_tasks_symbols(const struct linux_tasks *t)
{
    return t->symbols.count ? &t->symbols : NULL;
}

uint64_t linux_tasks_distance(const struct linux_tasks *t, uint64_t address)
{
    return t->base && address >= t->base && address - t->base < t->end - t->start
               ? address - t->base
               : UINT64_MAX;
}

uint64_t linux_tasks_variable(const struct linux_tasks *t, const char *name)
{
    const struct linux_symbol *symbol = linux_symbol_named(&t->symbols, name);

    return t->base && symbol ? t->base + symbol->distance : 0;
}
