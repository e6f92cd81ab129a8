/* Running blocks: the loop, what a CPU looks at between blocks, and leaving a block in the middle.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/cpu/debug.h"
#include "runtime/cpu/points.h"

/* An exception taken while one is being taken, so many times in a row: the description is lost. */
#define MAX_NESTED 16

/* ---- leaving an instruction ------------------------------------------------------------------ */

/* Inside of a block the slot of the decode context is not kept. */
static void settle_context(struct cpu *cpu, const struct cpu_decoder *d, const struct insn *i)
{
    if (!d->has_context)
        return;
    cpu->state[d->context] = insn_context(d, i);
    cpu->attention |= CPU_ATT_KEY;
}

/* Accounts for a block that was left: `executed` says whether the current instruction counts. The
 * PC becomes the instruction's address. */
static void settle(struct cpu *cpu, bool executed)
{
    struct block *b = cpu->block;
    const struct insn *insn;
    unsigned done, ticks;

    if (!b) {
        cpu->ticks += executed;
        return;
    }
    done = cpu_index_now(cpu) + executed;
    ticks = block_ticks(b, done);
    block_take_back(cpu, b);
    cpu->ticks += ticks;
    cpu->over += ticks - done;
    if (cpu->counts)
        code_count(b, cpu->slot, done, b->count, UINT64_MAX); /* that is, minus one */
    insn = block_insn(b, cpu_index_now(cpu));
    cpu->pc = cpu_wrap(cpu->isa, cpu->block_pc + insn->offset);
    if (cpu->left.why != LEAVE_RESTART) /* reset() has set it */
        settle_context(cpu, &cpu->isa->decoders[b->mode], insn);
    cpu->block = NULL;
}

/* The description has no answer: the CPU cannot go on. */
static void lock_up(struct cpu *cpu, const char *what)
{
    log_printf(cpu->log, LOG_GUEST_ERRORS, "cpu%u: %s at %#" PRIx64 ": it stops for good\n",
               cpu->number, what, cpu->pc);
    cpu_set_power(cpu, false);
}

static void take_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    unsigned last = ARRAY_SIZE(cpu->counters.exception_class) - 1;

    cpu->counters.exceptions++;
    cpu->counters.exception_class[klass < last ? klass : last]++;
    log_printf(cpu->log, LOG_INT,
               "cpu%u: exception %#" PRIx32 ", code %#" PRIx64 ", at %#" PRIx64 "\n", cpu->number,
               klass, code, cpu->pc);
    if (cpu->hooks.exception)
        cpu->hooks.exception(cpu, klass, code);
    else if (cpu->isa->handle_exception)
        cpu->isa->handle_exception(cpu, klass, code);
    else
        lock_up(cpu, "exception without a handler");
}

static void take_undefined(struct cpu *cpu)
{
    cpu->counters.undefined++;
    log_printf(cpu->log, LOG_INT, "cpu%u: undefined instruction at %#" PRIx64 "\n", cpu->number,
               cpu->pc);
    if (cpu->hooks.undefined)
        cpu->hooks.undefined(cpu);
    else if (cpu->isa->undefined)
        cpu->isa->undefined(cpu);
    else
        lock_up(cpu, "undefined instruction without a handler");
}

static void take_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    cpu->counters.memory_faults++;
    log_printf(cpu->log, LOG_INT,
               "cpu%u: memory fault %#" PRIx32 " (access %" PRIu32 ") for %#" PRIx64 " at %#" PRIx64
               "\n",
               cpu->number, code, access, va, cpu->pc);
    if (cpu->hooks.memory_fault)
        cpu->hooks.memory_fault(cpu, va, access, code);
    else if (cpu->isa->memory_fault)
        cpu->isa->memory_fault(cpu, va, access, code);
    else
        lock_up(cpu, "memory fault without a handler");
}

/* After a jump to cpu->leave: no block runs any more, and the reason is served. May leave again. */
static void serve_leave(struct cpu *cpu)
{
    uint64_t pc = cpu->pc;

    if (cpu->block)
        cpu->nested = 0;
    settle(cpu, cpu->left.why != LEAVE_DEBUG);
    if (++cpu->nested > MAX_NESTED) {
        lock_up(cpu, "exception in an exception handler");
        return;
    }
    switch (cpu->left.why) {
    case LEAVE_EXCEPTION:
        take_exception(cpu, cpu->left.klass, cpu->left.code);
        break;
    case LEAVE_UNDEFINED:
        take_undefined(cpu);
        break;
    case LEAVE_FAULT:
        take_fault(cpu, cpu->left.value, cpu->left.access, cpu->left.code);
        break;
    case LEAVE_DEBUG:
        debug_report(cpu, DEBUG_WATCHPOINT, cpu->left.value);
        break;
    case LEAVE_RESTART:
        cpu->restarted = false;
        cpu->pc = pc;
        break;
    case LEAVE_REPEAT: /* settle() has set the PC */
        break;
    }
}

/* ---- between blocks -------------------------------------------------------------------------- */

/* What a look around found. */
enum attend { GO_ON, ONE_STEP, GO_AWAY };

/* Interrupts, unless the debugger steps over one instruction, or one is executed in parts. */
static void attend_lines(struct cpu *cpu)
{
    if (cpu->repeats)
        return; /* CPU_ATT_IRQ stays */
    cpu->attention &= ~(uint32_t)CPU_ATT_IRQ;
    if (!cpu->lines || !cpu->isa->interrupt)
        return;
    if (cpu->isa->interrupt(cpu, cpu->lines)) {
        cpu->counters.interrupts++;
        log_printf(cpu->log, LOG_INT,
                   "cpu%u: interrupt, lines %" PRIu32 ", goes on at %#" PRIx64 "\n", cpu->number,
                   cpu->lines, cpu->pc);
        cpu->attention |= CPU_ATT_IRQ; /* another line may be up and not masked */
    }
}

/* The debugger wants one instruction alone, or has had it. */
static enum attend attend_debug(struct cpu *cpu)
{
    if (cpu->debug_state == CPU_DEBUG_STEP) {
        cpu->debug_state = CPU_DEBUG_STEPPED;
        return ONE_STEP;
    }
    if (cpu->debug_state == CPU_DEBUG_SKIP) {
        cpu->debug_state = CPU_DEBUG_SKIPPED;
        return ONE_STEP;
    }
    cpu->debug_state = CPU_DEBUG_NONE;
    cpu->attention &= ~(uint32_t)CPU_ATT_DEBUG;
    return GO_ON;
}

void cpu_find_key(struct cpu *cpu)
{
    if (!(cpu->attention & CPU_ATT_KEY))
        return;
    cpu->attention &= ~(uint32_t)CPU_ATT_KEY;
    cpu->key = cpu->jump_pages.generation << 16 | code_key(cpu);
}

/* Keys tell all that code depends on apart, so the same one and the same mode lead to the same. */
void cpu_change_mode(struct cpu *cpu, uint32_t mode)
{
    unsigned n = mode % ARRAY_SIZE(cpu->mode_change);
    bool known = mode < ARRAY_SIZE(cpu->mode_change) && mode < cpu->isa->decoder_count;
    const struct cpu_decoder *d = &cpu->isa->decoders[known ? mode : 0];
    uint64_t from = cpu->key;

    known = known && !cpu->attention && !(d->has_context && cpu->state[d->context]);
    if (known && cpu->mode_change[n].from == from) {
        cpu->mode = mode;
        cpu->key = cpu->mode_change[n].to;
        return;
    }
    cpu_set_mode(cpu, mode);
    cpu_find_key(cpu);
    if (known && !cpu->attention) {
        cpu->mode_change[n].from = from;
        cpu->mode_change[n].to = cpu->key;
    }
}

static enum attend attend(struct cpu *cpu)
{
    enum attend found = GO_ON;

    cpu->attention &= ~(uint32_t)CPU_ATT_CODE; /* the block is looked up in any case */
    if (cpu->attention & CPU_ATT_STOP)
        return GO_AWAY;
    if (cpu->debug_state == CPU_DEBUG_STEPPED) {
        debug_report(cpu, DEBUG_STEP, cpu->pc);
        return GO_AWAY;
    }
    if (cpu->attention & CPU_ATT_EVENT) {
        cpu->attention &= ~(uint32_t)CPU_ATT_EVENT;
        return GO_AWAY;
    }
    if (cpu->attention & CPU_ATT_HALT) {
        if (!cpu->lines)
            return GO_AWAY;
        cpu->halted = false;
        cpu->attention &= ~(uint32_t)CPU_ATT_HALT;
    }
    if (cpu->attention & CPU_ATT_DEBUG)
        found = attend_debug(cpu);
    if ((cpu->attention & CPU_ATT_IRQ) && found == GO_ON)
        attend_lines(cpu);
    if (cpu->single_step && cpu->isa->step && (cpu->repeats || !cpu->isa->step(cpu)))
        found = ONE_STEP;
    cpu_find_key(cpu);
    return found;
}

static bool stops_here(struct cpu *cpu)
{
    if (!cpu->debug || cpu->debug_state != CPU_DEBUG_NONE || cpu->repeats ||
        !debug_breakpoint_at(cpu->debug, cpu->pc))
        return false;
    debug_report(cpu, DEBUG_BREAKPOINT, cpu->pc);
    return true;
}

static struct block *look_up(struct cpu *cpu, struct fetch_fault *fault)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(cpu->pc)];

    if (e->pc == cpu->pc && e->key == cpu->key && !e->block->dead)
        return e->block;
    return code_find(cpu, fault);
}

/* The block to run next where the short way in run_blocks() did not find one; NULL to end cpu_run.
 */
__attribute__((noinline, cold)) static struct block *next_block(struct cpu *cpu)
{
    if (cpu->block)
        cpu->nested = 0;
    cpu->block = NULL;
    /* Blocks go on behind their last instruction, wherever that is. No jump cache knows an address
     * that is not wrapped, so it comes here. */
    cpu->pc = cpu_wrap(cpu->isa, cpu->pc);
    for (;;) {
        int64_t left = (int64_t)(cpu->stop_at - cpu->ticks);
        enum attend found = GO_ON;
        struct block *b;
        struct fetch_fault fault;

        if (left <= 0)
            return NULL;
        if (cpu->attention)
            found = attend(cpu);
        if (found == GO_AWAY || stops_here(cpu))
            return NULL;
        b = look_up(cpu, &fault);
        if (!b) {
            cpu->ticks++;
            take_fault(cpu, fault.va, CPU_FETCH, fault.code);
            continue;
        }
        if (b->checked && points_break(cpu)) {
            cpu->ticks++; /* or exceptions that lead to each other would take no time */
            continue;
        }
        if (cpu->attention & CPU_ATT_TRACE)
            log_printf(cpu->log, LOG_EXEC, "cpu%u: %#" PRIx64 "\n", cpu->number, cpu->pc);
        if (found == ONE_STEP)
            left = 1;
        return b->ticks <= left ? b : code_prefix(cpu, b, left);
    }
}

enum { HOST_LINE = 64 }; /* of the host's caches */

static inline void note_after(struct block *last, const struct block *b)
{
    int32_t distance = (int32_t)(((intptr_t)b - (intptr_t)last) / HOST_LINE);

    if (last->after != distance)
        last->after = distance;
}

/*
 * Most blocks that are interpreted are in none of the host's nearer caches. So the rest of the block, and what
 * the next one will want if it is the same as the last time, come while this one runs.
 */
static inline void fetch_ahead(const struct cpu *cpu, const struct block *b, uint64_t pc)
{
    uintptr_t next = (uintptr_t)b + (uintptr_t)((intptr_t)b->after * HOST_LINE);

    __builtin_prefetch(b->insns + HOST_LINE);
    __builtin_prefetch(b->insns + HOST_LINE * 2);
    __builtin_prefetch((const void *)(next + offsetof(struct block, ticks)));
    __builtin_prefetch((const void *)(next + offsetof(struct block, insns)));
    __builtin_prefetch(&cpu->jumps[jump_index(pc + (uint64_t)(int64_t)b->next[0])]);
}

/*
 * The loop. A block that starts where the jump cache says, that fits into the budget, and that no
 * one interrupts costs one comparison each, its accounting, and one indirect call. Not inlined, so
 * that setjmp() in the caller does not keep its variables out of registers.
 */
__attribute__((noinline)) static void run_blocks(struct cpu *cpu)
{
    unsigned slot = cpu->slot;
    bool counts = cpu->counts;
    struct block *last = NULL; /* as long as nothing can have freed it */

    for (;;) {
        uint64_t pc = cpu->pc;
        const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
        struct block *b = e->block;
        bool plain = false;

        if (CPU_UNLIKELY(cpu->attention || e->pc != pc || e->key != cpu->key ||
                         !block_fits(cpu, b))) {
            b = next_block(cpu);
            if (!b)
                return;
            plain = cpu->attention || !block_fits(cpu, b);
        } else if (last) {
            note_after(last, b);
        }
        last = b;
        fetch_ahead(cpu, b, pc);
        cpu->block = b;
        cpu->block_pc = cpu->pc;
        block_account(cpu, b);
        if (counts)
            ++*block_runs(b, slot);
        /* A translation would leave at once, or run more than a step. */
        if (CPU_UNLIKELY(plain))
            b->first(cpu, block_insn(b, 0));
        else
            block_insn(b, 0)->fn(cpu, block_insn(b, 0));
    }
}

uint64_t cpu_run(struct cpu *cpu, uint64_t budget)
{
    uint64_t from = cpu->ticks;

    if (!code_attach(cpu) || !cpu->powered)
        return 0;
    cpu->stop_at = from + (budget < INT64_MAX ? budget : INT64_MAX);
    if (log_enabled(cpu->log, LOG_EXEC))
        cpu->attention |= CPU_ATT_TRACE;
    else
        cpu->attention &= ~(uint32_t)CPU_ATT_TRACE;
    cpu->guarded = true;
    if (_setjmp(cpu->leave))
        serve_leave(cpu);
    run_blocks(cpu);
    cpu->guarded = false;
    cpu->attention &= ~(uint32_t)CPU_ATT_STOP;
    return cpu->ticks - from;
}
