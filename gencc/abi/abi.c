/*
 * Checks the statements of an ABI (ac_abi) and writes them as C. The larger statements are read by
 * the other files of this folder.
 */
#include "gencc/abi/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements of one word or number -------------------------------------------------------- */

static void read_text(struct words *w)
{
    const char *member = w->node->words.data[0].text;

    fprintf(w->abi->members, "    .%s = \"%s\",\n", member, words_text(w));
    words_finish(w, false);
}

static void read_number(struct words *w)
{
    const char *member = w->node->words.data[0].text;

    fprintf(w->abi->members, "    .%s = %#" PRIx64 ",\n", member, words_value(w));
    words_finish(w, false);
}

static void read_flag(struct words *w)
{
    fprintf(w->abi->members, "    .%s = true,\n", w->node->words.data[0].text);
    words_finish(w, false);
}

static void read_cpus(struct words *w)
{
    fputs("    .cpus = (const char *const[]){", w->abi->members);
    do
        fprintf(w->abi->members, "\"%s\", ", words_text(w));
    while (words_accept(w, ","));
    fputs("NULL},\n", w->abi->members);
    words_finish(w, false);
}

static void read_elf(struct words *w)
{
    words_expect(w, "machine");
    fprintf(w->abi->members, "    .elf_machine = %" PRId64 ",\n", words_number(w, 1, 65535));
    if (words_accept(w, "flags")) {
        fprintf(w->abi->members, "    .elf_flags = %#" PRIx64 ",\n", words_value(w));
        words_expect(w, "of");
        fprintf(w->abi->members, "    .elf_flags_mask = %#" PRIx64 ",\n", words_value(w));
    }
    words_finish(w, false);
}

static void read_set_bytes(struct words *w)
{
    w->abi->set_bytes = (unsigned)words_number(w, 8, 16);
    fprintf(w->abi->members, "    .set_bytes = %u,\n", w->abi->set_bytes);
    words_finish(w, false);
}

static void read_even_pairs(struct words *w)
{
    w->abi->even_pairs = true;
    words_finish(w, false);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static void read_call(struct words *w)
{
    unsigned bytes[2];

    words_expect(w, "exception");
    fprintf(w->abi->members, "    .call_class = %" PRId64 ",\n", words_number(w, 0, UINT32_MAX));
    words_expect(w, "bytes");
    bytes[0] = bytes[1] = (unsigned)words_number(w, 1, 16);
    if (words_accept(w, ","))
        bytes[1] = (unsigned)words_number(w, 1, 16);
    fprintf(w->abi->members, "    .call_bytes = {%u, %u},\n", bytes[0], bytes[1]);
    words_finish(w, false);
}

static void read_exception(struct words *w, void *opaque)
{
    unsigned *count = opaque;
    bool fault = words_accept(w, "fault");
    int64_t class = words_number(w, 0, UINT32_MAX), mask = 0, value = 0;
    int signal;

    if (words_accept(w, "mask")) {
        mask = words_number(w, 0, UINT32_MAX);
        words_expect(w, "value");
        value = words_number(w, 0, UINT32_MAX);
    }
    words_expect(w, ":");
    signal = words_signal(w);
    words_expect(w, "code");
    fprintf(w->abi->arrays, "    {%" PRId64 ", %d, %" PRId64 ", ", class, signal,
            words_number(w, 1, 255));
    fprintf(w->abi->arrays, "%s, %s, %#" PRIx64 ", %#" PRIx64 "},\n",
            words_accept(w, "address") ? "true" : "false", fault ? "true" : "false", (uint64_t)mask,
            (uint64_t)value);
    words_finish(w, false);
    ++*count;
}

static void read_exceptions(struct words *w)
{
    unsigned count = 0;

    fputs("static const struct user_exception exceptions[] = {\n", w->abi->arrays);
    words_block(w, read_exception, &count);
    fputs("    {0},\n};\n\n", w->abi->arrays);
    fprintf(w->abi->members, "    .exception_count = %u,\n    .exceptions = exceptions,\n", count);
}

static void read_breakpoint(struct words *w, void *opaque)
{
    static const char *const parts[] = {"mode", "bytes", "mask", "value"};
    unsigned *count = opaque;

    fputs("    {", w->abi->arrays);
    for (unsigned n = 0; n < 4; n++) {
        words_expect(w, parts[n]);
        fprintf(w->abi->arrays, "%#" PRIx64 ", ",
                (uint64_t)words_number(w, 0, n == 1 ? 4 : UINT32_MAX));
    }
    fputs("},\n", w->abi->arrays);
    words_finish(w, false);
    ++*count;
}

static void read_breakpoints(struct words *w)
{
    unsigned count = 0;

    fputs("static const struct user_breakpoint breakpoints[] = {\n", w->abi->arrays);
    words_block(w, read_breakpoint, &count);
    fputs("    {0},\n};\n\n", w->abi->arrays);
    fprintf(w->abi->members, "    .breakpoint_count = %u,\n    .breakpoints = breakpoints,\n",
            count);
}

/* ---- what a program finds -------------------------------------------------------------------- */

static void read_config(struct words *w)
{
    unsigned count = 0;

    fputs("    .config = (const uint64_t[]){", w->abi->members);
    do {
        fprintf(w->abi->members, "%#" PRIx64 ", ", words_value(w));
        count++;
    } while (words_accept(w, ","));
    fprintf(w->abi->members, "},\n    .config_count = %u,\n", count);
    words_finish(w, false);
}

static void read_timer(struct words *w)
{
    static const char *const parts[] = {"device", "frequency", "count"};

    words_expect(w, "hz");
    fprintf(w->abi->members, "    .timer = {.hz = %" PRIu64, words_value(w));
    for (unsigned n = 0; n < 3; n++) {
        words_expect(w, parts[n]);
        fprintf(w->abi->members, ", .%s = %" PRId64, parts[n], words_number(w, 0, 255));
    }
    fputs("},\n", w->abi->members);
    words_finish(w, false);
}

struct page {
    unsigned count;
    VEC(const char *) parts;
};

static void page_part(struct words *w, void *opaque)
{
    enum { PAGE = 4096, WORD = 4 };
    struct page *page = opaque;
    unsigned count = 0;
    int64_t at;

    words_expect(w, "at");
    at = words_number(w, 0, PAGE - WORD);
    words_expect(w, ":");
    fprintf(w->abi->arrays, "static const uint32_t page_%u[] = {", page->count);
    do {
        fprintf(w->abi->arrays, "%#" PRIx64 ", ", (uint64_t)words_number(w, 0, UINT32_MAX));
        count++;
    } while (words_accept(w, ",") && at + WORD * count < PAGE);
    fputs("};\n", w->abi->arrays);
    vec_push_in(
        w->abi->a, &page->parts,
        arena_printf(w->abi->a, "    {%" PRId64 ", %u, page_%u},\n", at, count, page->count));
    page->count++;
    words_finish(w, false);
}

static void read_page(struct words *w)
{
    struct page page = {0};

    if (!words_at_end(w))
        fprintf(w->abi->members, "    .page_address = %#" PRIx64 ",\n", words_value(w));
    words_block(w, page_part, &page);
    fputs("static const struct user_part page[] = {\n", w->abi->arrays);
    vec_for_each (&page.parts, part)
        fputs(*part, w->abi->arrays);
    fputs("    {0},\n};\n\n", w->abi->arrays);
    fprintf(w->abi->members, "    .part_count = %u,\n    .part = page,\n", page.count);
}

/* ---- all statements -------------------------------------------------------------------------- */

static const struct statement {
    const char *name;
    void (*read)(struct words *w);
    bool needed, often; /* an error without it; may be there more than once */
} statements[] = {
    {"machine", read_text, true, false},
    {"platform", read_text, false, false},
    {"cpus", read_cpus, false, false},
    {"elf", read_elf, true, false},
    {"address_bits", read_number, true, false},
    {"stack_top", read_number, false, false},
    {"segment_align", read_number, false, false},
    {"personality", read_number, false, false},
    {"no_limit", read_number, false, false},
    {"tagged", read_flag, false, false},
    {"exec_by_default", read_flag, false, false},
    {"code_first", read_flag, false, false},
    {"mode_bit", read_flag, false, false},
    {"set_bytes", read_set_bytes, false, false},
    {"even_pairs", read_even_pairs, false, false},
    {"number", read_registers, true, false},
    {"arguments", read_registers, true, false},
    {"stack_arguments", read_registers, false, false},
    {"result", read_registers, true, false},
    {"second", read_registers, false, false},
    {"error", read_registers, false, false},
    {"stack", read_registers, true, false},
    {"tls", read_registers, true, false},
    {"call", read_call, true, false},
    {"exceptions", read_exceptions, false, false},
    {"breakpoints", read_breakpoints, false, false},
    {"start", read_start, false, false},
    {"config", read_config, false, false},
    {"timer", read_timer, false, false},
    {"page", read_page, true, false},
    {"frame", read_frame, true, true},
    {"calls", read_calls, true, false},
    {"struct", read_struct, false, true},
    {"table", read_table, false, true},
};

enum { STATEMENTS = sizeof(statements) / sizeof(*statements) };

static bool is_there(const struct abi *abi, const char *name)
{
    vec_for_each (&abi->seen, s)
        if (!strcmp(*s, name))
            return true;
    return false;
}

static void read_statement(struct abi *abi, const struct abi_node *node)
{
    struct words w = {.abi = abi, .node = node};
    const struct abi_word *name = words_name(&w);
    const char *known[STATEMENTS + 1] = {NULL};

    for (unsigned n = 0; !w.failed && n < STATEMENTS; n++) {
        known[n] = statements[n].name;
        if (strcmp(statements[n].name, name->text) != 0)
            continue;
        if (!statements[n].often && is_there(abi, name->text)) {
            diag_error(abi->d, name->pos, "there are two statements '%s'", name->text);
            return;
        }
        vec_push_in(abi->a, &abi->seen, name->text);
        statements[n].read(&w);
        return;
    }
    words_unknown(&w, name, "statement", known);
}

/* Reports statements that the ABI needs and has not. */
static void check_all(struct abi *abi)
{
    for (unsigned n = 0; n < STATEMENTS; n++)
        if (statements[n].needed && !is_there(abi, statements[n].name))
            diag_error(abi->d,
                       abi->m->ast->abi->items.len ? abi->m->ast->abi->items.data[0]->pos
                                                   : abi->m->ast->pos,
                       "the ABI has no statement '%s'", statements[n].name);
    if (is_there(abi, "frame") && !(abi->frames & 2))
        diag_error(abi->d, abi->m->ast->abi->items.data[0]->pos,
                   "the ABI has no frame for handlers with siginfo");
}

/* Writes members of `struct user_abi` that follow from the description, and defaults of statements
 * that the ABI has not. */
static void write_defaults(struct abi *abi, const char *isa)
{
    bool big = false;

    vec_for_each (&abi->m->mems, m)
        big |= m->big_endian && !m->is_fetch;
    fprintf(abi->members, "    .program = USER_PROGRAM,\n    .isa = &%s_isa,\n", isa);
    fprintf(abi->members, "    .word_bytes = %u,\n    .big_endian = %s,\n", abi->m->word_bits / 8,
            big ? "true" : "false");
    if (!is_there(abi, "set_bytes"))
        fputs("    .set_bytes = 8,\n", abi->members);
    if (!is_there(abi, "segment_align"))
        fputs("    .segment_align = CPU_PAGE_SIZE,\n", abi->members);
    if (!is_there(abi, "cpus"))
        fprintf(abi->members, "    .cpus = (const char *const[]){\"%s\", NULL},\n", abi->m->name);
    /* An ABI without a `plain` frame enters all handlers with the one with siginfo. */
    if (!(abi->frames & 1) && (abi->frames & 2))
        fprintf(abi->members, "    .frames[0] = %s,\n", abi->frame);
}

static void write_all(const struct abi *abi, const char *isa, const char *arrays,
                      const char *members, FILE *out)
{
    fprintf(out,
            "/* Made by gencc from the ac_abi of %s. Edits are lost. */\n"
            "#include <fcntl.h>\n#include <sys/msg.h>\n#include <sys/sem.h>\n#include <sys/shm.h>\n"
            "#include <sys/stat.h>\n#include <sys/statfs.h>\n\n"
            "#include \"runtime/user/abi.h\"\n#include \"runtime/user/user.h\"\n\n"
            "extern const struct cpu_isa %s_isa;\n\n%s",
            abi->m->ast->path, isa, arrays);
    fprintf(out, "const struct user_abi user_abi = {\n%s};\n", members);
}

/* As abi_write(); `facts` receives the frame. */
static void read_abi(const struct model *m, const char *isa, FILE *out, struct abi_facts *facts)
{
    struct abi abi = {.m = m, .a = m->arena, .d = m->diag, .set_bytes = 8, .facts = facts};
    char *arrays = NULL, *members = NULL;
    size_t sizes[2];

    if (!m->ast->abi)
        return;
    abi.arrays = open_memstream(&arrays, &sizes[0]);
    abi.members = open_memstream(&members, &sizes[1]);
    if (abi.arrays && abi.members) {
        vec_for_each (&m->ast->abi->items, node)
            read_statement(&abi, *node);
        check_all(&abi);
        write_defaults(&abi, isa);
    }
    if (abi.arrays)
        fclose(abi.arrays);
    if (abi.members)
        fclose(abi.members);
    if (out && arrays && members && !m->diag->errors)
        write_all(&abi, isa, arrays, members, out);
    free(arrays);
    free(members);
}

void abi_write(const struct model *m, const char *isa, FILE *out)
{
    read_abi(m, isa, out, NULL);
}

bool abi_read_frame(const struct model *m, struct abi_facts *facts)
{
    read_abi(m, m->name, NULL, facts);
    return !m->diag->errors;
}
