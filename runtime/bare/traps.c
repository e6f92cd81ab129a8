/*
 * The runner's handlers of exceptions and addresses. They are used where the description has no
 * handler and with -runner-traps: take_exception(0, code) ends the run with exit status `code`;
 * take_exception(1, c) writes the character c and continues behind the instruction; everything else
 * ends the run with a message.
 */
#include "runtime/bare/bare.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/bits.h"

enum { CLASS_EXIT = 0, CLASS_PUTCHAR = 1 };

/* Fault codes of the runner's own translation. FAULT_NO_MEMORY is the last one that a translation
 * may give: descriptions that take faults themselves count theirs from 1. */
enum { FAULT_NONE, FAULT_NO_MEMORY = CPU_FAULT_EXTERNAL - 1 };

void bare_end(struct bare *b, int status)
{
    b->done = true;
    b->status = status;
    cpu_group_stop(&b->group);
}

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct bare *b = cpu_hooks(cpu)->opaque;

    if (klass == CLASS_EXIT) {
        bare_end(b, (int)(code & 0xff));
        return;
    }
    if (klass == CLASS_PUTCHAR) {
        putchar((int)(code & 0xff));
        cpu_set_pc(cpu, cpu_pc(cpu) + cpu_instruction_bytes(cpu, cpu_pc(cpu)));
        return;
    }
    fprintf(stderr, "exception %" PRIu32 ", code %" PRIu64 ", at %#" PRIx64 "\n", klass, code,
            cpu_pc(cpu));
    bare_end(b, 1);
}

static void on_undefined(struct cpu *cpu)
{
    const struct cpu_isa *isa = cpu_isa_of(cpu);
    unsigned unit = isa->decoders[cpu_mode(cpu)].unit_bytes;
    uint8_t bytes[8] = {0};
    uint64_t word;

    cpu_memory_read(cpu, cpu_pc(cpu), bytes, unit);
    word = isa->big_endian ? be_get(bytes, unit) : le_get(bytes, unit);
    fprintf(stderr, "undefined instruction %#" PRIx64 " at %#" PRIx64 "\n", word, cpu_pc(cpu));
    bare_end(cpu_hooks(cpu)->opaque, 1);
}

static void on_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    static const char *const what[] = {"read of", "write to", "fetch from"};
    const char *access_text = what[access < 3 ? access : 0];

    if (code == FAULT_NO_MEMORY || code == CPU_FAULT_EXTERNAL || code == CPU_FAULT_ALIGNMENT)
        fprintf(stderr, "%s %#" PRIx64 " at %#" PRIx64 ": %s\n", access_text, va, cpu_pc(cpu),
                code == CPU_FAULT_ALIGNMENT ? "the address is misaligned" : "there is no memory");
    else
        fprintf(stderr, "%s %#" PRIx64 " at %#" PRIx64 ": fault %#" PRIx32 " of the description\n",
                access_text, va, cpu_pc(cpu), code);
    bare_end(cpu_hooks(cpu)->opaque, 1);
}

static uint32_t on_translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                             uint64_t *pa, uint32_t *flags)
{
    const struct bare *b = cpu_hooks(cpu)->opaque;
    uint64_t end = bare_memory_bytes(b) + (b->io != BARE_NO_IO ? CPU_PAGE_SIZE : 0);

    (void)access;
    (void)ring;
    *pa = bare_bus_address(b, va);
    *flags =
        TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    return *pa < end ? FAULT_NONE : FAULT_NO_MEMORY;
}

void bare_set_hooks(struct bare *b)
{
    const struct cpu_isa *isa = b->isa;
    bool own = b->runner_traps;

    *cpu_hooks(b->cpu) = (struct cpu_hooks){
        .opaque = b,
        .exception = own || !isa->handle_exception ? on_exception : NULL,
        .undefined = own || !isa->undefined ? on_undefined : NULL,
        .memory_fault = own || !isa->memory_fault ? on_fault : NULL,
        .translate = bare_translates(b) ? NULL : on_translate,
    };
}
