/*
 * What an editor shows of a stopped job. The id of a frame is that of its warp; a reference to
 * variables is KINDS times that, plus what they are.
 *
 * Bounds      a read: READ_BYTES; a listing: LISTED_BUNDLES
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/gencc-dap/dap.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/isa.h"

enum kind { ITEM = 1, LANES, WORK, TEMPORARIES, UNIFORMS, KINDS = 8 };
enum { READ_BYTES = 1 << 20, LISTED_BUNDLES = 4096, MAX_WORDS = 4 };

static unsigned lane_of(const struct dap *d, const struct gpu_debug_warp *w)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(d->debug);

    return stop->thread == w->thread ? stop->lane
                                     : (unsigned)__builtin_ctz(w->active ? w->active : w->live);
}

static uint64_t bundle_of(const struct dap *d, uint64_t pc)
{
    return (pc - gpu_debug_shader(d->debug)) / d->isa->grain_bytes;
}

static json_t *hex(uint64_t v)
{
    return json_sprintf("0x%" PRIx64, v);
}

/* ---- warps ----------------------------------------------------------------------------------- */

json_t *dap_threads(struct dap *d, const json_t *arguments, struct error *err)
{
    struct gpu_debug_warp warps[GPU_DEBUG_WARPS];
    unsigned total = d->stopped ? gpu_debug_warps(d->debug, warps, GPU_DEBUG_WARPS) : 0;
    json_t *list = json_array();
    char text[128];

    (void)arguments, (void)err;
    for (unsigned i = 0; i < total && i < GPU_DEBUG_WARPS; i++) {
        gpu_debug_describe_warp(&warps[i], text, sizeof(text));
        json_array_append_new(
            list, json_pack("{s:I, s:s}", "id", (json_int_t)warps[i].thread, "name", text));
    }
    return json_pack("{s:o}", "threads", list);
}

/* What stands in place of a function's name: the kernel, and how sure its line is. */
static json_t *frame_name(const struct dap *d, const struct gpu_debug_warp *w,
                          const struct dap_line *line)
{
    unsigned stage = w->active ? gpu_debug_stage(d->debug) : 0;
    char where[40] = "";

    if (stage)
        snprintf(where, sizeof(where), ", %.20s %u", d->isa->stage_name, stage);
    return json_sprintf("%s, %s %" PRIu64 "%s%s", d->kernel ? d->kernel : "shader",
                        d->isa->bundle_name, bundle_of(d, w->pc), where,
                        !line           ? " (line not known)"
                        : line->certain ? ""
                                        : " (line by order)");
}

json_t *dap_stack(struct dap *d, const json_t *arguments, struct error *err)
{
    struct gpu_debug_warp w;
    const struct dap_line *line;
    json_t *frame;

    if (!dap_warp(d, arguments, "threadId", &w, err))
        return NULL;
    line = dap_line_at(d, w.pc);
    frame = json_pack("{s:I, s:i, s:i, s:o, s:o}", "id", (json_int_t)w.thread, "line",
                      line ? (int)line->first : 0, "column", line ? 1 : 0,
                      "instructionPointerReference", hex(w.pc), "name", frame_name(d, &w, line));
    if (line) {
        const char *slash = strrchr(d->source, '/');

        json_object_set_new(
            frame, "source",
            json_pack("{s:s, s:s}", "name", slash ? slash + 1 : d->source, "path", d->source));
        json_object_set_new(frame, "endLine", json_integer(line->last));
    }
    return json_pack("{s:[o], s:i}", "stackFrames", frame, "totalFrames", 1);
}

/* ---- variables ------------------------------------------------------------------------------- */

json_t *dap_scopes(struct dap *d, const json_t *arguments, struct error *err)
{
    static const struct {
        const char *name;
        enum kind kind;
    } scopes[] = {{"Work-item", ITEM},
                  {"Lanes", LANES},
                  {"Registers", WORK},
                  {"Temporaries", TEMPORARIES},
                  {"Uniforms", UNIFORMS}};
    struct gpu_debug_warp w;
    json_t *list = json_array();

    if (!dap_warp(d, arguments, "frameId", &w, err)) {
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:b}", "name", scopes[i].name,
                                              "variablesReference",
                                              (json_int_t)(w.thread * KINDS + scopes[i].kind),
                                              "expensive", scopes[i].kind != ITEM));
    return json_pack("{s:o}", "scopes", list);
}

static void add_variable(json_t *list, const char *name, json_t *value)
{
    json_array_append_new(
        list, json_pack("{s:s, s:o, s:i}", "name", name, "value", value, "variablesReference", 0));
}

static void add_item(struct dap *d, const struct gpu_debug_warp *w, json_t *list)
{
    uint32_t local[3], global[3];
    unsigned lane = lane_of(d, w);

    gpu_debug_item(d->debug, w, lane, local, global);
    add_variable(list, "lane", json_sprintf("%u", lane));
    add_variable(list, "get_global_id",
                 json_sprintf("(%u,%u,%u)", global[0], global[1], global[2]));
    add_variable(list, "get_local_id", json_sprintf("(%u,%u,%u)", local[0], local[1], local[2]));
    add_variable(list, "get_group_id",
                 json_sprintf("(%u,%u,%u)", w->group[0], w->group[1], w->group[2]));
    add_variable(list, "active lanes", json_sprintf("0x%x", w->active));
}

static void add_lanes(struct dap *d, const struct gpu_debug_warp *w, json_t *list)
{
    for (unsigned lane = 0; lane < w->width; lane++) {
        uint32_t local[3], global[3];
        char name[16];

        if (!(w->live >> lane & 1))
            continue;
        gpu_debug_item(d->debug, w, lane, local, global);
        snprintf(name, sizeof(name), "%u", lane);
        add_variable(list, name,
                     json_sprintf("(%u,%u,%u), %s %" PRIu64 "%s", global[0], global[1], global[2],
                                  d->isa->bundle_name,
                                  bundle_of(d, gpu_debug_lane_pc(d->debug, w, lane)),
                                  w->active >> lane & 1 ? "" : ", waits"));
    }
}

/* A register's words in the lane: bits, and one word as numbers. */
static json_t *text_of(const uint32_t *words, unsigned count)
{
    char text[160];
    float number;
    int n = 0;

    memcpy(&number, words, sizeof(number));
    if (count == 1)
        return json_sprintf("0x%08x (%d, %.9g)", words[0], (int32_t)words[0], (double)number);
    for (unsigned k = 0; k < count; k++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s0x%08x", k ? " " : "", words[k]);
    return json_string(text);
}

static void add_registers(struct dap *d, const struct gpu_debug_warp *w, enum kind kind,
                          json_t *list)
{
    unsigned count;
    const struct gpu_debug_register *regs = gpu_debug_registers(d->debug, &count);
    enum gpu_debug_bank bank = kind == WORK          ? GPU_DEBUG_WORK
                               : kind == TEMPORARIES ? GPU_DEBUG_TEMPORARY
                                                     : GPU_DEBUG_UNIFORM;
    uint32_t words[MAX_WORDS] = {0};

    for (unsigned i = 0; i < count; i++)
        if (regs[i].bank == bank && regs[i].words <= MAX_WORDS &&
            gpu_debug_get(d->debug, w, lane_of(d, w), &regs[i], words))
            add_variable(list, regs[i].name, text_of(words, regs[i].words));
}

/* The warp and the kind of a reference. */
static bool take_reference(struct dap *d, const json_t *arguments, struct gpu_debug_warp *w,
                           enum kind *kind, struct error *err)
{
    int64_t reference = dap_number(arguments, "variablesReference", 0);

    *kind = (enum kind)(reference > 0 ? reference % KINDS : 0);
    return (d->stopped && reference > 0 &&
            gpu_debug_find_warp(d->debug, (uint64_t)reference / KINDS, w)) ||
           error_set(err, "there are no such variables");
}

json_t *dap_variables(struct dap *d, const json_t *arguments, struct error *err)
{
    struct gpu_debug_warp w;
    enum kind kind;
    json_t *list;

    if (!take_reference(d, arguments, &w, &kind, err))
        return NULL;
    list = json_array();
    if (kind == ITEM)
        add_item(d, &w, list);
    else if (kind == LANES)
        add_lanes(d, &w, list);
    else
        add_registers(d, &w, kind, list);
    return json_pack("{s:o}", "variables", list);
}

/* Sets a register of the lane: a value with a point is a float. */
static bool set_register(struct dap *d, const struct gpu_debug_warp *w, const char *name,
                         const struct gpu_debug_value *v, struct error *err)
{
    const struct gpu_debug_register *r = gpu_debug_register_of(d->debug, name, strlen(name));
    uint32_t words[MAX_WORDS] = {0};
    float number = (float)v->number;

    if (!r || r->words > MAX_WORDS || !gpu_debug_get(d->debug, w, lane_of(d, w), r, words))
        return error_set(err, "%.40s cannot be set", name);
    words[0] = (uint32_t)v->whole;
    if (v->real)
        memcpy(words, &number, sizeof(number));
    return gpu_debug_set(d->debug, w, lane_of(d, w), r, words) ||
           error_set(err, "%.40s cannot be set", name);
}

json_t *dap_set_variable(struct dap *d, const json_t *arguments, struct error *err)
{
    const char *name = dap_text(arguments, "name"), *text = dap_text(arguments, "value");
    struct gpu_debug_warp w;
    struct gpu_debug_value v;
    enum kind kind;

    if (!name || !text) {
        error_set(err, "`name` and `value` are missing");
        return NULL;
    }
    if (!take_reference(d, arguments, &w, &kind, err) ||
        !gpu_debug_evaluate(d->debug, &w, lane_of(d, &w), text, &v, err))
        return NULL;
    if (kind == ITEM && !strcmp(name, "lane")) {
        if (v.real || v.whole < 0 || v.whole >= w.width ||
            !gpu_debug_select(d->debug, w.thread, (unsigned)v.whole)) {
            error_set(err, "the warp has no such lane");
            return NULL;
        }
        dap_event(d, "invalidated", json_pack("{s:[s]}", "areas", "variables"));
    } else if (!set_register(d, &w, name, &v, err)) {
        return NULL;
    }
    return json_pack("{s:s}", "value", text);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode(const uint8_t *from, size_t len)
{
    char *out = xcalloc(len / 3 + 2, 4), *to = out;

    for (size_t i = 0; i < len; i += 3) {
        uint32_t v = (uint32_t)from[i] << 16 | (i + 1 < len ? (uint32_t)from[i + 1] << 8 : 0) |
                     (i + 2 < len ? from[i + 2] : 0);

        *to++ = digits[v >> 18];
        *to++ = digits[v >> 12 & 63];
        *to++ = i + 1 < len ? digits[v >> 6 & 63] : '=';
        *to++ = i + 2 < len ? digits[v & 63] : '=';
    }
    return out;
}

/* Decodes into `to`, which has 3 bytes per 4 digits. Returns the number of bytes. */
static size_t decode(const char *text, uint8_t *to)
{
    size_t count = 0;
    uint32_t v = 0;
    unsigned bits = 0;

    for (const char *digit; *text && (digit = strchr(digits, *text)); text++) {
        v = v << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            to[count++] = (uint8_t)(v >> bits);
        }
    }
    return count;
}

static bool take_address(const struct dap *d, const json_t *arguments, uint64_t *va,
                         struct error *err)
{
    const char *text = dap_text(arguments, "memoryReference");

    if (!text || !d->stopped)
        return error_set(err, "%s", text ? "the job does not wait" : "memoryReference is missing");
    *va = strtoull(text, NULL, 0) + (uint64_t)dap_number(arguments, "offset", 0);
    return true;
}

json_t *dap_read_memory(struct dap *d, const json_t *arguments, struct error *err)
{
    int64_t count = dap_number(arguments, "count", 0);
    uint8_t *bytes;
    uint64_t va;
    size_t done;
    char *text;
    json_t *out;

    if (!take_address(d, arguments, &va, err))
        return NULL;
    count = count < 0 ? 0 : count > READ_BYTES ? READ_BYTES : count;
    bytes = xcalloc((size_t)count + 1, 1);
    done = gpu_debug_read(d->debug, va, bytes, (size_t)count);
    text = encode(bytes, done);
    out = json_pack("{s:o, s:s, s:I}", "address", hex(va), "data", text, "unreadableBytes",
                    (json_int_t)(count - (int64_t)done));
    free(text);
    free(bytes);
    return out;
}

json_t *dap_write_memory(struct dap *d, const json_t *arguments, struct error *err)
{
    const char *data = dap_text(arguments, "data");
    uint64_t va;
    uint8_t *bytes;
    size_t len, done;

    if (!take_address(d, arguments, &va, err) || !data)
        return NULL;
    bytes = xcalloc(strlen(data) + 1, 1);
    len = decode(data, bytes);
    done = gpu_debug_write(d->debug, va, bytes, len);
    free(bytes);
    if (done == len)
        return json_pack("{s:I}", "bytesWritten", (json_int_t)done);
    error_set(err, "there is no memory to write at 0x%" PRIx64, va + done);
    return NULL;
}

/* ---- code ------------------------------------------------------------------------------------ */

struct listed {
    uint64_t address;
    size_t bytes;
    char *text;
};

struct listing {
    VEC(struct listed) bundles;
};

/* The text of a bundle on one line, as editors show an instruction. */
static bool list_bundle(void *opaque, uint64_t address, unsigned index, size_t bytes,
                        const char *text)
{
    struct listing *l = opaque;
    char *line = xcalloc(strlen(text) + 1, 1), *to = line;

    (void)index;
    for (bool blank = true; *text; text++) {
        bool is_blank = strchr(" \t\n", *text) != NULL;

        if (!is_blank)
            *to++ = *text;
        else if (!blank)
            *to++ = ' ';
        blank = is_blank;
    }
    vec_push(&l->bundles, (struct listed){address, bytes, line});
    return l->bundles.len < LISTED_BUNDLES;
}

static json_t *instruction(const struct dap *d, const struct listed *b)
{
    json_t *out = json_pack("{s:o, s:s}", "address", hex(b->address), "instruction", b->text);
    const struct dap_line *line = dap_line_at(d, b->address);

    json_object_set_new(out, "symbol",
                        json_sprintf("%s %" PRIu64, d->isa->bundle_name, bundle_of(d, b->address)));
    if (line) {
        json_object_set_new(out, "location", json_pack("{s:s}", "path", d->source));
        json_object_set_new(out, "line", json_integer(line->first));
    }
    return out;
}

json_t *dap_disassemble(struct dap *d, const json_t *arguments, struct error *err)
{
    struct listing l = {0};
    int64_t from = dap_number(arguments, "instructionOffset", 0);
    int64_t count = dap_number(arguments, "instructionCount", 0), at = 0;
    json_t *list;
    uint64_t va;

    if (!take_address(d, arguments, &va, err))
        return NULL;
    list = json_array();
    gpu_debug_list(d->debug, list_bundle, &l);
    while (at < l.bundles.len && l.bundles.data[at].address < va)
        at++;
    count = count < 0 ? 0 : count > LISTED_BUNDLES ? LISTED_BUNDLES : count;
    from = from < -LISTED_BUNDLES ? -LISTED_BUNDLES : from > LISTED_BUNDLES ? LISTED_BUNDLES : from;
    /* As many as were asked for, as the protocol wants; those beside the shader are empty. */
    for (int64_t i = at + from; i < at + from + count; i++) {
        if (i >= 0 && i < l.bundles.len)
            json_array_append_new(list, instruction(d, &l.bundles.data[i]));
        else
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s}", "address", "0x0", "instruction", "",
                                            "presentationHint", "invalid"));
    }
    vec_for_each (&l.bundles, b)
        free(b->text);
    vec_free(&l.bundles);
    return json_pack("{s:o}", "instructions", list);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A line of the editor's console: a command of the debugger, but for those that let the job go
 * on. */
static json_t *run_command(struct dap *d, const char *line)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    json_t *body = NULL;

    if (!out)
        return NULL;
    if (gpu_debug_command(d->debug, line, out))
        d->resumed = true;
    fclose(out);
    body = json_pack("{s:s, s:i}", "result", text, "variablesReference", 0);
    free(text);
    return body;
}

json_t *dap_evaluate(struct dap *d, const json_t *arguments, struct error *err)
{
    const char *text = dap_text(arguments, "expression"), *context = dap_text(arguments, "context");
    const struct gpu_debug_stop *stop;
    struct gpu_debug_warp w;
    struct gpu_debug_value v;

    if (!text || !d->stopped) {
        error_set(err, "%s", text ? "the job does not wait" : "there is no expression");
        return NULL;
    }
    stop = gpu_debug_last_stop(d->debug);
    if (!gpu_debug_find_warp(
            d->debug, (uint64_t)dap_number(arguments, "frameId", (int64_t)stop->thread), &w)) {
        error_set(err, "there is no such frame");
        return NULL;
    }
    if (gpu_debug_evaluate(d->debug, &w, lane_of(d, &w), text, &v, err)) {
        json_t *value = v.real ? json_sprintf("%.9g", v.number) : json_sprintf("%" PRId64, v.whole);

        return json_pack("{s:o, s:i}", "result", value, "variablesReference", 0);
    }
    if (!context || strcmp(context, "repl") != 0)
        return NULL;
    *err->text = '\0';
    return run_command(d, text);
}
