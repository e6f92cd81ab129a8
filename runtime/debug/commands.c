/* Text commands of the shader debugger, for the console and GDB's `monitor`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/debug/internal.h"

enum { LINE_BYTES = 1024, CODE_AROUND = 2, MAX_WORDS = 4096 };

/* A command: the words behind its name, and where its output goes. Returns whether the job goes
 * on. */
struct command {
    const char *name, *arguments, *help;
    bool (*run)(struct gpu_debug *d, char *words, FILE *out);
    bool idle; /* some of it needs no stopped job */
};

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t");
}

/* The word at *text, terminated; *text moves behind it. NULL: there is none. */
static char *take_word(char **text)
{
    char *word = skip_blanks(*text), *end = word + strcspn(word, " \t");

    if (!*word)
        return NULL;
    *text = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* Whether a job has stopped; false: said that none has. */
static bool has_job(const struct gpu_debug *d, FILE *out)
{
    if (!d->stopped)
        fputs(DEBUG_WAITS "\n", out);
    return d->stopped;
}

/* The selected warp; false: said that there is none. */
static bool selected(struct gpu_debug *d, struct gpu_debug_warp *w, FILE *out)
{
    if (!has_job(d, out))
        return false;
    if (gpu_debug_find_warp(d, d->stop.thread, w))
        return true;
    fputs("no warp is selected\n", out);
    return false;
}

static bool read_value(struct gpu_debug *d, const char *text, int64_t *out, FILE *to)
{
    struct gpu_debug_warp w;
    struct gpu_debug_value v;
    struct error err;

    if (!selected(d, &w, to))
        return false;
    if (gpu_debug_evaluate(d, &w, d->stop.lane, text, &v, &err)) {
        *out = v.real ? (int64_t)v.number : v.whole;
        return true;
    }
    fprintf(to, "%s\n", err.text);
    return false;
}

/* ---- stops ----------------------------------------------------------------------------------- */

/* Splits off the condition, from the word `if` on. */
static const char *take_condition(char *words)
{
    for (char *at = words; (at = strstr(at, "if")); at += 2)
        if ((at == words || at[-1] == ' ') && at[2] == ' ') {
            *at = '\0';
            return skip_blanks(at + 2);
        }
    return NULL;
}

static bool add_point(struct gpu_debug *d, const struct gpu_debug_point *p, FILE *out)
{
    struct error err;
    unsigned number = gpu_debug_break(d, p, &err);

    if (number)
        fprintf(out, "breakpoint %u\n", number);
    else
        fprintf(out, "%s\n", err.text);
    return false;
}

static const struct {
    const char *name;
    enum gpu_debug_kind kind;
} kinds[] = {
    {"kernel", GPU_DEBUG_AT_KERNEL},
    {"fault", GPU_DEBUG_AT_FAULT},
    {"divergence", GPU_DEBUG_AT_DIVERGENCE},
    {"nan", GPU_DEBUG_AT_NAN},
    {"race", GPU_DEBUG_AT_RACE},
    {"uninitialised", GPU_DEBUG_AT_UNWRITTEN},
};

static bool run_break(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_point p = {.condition = take_condition(words)};
    char *word = take_word(&words), *more = word ? take_word(&words) : NULL;
    int64_t number;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (!word || !strcmp(word, kinds[i].name)) {
            p.kind = kinds[i].kind;
            p.kernel = p.kind == GPU_DEBUG_AT_KERNEL ? more : NULL;
            return add_point(d, &p, out);
        }
    p.kind = !strcmp(word, d->isa->bundle_name) ? GPU_DEBUG_AT_BUNDLE : GPU_DEBUG_AT_ADDRESS;
    word = p.kind == GPU_DEBUG_AT_BUNDLE ? more : word;
    if (!word || !read_value(d, word, &number, out))
        return false;
    p.address = (uint64_t)number;
    return add_point(d, &p, out);
}

static bool run_watch(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_point p = {.kind = GPU_DEBUG_AT_ACCESS,
                                .accesses = GPU_DEBUG_STORES,
                                .condition = take_condition(words)};
    char *text = skip_blanks(words), *comma;
    int64_t address, bytes = 4;

    if (!strncmp(text, "-r ", 3) || !strncmp(text, "-a ", 3)) {
        p.accesses = text[1] == 'r' ? GPU_DEBUG_LOADS : GPU_DEBUG_LOADS | GPU_DEBUG_STORES;
        text = skip_blanks(text + 2);
    }
    comma = strchr(text, ',');
    if (comma)
        *comma = '\0';
    if (!read_value(d, text, &address, out) || (comma && !read_value(d, comma + 1, &bytes, out)))
        return false;
    p.address = (uint64_t)address;
    p.bytes = (uint64_t)bytes;
    return add_point(d, &p, out);
}

static bool run_delete(struct gpu_debug *d, char *words, FILE *out)
{
    char *word = take_word(&words);
    int64_t number;

    if (!word || !strcmp(word, "all"))
        debug_points_free(d);
    else if (read_value(d, word, &number, out) && !gpu_debug_delete(d, (unsigned)number))
        fprintf(out, "there is no breakpoint %" PRId64 "\n", number);
    return false;
}

static void print_point(const struct gpu_debug *d, const struct debug_point *p, FILE *out)
{
    fprintf(out, "%u: ", p->number);
    switch (p->p.kind) {
    case GPU_DEBUG_AT_ADDRESS:
        fprintf(out, "0x%" PRIx64, p->p.address);
        break;
    case GPU_DEBUG_AT_BUNDLE:
        fprintf(out, "%s %" PRIu64, d->isa->bundle_name, p->p.address);
        break;
    case GPU_DEBUG_AT_ACCESS:
        fprintf(out, "memory 0x%" PRIx64 ", %" PRIu64 " bytes", p->p.address, p->p.bytes);
        break;
    default:
        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
            if (kinds[i].kind == p->p.kind)
                fputs(kinds[i].name, out);
    }
    fprintf(out, "%s%s%s%s, met %" PRIu64 " times\n", p->p.kernel ? " " : "",
            p->p.kernel ? p->p.kernel : "", p->p.condition ? " if " : "",
            p->p.condition ? p->p.condition : "", p->hits);
}

/* ---- going on -------------------------------------------------------------------------------- */

static bool run_continue(struct gpu_debug *d, char *words, FILE *out)
{
    (void)words, (void)out;
    gpu_debug_go(d, GPU_DEBUG_RUN);
    return true;
}

static bool run_step(struct gpu_debug *d, char *words, FILE *out)
{
    const char *word = take_word(&words);

    if (!word || !strcmp(word, d->isa->bundle_name)) {
        gpu_debug_go(d, GPU_DEBUG_BY_BUNDLE);
    } else if (!strcmp(word, d->isa->stage_name) || !strcmp(word, "stage")) {
        gpu_debug_go(d, GPU_DEBUG_BY_STAGE);
    } else if (!strcmp(word, "warp")) {
        gpu_debug_go(d, GPU_DEBUG_BY_WARP);
    } else if (!strcmp(word, "item")) {
        gpu_debug_go(d, GPU_DEBUG_BY_ITEM);
    } else {
        fprintf(out, "step takes %s, %s, warp or item\n", d->isa->bundle_name, d->isa->stage_name);
        return false;
    }
    return true;
}

static bool run_finish(struct gpu_debug *d, char *words, FILE *out)
{
    (void)words, (void)out;
    gpu_debug_go(d, GPU_DEBUG_OUT);
    return true;
}

static bool run_leave(struct gpu_debug *d, char *words, FILE *out)
{
    (void)words, (void)out;
    gpu_debug_leave(d);
    return true;
}

/* ---- showing --------------------------------------------------------------------------------- */

static bool run_warps(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_warp warps[GPU_DEBUG_WARPS];
    unsigned total = gpu_debug_warps(d, warps, GPU_DEBUG_WARPS);
    char text[128];

    (void)words;
    for (unsigned i = 0; i < total && i < GPU_DEBUG_WARPS; i++) {
        gpu_debug_describe_warp(&warps[i], text, sizeof(text));
        fprintf(out, "%c %" PRIu64 " %s at 0x%" PRIx64 "\n",
                warps[i].thread == d->stop.thread ? '*' : ' ', warps[i].thread, text, warps[i].pc);
    }
    if (total > GPU_DEBUG_WARPS)
        fprintf(out, "  and %u more\n", total - GPU_DEBUG_WARPS);
    return false;
}

static bool run_lanes(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_warp w;

    (void)words;
    if (!selected(d, &w, out))
        return false;
    for (unsigned lane = 0; lane < w.width; lane++) {
        uint32_t local[3], global[3];

        if (!(w.live >> lane & 1))
            continue;
        gpu_debug_item(d, &w, lane, local, global);
        fprintf(out, "%c lane %u: work-item (%u,%u,%u), local (%u,%u,%u), at 0x%" PRIx64 "%s\n",
                lane == d->stop.lane ? '*' : ' ', lane, global[0], global[1], global[2], local[0],
                local[1], local[2], gpu_debug_lane_pc(d, &w, lane),
                w.active >> lane & 1 ? "" : ", waits");
    }
    return false;
}

static void print_register(struct gpu_debug *d, const struct gpu_debug_warp *w,
                           const struct gpu_debug_register *r, FILE *out)
{
    uint32_t words[4];
    unsigned lanes = r->bank == GPU_DEBUG_UNIFORM ? 1 : w->width;

    if (!gpu_debug_get(d, w, 0, r, words))
        return;
    fprintf(out, "%-6s", r->name);
    for (unsigned lane = 0; lane < lanes; lane++) {
        gpu_debug_get(d, w, lane, r, words);
        for (unsigned k = 0; k < r->words; k++)
            fprintf(out, "%s%08x", k ? ":" : " ", words[k]);
    }
    fputc('\n', out);
}

static bool run_registers(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_warp w;
    const char *name = take_word(&words);
    bool found = false;

    if (!selected(d, &w, out))
        return false;
    vec_for_each (&d->registers, r) {
        if (name ? strcmp(name, r->name) != 0 : r->bank == GPU_DEBUG_WORK && r->name[0] == 'x')
            continue;
        print_register(d, &w, r, out);
        found = true;
    }
    if (!found)
        fprintf(out, "there is no register %s\n", name ? name : "");
    return false;
}

static bool run_points(struct gpu_debug *d, char *words, FILE *out)
{
    (void)words;
    vec_for_each (&d->points, p)
        print_point(d, p, out);
    if (!d->points.len)
        fputs("there are no breakpoints\n", out);
    return false;
}

static bool run_info(struct gpu_debug *d, char *words, FILE *out)
{
    const char *word = take_word(&words);

    if (word && !strcmp(word, "breakpoints"))
        return run_points(d, words, out);
    if (!has_job(d, out))
        return false;
    if (word && !strcmp(word, "warps"))
        return run_warps(d, words, out);
    if (word && !strcmp(word, "lanes"))
        return run_lanes(d, words, out);
    if (word && !strcmp(word, "registers"))
        return run_registers(d, words, out);
    if (word && !strcmp(word, "stop"))
        gpu_debug_print_stop(d, out);
    else
        fputs("info takes warps, lanes, registers, breakpoints or stop\n", out);
    return false;
}

static bool run_print(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_warp w;
    struct gpu_debug_value v;
    struct error err;

    if (!selected(d, &w, out))
        return false;
    if (!gpu_debug_evaluate(d, &w, d->stop.lane, words, &v, &err))
        fprintf(out, "%s\n", err.text);
    else if (v.real)
        fprintf(out, "%.9g\n", v.number);
    else
        fprintf(out, "%" PRId64 " (0x%" PRIx64 ")\n", v.whole, (uint64_t)v.whole);
    return false;
}

static bool run_examine(struct gpu_debug *d, char *words, FILE *out)
{
    char *word = take_word(&words), *count_word = word ? take_word(&words) : NULL;
    int64_t address, count = 8;

    if (!word || !read_value(d, word, &address, out) ||
        (count_word && !read_value(d, count_word, &count, out)))
        return false;
    count = count < 0 ? 0 : count > MAX_WORDS ? MAX_WORDS : count;
    for (int64_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)address + 4 * (uint64_t)i;
        uint32_t v;

        if (gpu_debug_read(d, at, &v, sizeof(v)) != sizeof(v)) {
            fprintf(out, "%sthere is no memory at 0x%" PRIx64 "\n", i % 4 ? "\n" : "", at);
            return false;
        }
        if (i % 4 == 0)
            fprintf(out, "0x%" PRIx64 ":", at);
        fprintf(out, " %08x%s", v, i % 4 == 3 || i + 1 == count ? "\n" : "");
    }
    return false;
}

/* ---- code ------------------------------------------------------------------------------------ */

struct printed_code {
    FILE *out;
    uint64_t pc;
    bool all;
};

static bool print_code(void *opaque, uint64_t address, unsigned index, size_t bytes,
                       const char *text)
{
    const struct printed_code *c = opaque;

    (void)bytes;
    if (c->all || address == c->pc)
        fprintf(c->out, "%s 0x%" PRIx64 " (%u)\n%s\n", address == c->pc ? "=>" : "  ", address,
                index, text);
    return c->all || address < c->pc;
}

static bool run_disassemble(struct gpu_debug *d, char *words, FILE *out)
{
    struct gpu_debug_warp w;
    const char *word = take_word(&words);

    if (selected(d, &w, out))
        gpu_debug_list(d, print_code,
                       &(struct printed_code){out, w.pc, !word || strcmp(word, "here") != 0});
    return false;
}

void gpu_debug_print_stop(struct gpu_debug *d, FILE *out)
{
    struct gpu_debug_warp w;
    uint32_t local[3], global[3];
    char text[128];
    const char *kernel;

    if (!gpu_debug_find_warp(d, d->stop.thread, &w))
        return;
    kernel = gpu_debug_kernel(d);
    gpu_debug_describe_warp(&w, text, sizeof(text));
    gpu_debug_item(d, &w, d->stop.lane, local, global);
    fprintf(out, "%s\n%s%s%s: work-item (%u,%u,%u), lane %u, at 0x%" PRIx64 " (%s %" PRIu64,
            d->stop.text, kernel ? kernel : "", kernel ? ", " : "", text, global[0], global[1],
            global[2], d->stop.lane, w.pc, d->isa->bundle_name,
            (w.pc - gpu_debug_shader(d)) / d->isa->grain_bytes);
    if (d->at.stage)
        fprintf(out, ", %s %u", d->isa->stage_name, d->at.stage);
    fputs(")\n", out);
}

/* ---- selecting and changing ------------------------------------------------------------------ */

static bool run_lane(struct gpu_debug *d, char *words, FILE *out)
{
    char *word = take_word(&words);
    int64_t lane;

    if (word && read_value(d, word, &lane, out) &&
        !gpu_debug_select(d, d->stop.thread,
                          lane < 0 || lane > UINT8_MAX ? UINT8_MAX : (unsigned)lane))
        fputs("the warp has no such lane\n", out);
    return false;
}

static bool run_warp(struct gpu_debug *d, char *words, FILE *out)
{
    char *word = take_word(&words);
    struct gpu_debug_warp w;
    int64_t thread;

    if (!word || !read_value(d, word, &thread, out))
        return false;
    if (gpu_debug_find_warp(d, (uint64_t)thread, &w))
        gpu_debug_select(d, w.thread, (unsigned)__builtin_ctz(w.active ? w.active : w.live));
    else
        fputs("there is no such warp here (info warps)\n", out);
    return false;
}

/* Writes a value into a register's word, or memory of the type. */
static bool set_place(struct gpu_debug *d, const struct gpu_debug_warp *w, const char *place,
                      const struct gpu_debug_value *v, FILE *out)
{
    size_t length = strcspn(place, ".( ");
    const struct gpu_debug_register *r = gpu_debug_register_of(d, place, length);
    uint32_t words[4] = {0};
    unsigned word = 0;
    float single = (float)(v->real ? v->number : (double)v->whole);
    bool real = v->real || strstr(place, ".f32");
    int64_t address;

    if (!r && (!strncmp(place, "u32(", 4) || !strncmp(place, "f32(", 4))) {
        words[0] = (uint32_t)v->whole;
        if (v->real || *place == 'f')
            memcpy(words, &single, sizeof(single));
        return read_value(d, place + 3, &address, out) &&
               gpu_debug_write(d, (uint64_t)address, words, 4) == 4;
    }
    if (!r || !gpu_debug_get(d, w, d->stop.lane, r, words))
        return false;
    if (place[length] == '.' && place[length + 1] && strchr("xyzw", place[length + 1]))
        word = (unsigned)(strchr("xyzw", place[length + 1]) - "xyzw");
    if (place[length] == '.' && place[length + 1] == 'w' && place[length + 2] == '1')
        word = 1;
    if (word >= r->words)
        return false;
    words[word] = (uint32_t)v->whole;
    if (real)
        memcpy(&words[word], &single, sizeof(single));
    return gpu_debug_set(d, w, d->stop.lane, r, words);
}

static bool run_set(struct gpu_debug *d, char *words, FILE *out)
{
    char *place = skip_blanks(words), *sign = strchr(place, '=');
    struct gpu_debug_warp w;
    struct gpu_debug_value v;
    struct error err;

    if (!sign) {
        fputs("set takes REGISTER = VALUE, or u32(ADDRESS) = VALUE\n", out);
        return false;
    }
    *sign = '\0';
    if (!selected(d, &w, out))
        return false;
    if (!gpu_debug_evaluate(d, &w, d->stop.lane, sign + 1, &v, &err))
        fprintf(out, "%s\n", err.text);
    else if (!set_place(d, &w, place, &v, out))
        fprintf(out, "%s cannot be set\n", place);
    return false;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool run_help(struct gpu_debug *d, char *words, FILE *out);

static const struct command commands[] = {
    {"break", "PLACE [if EXPRESSION]",
     "stop at an address, a bundle's number behind its word, kernel [NAME], fault, divergence, "
     "nan,\n"
     "    race, uninitialised; the condition is of one work-item: get_global_id(0) == 17",
     run_break, true},
    {"watch", "[-r|-a] ADDRESS[,BYTES] [if EXPRESSION]", "stop at stores (loads; both)", run_watch,
     false},
    {"delete", "NUMBER|all", "remove breakpoints", run_delete, true},
    {"continue", "", "run to the next stop", run_continue, false},
    {"step", "[WHAT]", "run a bundle, a stage of it (both by the ISA's words), a warp or an item",
     run_step, false},
    {"finish", "", "run until the warp has ended", run_finish, false},
    {"info", "warps|lanes|registers [NAME]|breakpoints|stop", "show them", run_info, true},
    {"lane", "NUMBER", "select a lane of the warp", run_lane, false},
    {"warp", "ID", "select a warp by its number in `info warps`", run_warp, false},
    {"print", "EXPRESSION", "evaluate for the selected lane: r3.f32, u0.w1, u32(ADDRESS)",
     run_print, false},
    {"set", "PLACE = EXPRESSION", "change a register, a uniform, or memory: u32(ADDRESS)", run_set,
     false},
    {"x", "ADDRESS [COUNT]", "show words of memory", run_examine, false},
    {"disassemble", "[here]", "show the shader, or the bundle", run_disassemble, false},
    {"quit", "", "remove all breakpoints and run to the end", run_leave, false},
    {"help", "", "this list", run_help, true},
};

static bool run_help(struct gpu_debug *d, char *words, FILE *out)
{
    (void)d, (void)words;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        fprintf(out, "%s %s\n    %s\n", commands[i].name, commands[i].arguments, commands[i].help);
    return false;
}

bool gpu_debug_command(struct gpu_debug *d, const char *line, FILE *out)
{
    char copy[LINE_BYTES], *words = copy;
    const char *name;

    if (strlen(line) >= sizeof(copy)) {
        fputs("the line is too long\n", out);
        return false;
    }
    strcpy(copy, line);
    copy[strcspn(copy, "\r\n")] = '\0';
    name = take_word(&words);
    for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++)
        if (!strncmp(commands[i].name, name, strlen(name)))
            return (commands[i].idle || has_job(d, out)) && commands[i].run(d, words, out);
    if (name)
        fprintf(out, "there is no command %s (help lists them)\n", name);
    return false;
}
