/* Running blocks: the dispatch loop, what a CPU handles between blocks, and exceptions. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/cpu/debug.h"
#include "runtime/cpu/points.h"

/* Most exceptions in a row, each of which is taken while the exception before is being taken.
 * Beyond that the CPU is switched off, since the description does not get out of them. */
#define MAX_NESTED 16

/* ---- leaving an instruction ------------------------------------------------------------------ */

/* Stores the decode context of the instruction, whose place in the state is not kept up to date
 * inside of a block. */
static void store_context(struct cpu *cpu, const struct cpu_decoder *d, const struct insn *i)
{
    if (!d->has_context)
        return;
    cpu->state[d->context] = insn_context(d, i);
    cpu->attention |= CPU_ATT_KEY;
}

/* After a watchpoint's stop the block goes on at the instruction; whatever else ends it for
 * good. */
static void note_rest(struct cpu *cpu, unsigned left)
{
    if (cpu->left.why != LEAVE_DEBUG) {
        cpu->rest = 0;
        return;
    }
    cpu->rest += left;
    cpu->rest_pc = cpu->pc;
    cpu->attention |= CPU_ATT_DEBUG;
}

/* Corrects ticks and statistics after a block was left early; `executed` says whether the current
 * instruction counts. The PC becomes the instruction's address. */
static void account_for_leave(struct cpu *cpu, bool executed)
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
        code_count(b, cpu->slot, done, b->count, UINT64_MAX); /* adds -1 */
    insn = block_insn(b, cpu_index_now(cpu));
    cpu->pc = cpu_wrap(cpu->isa, cpu->block_pc + insn->offset);
    note_rest(cpu, b->count - cpu_index_now(cpu));
    if (cpu->left.why != LEAVE_RESTART) /* reset() has set it */
        store_context(cpu, &cpu->isa->decoders[b->mode], insn);
    cpu->block = NULL;
}

/* Switches the CPU off: the description cannot continue it. */
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

/* After a jump to cpu->leave: ends the block and handles the reason. May leave again. */
static void serve_leave(struct cpu *cpu)
{
    uint64_t pc = cpu->pc;

    if (cpu->block)
        cpu->nested = 0;
    account_for_leave(cpu, cpu->left.why != LEAVE_DEBUG);
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
    case LEAVE_REPEAT: /* account_for_leave() has set the PC */
        break;
    }
}

/* ---- between blocks -------------------------------------------------------------------------- */

/* What cpu_run() does after handling attention: run blocks, run one instruction, or return. */
enum attend { ATTEND_RUN, ATTEND_STEP, ATTEND_RETURN };

/* Takes an interrupt, unless an instruction is being executed in parts (cpu_repeat()). */
static void attend_interrupts(struct cpu *cpu)
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
        cpu->attention |= CPU_ATT_IRQ; /* a second input may be asserted and not masked */
    }
}

/* Begins a debugger's step of one instruction, or ends the state that such a step left. */
static enum attend attend_debug(struct cpu *cpu)
{
    if (cpu->debug_state == CPU_DEBUG_STEP) {
        cpu->debug_state = CPU_DEBUG_STEPPED;
        return ATTEND_STEP;
    }
    if (cpu->debug_state == CPU_DEBUG_SKIP) {
        cpu->debug_state = CPU_DEBUG_SKIPPED;
        return ATTEND_STEP;
    }
    cpu->debug_state = CPU_DEBUG_NONE;
    if (!cpu->rest)
        cpu->attention &= ~(uint32_t)CPU_ATT_DEBUG;
    return ATTEND_RUN;
}

void cpu_find_key(struct cpu *cpu)
{
    if (!(cpu->attention & CPU_ATT_KEY))
        return;
    cpu->attention &= ~(uint32_t)CPU_ATT_KEY;
    cpu->key = cpu->jump_pages.number[cpu_table(cpu->bank, cpu->ring)] << 16 | code_key(cpu);
}

/* The new key depends on the old key and the mode only, while the decode context is 0: keys
 * identify everything that decoding depends on. */
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

/* Whether the CPU waits, so that its turn ends. */
static bool attend_waits(struct cpu *cpu)
{
    if (cpu->attention & CPU_ATT_EVENT) {
        cpu->attention &= ~(uint32_t)CPU_ATT_EVENT;
        return true;
    }
    if (cpu->attention & CPU_ATT_HALT) {
        if (!cpu->lines)
            return true;
        cpu->halted = false;
        cpu->attention &= ~(uint32_t)CPU_ATT_HALT;
    }
    return false;
}

/* The CPU stops before its next instruction, and has nothing to attend to when it goes on. */
static void note_attended(struct cpu *cpu)
{
    cpu->attended = true;
    cpu->attention |= CPU_ATT_DEBUG;
}

/* Reports the end of a debugger's step, or its goal. */
static bool reports_step(struct cpu *cpu)
{
    bool at_goal = cpu->debug && cpu->goal && cpu->ticks >= cpu->goal;

    if (cpu->debug_state != CPU_DEBUG_STEPPED && !at_goal)
        return false;
    cpu->goal = at_goal ? 0 : cpu->goal;
    if (debug_is_exact(cpu->debug))
        note_attended(cpu);
    debug_report(cpu, at_goal ? DEBUG_GOAL : DEBUG_STEP, cpu->pc);
    return true;
}

/*
 * What comes before the next instruction. In the rest of a block, and after a stop at this place,
 * all has been attended to but the debugger's requests. An exact debugger is told of a step when
 * the CPU is about to execute the next instruction: its interrupts have been taken then.
 */
static enum attend attend_flags(struct cpu *cpu)
{
    bool exact = cpu->debug && debug_is_exact(cpu->debug), begins = !cpu->rest && !cpu->attended;
    enum attend found = ATTEND_RUN;

    cpu->attention &= ~(uint32_t)CPU_ATT_CODE; /* the block is looked up in any case */
    code_note_tables(cpu->code);
    tlb_drop_waiting(cpu);
    if ((cpu->attention & CPU_ATT_STOP) && (begins || (cpu->debug && debug_is_stopped(cpu->debug))))
        return ATTEND_RETURN;
    if (!exact && reports_step(cpu))
        return ATTEND_RETURN;
    if (begins && attend_waits(cpu))
        return ATTEND_RETURN;
    if (exact && begins && (cpu->attention & CPU_ATT_IRQ))
        attend_interrupts(cpu);
    if (exact && reports_step(cpu))
        return ATTEND_RETURN;
    if (cpu->attention & CPU_ATT_DEBUG)
        found = attend_debug(cpu);
    if (!exact && begins && (cpu->attention & CPU_ATT_IRQ) && found == ATTEND_RUN)
        attend_interrupts(cpu);
    if (cpu->single_step && cpu->isa->step &&
        (cpu->repeats || cpu->rest || cpu->attended || !cpu->isa->step(cpu)))
        found = ATTEND_STEP;
    cpu_find_key(cpu);
    return found;
}

static bool stops_here(struct cpu *cpu)
{
    if (!cpu->debug || cpu->debug_state != CPU_DEBUG_NONE || cpu->repeats ||
        !debug_breakpoint_at(cpu->debug, cpu->pc))
        return false;
    note_attended(cpu);
    debug_report(cpu, DEBUG_BREAKPOINT, cpu->pc);
    return true;
}

/*
 * The instructions of b that run now: all, or those that begin in the turn; of these only a part if
 * the debugger wants a stop behind it, and the others are then the CPU's rest.
 */
static struct block *choose_part(struct cpu *cpu, struct block *b, bool step)
{
    int64_t left = (int64_t)(cpu->turn_end - cpu->ticks);
    unsigned n = b->count, part;

    if (cpu->rest)
        n = cpu->rest < n ? cpu->rest : n;
    else if (b->ticks > left)
        n = code_prefix_count(b, left);
    part = step ? 1 : n;
    if (cpu->goal && part > 1) {
        unsigned before = code_prefix_count(b, (int64_t)(cpu->goal - cpu->ticks));

        part = before < part ? before : part;
    }
    if (b->checked && cpu->debug && part > 1) {
        unsigned before = debug_before_breakpoint(cpu->debug, cpu, b);

        part = before < part ? before : part;
    }
    if (cpu->debug || cpu->rest) {
        cpu->rest = (cpu->rest ? cpu->rest : n) - part;
        cpu->rest_pc = part < b->count ? cpu_wrap(cpu->isa, cpu->pc + block_insn(b, part)->offset)
                                       : cpu->pc + b->bytes;
        if (cpu->rest)
            cpu->attention |= CPU_ATT_DEBUG;
    }
    cpu->attended = false;
    return code_head(cpu, b, part);
}

/* Records the block that ran after `last`, for block_after(). */
static inline void note_successor(struct block *last, const struct block *b)
{
    intptr_t distance = ((intptr_t)b - (intptr_t)last) / HOST_LINE;

    if (last->after != distance)
        last->after = distance == (int32_t)distance ? (int32_t)distance : 0;
}

static struct block *look_up(struct cpu *cpu, struct block *last, struct fetch_fault *fault)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(cpu->pc)];
    uint64_t decoded = cpu->counters.blocks_decoded;
    struct block *b;

    if (e->pc == cpu->pc && e->key == cpu->key && !e->block->dead)
        return e->block;
    b = code_find(cpu, last, fault);
    if (b && last && decoded == cpu->counters.blocks_decoded) /* else `last` may have been freed */
        note_successor(last, b);
    return b;
}

/* The next block, when the comparison in run_blocks() has not found it; NULL to end cpu_run().
 * last: the block before; NULL: not known. */
__attribute__((noinline, cold)) static struct block *next_block(struct cpu *cpu, struct block *last)
{
    if (cpu->block)
        cpu->nested = 0;
    cpu->block = NULL;
    /* A block's end may set a PC that is not wrapped. Jump caches hold wrapped addresses only, so
     * this is the place to wrap it. */
    cpu->pc = cpu_wrap(cpu->isa, cpu->pc);
    for (;;) {
        enum attend found = ATTEND_RUN;
        struct block *b;
        struct fetch_fault fault;

        if (cpu->rest && cpu->pc != cpu->rest_pc)
            cpu->rest = 0; /* the debugger has set the PC */
        if ((int64_t)(cpu->turn_end - cpu->ticks) <= 0 && !cpu->rest)
            return NULL;
        if (cpu->goal && cpu->ticks >= cpu->goal)
            cpu->attention |= CPU_ATT_DEBUG;
        if (cpu->attention)
            found = attend_flags(cpu);
        if (found == ATTEND_RETURN || stops_here(cpu))
            return NULL;
        b = look_up(cpu, last, &fault);
        if (!b) {
            cpu->ticks++;
            cpu->attended = false;
            take_fault(cpu, fault.va, CPU_FETCH, fault.code);
            last = NULL;
            continue;
        }
        if (b->checked && points_break(cpu)) {
            cpu->ticks++; /* otherwise a cycle of exceptions would take no time */
            cpu->attended = false;
            last = NULL;
            continue;
        }
        if (cpu->attention & CPU_ATT_TRACE)
            log_printf(cpu->log, LOG_EXEC, "cpu%u: %#" PRIx64 "\n", cpu->number, cpu->pc);
        return choose_part(cpu, b, found == ATTEND_STEP);
    }
}

/*
 * Prefetches the rest of the block, the successor of its last execution, and that successor's jump
 * cache entry: most interpreted blocks are cold, and miss the host's nearer caches.
 */
static inline void fetch_ahead(const struct cpu *cpu, const struct block *b, uint64_t pc)
{
    const struct block *next = block_after(b);

    __builtin_prefetch(b->insns + HOST_LINE);
    __builtin_prefetch(b->insns + HOST_LINE * 2);
    __builtin_prefetch(&next->ticks);
    __builtin_prefetch(next->insns);
    __builtin_prefetch(&cpu->jumps[jump_index(pc + (uint64_t)(int64_t)b->next[0])]);
}

/*
 * The dispatch loop. Per block it makes one comparison each for the jump cache, the budget and
 * attention, accounts for the block, and makes one indirect call. Not inlined, so that setjmp() in
 * the caller does not keep its variables out of registers.
 */
__attribute__((noinline)) static void run_blocks(struct cpu *cpu)
{
    unsigned slot = cpu->slot;
    bool counts = cpu->counts;
    struct block *last = NULL; /* the block before; NULL: it may have been freed, or is a part */

    for (;;) {
        uint64_t pc = cpu->pc;
        const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
        struct block *b = e->block;
        bool plain = false;

        if (CPU_UNLIKELY(cpu->attention || e->pc != pc || e->key != cpu->key ||
                         !block_fits(cpu, b))) {
            b = next_block(cpu, last);
            if (!b)
                return;
            plain = cpu->attention || !block_fits(cpu, b);
        } else if (last) {
            note_successor(last, b);
        }
        last = b == cpu->scratch ? NULL : b;
        fetch_ahead(cpu, b, pc);
        cpu->block = b;
        cpu->block_pc = cpu->pc;
        block_account(cpu, b);
        if (counts)
            ++*block_runs(b, slot);
        /* With attention pending a translation would leave at once; near the end of the budget, or
         * in a step, it would run too far. */
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
    cpu_set_turn_end(cpu, from + (budget < INT64_MAX ? budget : INT64_MAX));
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
