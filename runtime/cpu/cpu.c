/* Creation, reset and power of a CPU, and its interrupt inputs. */
#include "runtime/cpu/cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/cpu/idle.h"
#include "runtime/cpu/stamp.h"
#include "runtime/cpu/points.h"

#define LARGE_PAGE \
    ((size_t)2 << 20) /* size of large pages of the host; another size only costs speed */

static bool check_decoder(const struct cpu_isa *isa, const struct cpu_decoder *d, struct error *err)
{
    if (d->unit_bytes != 1 && d->unit_bytes != 2 && d->unit_bytes != 4)
        return error_set(err, "%s: instruction words of %u bytes are not supported", d->name,
                         d->unit_bytes);
    if (d->insn_bytes < sizeof(struct insn) || d->insn_bytes % _Alignof(struct insn) ||
        d->insn_bytes > CPU_MAX_DECODED)
        return error_set(err, "%s: a decoded instruction cannot have %u bytes", d->name,
                         d->insn_bytes);
    if (d->max_bytes < d->unit_bytes || d->max_bytes > CPU_MAX_INSN_BYTES)
        return error_set(err, "%s: instructions of %u bytes are not supported", d->name,
                         d->max_bytes);
    if (d->has_context && (d->context >= isa->state_bytes || d->context_at >= d->insn_bytes))
        return error_set(err, "%s: the decode context has no place", d->name);
    return true;
}

static bool check_isa(const struct cpu_isa *isa, struct error *err)
{
    if (isa->iface_count > CPU_MAX_IFACES || isa->feature_count > CPU_MAX_FEATURES)
        return error_set(err, "%s: at most %d memory interfaces and %d features are supported",
                         isa->name, CPU_MAX_IFACES, CPU_MAX_FEATURES);
    if (isa->address_bits < CPU_PAGE_BITS || isa->address_bits > 64)
        return error_set(err, "%s: addresses of %u bits are not supported", isa->name,
                         isa->address_bits);
    for (unsigned n = 0; n < isa->form_count; n++) {
        if (!isa->forms[n].ticks)
            return error_set(err, "%s: %s takes no ticks", isa->name, isa->forms[n].name);
    }
    for (unsigned n = 0; n < isa->decoder_count; n++) {
        if (!check_decoder(isa, &isa->decoders[n], err))
            return false;
    }
    return isa->decoder_count || error_set(err, "%s: there is no decoder", isa->name);
}

/* Zeroed memory for a CPU; NULL: there is none. Parts of the tables that are never touched take no
 * host memory, unless pages are large. */
static struct cpu *allocate_cpu(const struct cpu_isa *isa, bool large)
{
    size_t align = large ? LARGE_PAGE : _Alignof(struct cpu);
    size_t size = align_up(stamps_end(isa), align), room = size + align;
    void *memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct cpu *cpu;

    if (memory == MAP_FAILED)
        return NULL;
    cpu = (void *)(uintptr_t)align_up((uintptr_t)memory, align);
    if (large)
        madvise(cpu, size, MADV_HUGEPAGE); /* a failure only costs speed */
    cpu->memory = memory;
    cpu->memory_bytes = room;
    return cpu;
}

static struct cpu *make_cpu(const struct cpu_isa *isa, unsigned number, bool large,
                            struct error *err)
{
    struct cpu *cpu;

    if (!check_isa(isa, err))
        return NULL;
    cpu = allocate_cpu(isa, large);
    if (!cpu)
        return error_null(err, "%s: no memory for CPU %u", isa->name, number);
    cpu->isa = isa;
    cpu->number = number;
    cpu->slot = number % CODE_SLOTS;
    cpu->page_names = (UINT64_MAX >> (64 - isa->address_bits)) & ~CPU_PAGE_MASK;
    if (isa->feature_values)
        memcpy(cpu->reset_features, isa->feature_values, isa->feature_count * sizeof(uint32_t));
    memcpy(cpu->features, cpu->reset_features, sizeof(cpu->features));
    cpu->attention = CPU_ATT_KEY;
    large_init(cpu);
    idle_init(cpu);
    return cpu;
}

/* Connects a CPU that was made; NULL stays NULL. */
static struct cpu *connect_cpu(struct cpu *cpu, struct bus *bus, struct clock *clock,
                               struct log *log)
{
    if (!cpu)
        return NULL;
    cpu->bus = bus;
    cpu->clock = clock;
    cpu->log = log;
    tlb_flush_all(cpu);
    jump_flush(cpu);
    cpu_select_tables(cpu);
    return cpu;
}

struct cpu *cpu_new(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                    struct clock *clock, struct log *log, struct error *err)
{
    return connect_cpu(make_cpu(isa, number, false, err), bus, clock, log);
}

struct cpu *cpu_new_large(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                          struct clock *clock, struct log *log, struct error *err)
{
    return connect_cpu(make_cpu(isa, number, true, err), bus, clock, log);
}

void cpu_free(struct cpu *cpu)
{
    if (!cpu)
        return;
    code_leave(cpu);
    block_free_scratch(cpu);
    free(cpu->class_stats);
    idle_free(cpu);
    munmap(cpu->memory, cpu->memory_bytes);
}

void cpu_state_changed(struct cpu *cpu)
{
    cpu->ring %= CPU_RINGS;
    cpu->mode %= cpu->isa->decoder_count;
    cpu_forget_spaces(cpu);
    cpu_select_tables(cpu);
    cpu_tlb_flush(cpu, true);
    cpu->common = (struct common_pages){0}; /* ticks may be earlier ones now */
    cpu->attention |= CPU_ATT_KEY | CPU_ATT_IRQ;
    cpu_set_single_step(cpu, cpu->single_step);
}

static void call_reset(struct cpu *cpu, void *arg)
{
    (void)arg;
    if (cpu->isa->reset)
        cpu->isa->reset(cpu);
}

void cpu_reset(struct cpu *cpu)
{
    memset(cpu->state, 0, cpu->isa->state_bytes);
    memcpy(cpu->features, cpu->reset_features, sizeof(cpu->features));
    cpu->pc = 0;
    cpu->ring = cpu->mode = 0;
    cpu->halted = cpu->event = cpu->single_step = cpu->reserved = cpu->repeats = false;
    cpu->fp_rounding = cpu->fp_flush = 0;
    points_reset(cpu);
    cpu->attention &= ~(uint32_t)(CPU_ATT_HALT | CPU_ATT_EVENT);
    cpu_state_changed(cpu);
    cpu->restarted = cpu->block != NULL;
    cpu->settle = NULL;
    cpu->rest = 0;
    cpu->attended = false;
    if (!cpu_guard(cpu, call_reset, NULL))
        log_printf(cpu->log, LOG_GUEST_ERRORS, "cpu%u: reset() took an exception\n", cpu->number);
    log_printf(cpu->log, LOG_CPU_RESET, "cpu%u: reset, starts at %#" PRIx64 " in ring %u\n",
               cpu->number, cpu->pc, cpu->ring);
}

void cpu_repeat(struct cpu *cpu, uint64_t ps)
{
    cpu->repeats = true;
    cpu->delayed_ps += ps;
    cpu_stop(cpu);
    if (cpu->group)
        cpu_group_stop(cpu->group); /* so that posted work runs */
}

void cpu_set_delays(struct cpu *cpu, const struct cpu_delays *delays)
{
    cpu->delays = delays;
    cpu_tlb_flush(cpu, true);
}

void cpu_clear_monitor(struct cpu *cpu)
{
    cpu->reserved = false;
    if (cpu->isa->clear_monitor)
        cpu->isa->clear_monitor(cpu);
}

void cpu_set_power(struct cpu *cpu, bool on)
{
    if (cpu->powered == on)
        return;
    cpu->powered = on;
    log_printf(cpu->log, LOG_CPU_RESET, "cpu%u: power %s, PC %#" PRIx64 "\n", cpu->number,
               on ? "on" : "off", cpu->pc);
    if (!on) {
        cpu->attention |= CPU_ATT_STOP;
        return;
    }
    cpu->attention &= ~(uint32_t)CPU_ATT_STOP;
    group_woken(cpu);
}

void cpu_set_line(void *opaque, unsigned line, bool level)
{
    struct cpu *cpu = opaque;

    if (!level) {
        cpu->lines &= ~(UINT32_C(1) << line);
        return;
    }
    cpu->lines |= UINT32_C(1) << line;
    cpu->attention |= CPU_ATT_IRQ;
    if (cpu->halted)
        group_woken(cpu);
}

void cpu_code_flush(struct cpu *cpu)
{
    if (cpu->code)
        code_flush(cpu->code);
}

void cpu_code_set_budget(struct cpu *cpu, size_t bytes)
{
    if (code_attach(cpu))
        cpu->code->budget = bytes;
}
