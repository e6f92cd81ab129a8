/* Evaluates an instruction's functions lane by lane, with the intrinsics that they call. */
#include "programs/mali-fuzz/evaluator.h"

#include <string.h>

#include "runtime/gpu/graphics/unit.h"

enum { MAX_STEPS = 100000 };

/* A lane under evaluation. Its slots are a column of the situation, copied so that the registers
 * have the layout that the evaluator expects. */
struct lane {
    struct situation *s;
    const struct situation *before;
    unsigned number;
    uint32_t slot[MAX_SLOTS];
};

/* ---- intrinsics ------------------------------------------------------------------------------ */

/* The first lane of the lane's warp. */
static unsigned first_of(const struct lane *lane)
{
    return lane->number / lane->s->width * lane->s->width;
}

/* Lanes whose values a lane can read: those of its warp, or of its quad if threads are scalar. */
static unsigned lanes_in_reach(const struct situation *s)
{
    return s->width > 1 || s->lanes < GPU_QUAD_LANES ? s->width : GPU_QUAD_LANES;
}

static unsigned first_in_reach(const struct lane *lane)
{
    unsigned reach = lanes_in_reach(lane->s);

    return lane->number / reach * reach;
}

#define DO(name, statement)                                                                    \
    static bool name(struct lane *lane, const uint64_t *a, uint64_t *result, uint64_t *output) \
    {                                                                                          \
        struct situation *s = lane->s;                                                         \
                                                                                               \
        (void)s, (void)a, (void)result, (void)output;                                          \
        statement;                                                                             \
        return true;                                                                           \
    }
#define RESULT(value) *result = (value)

DO(read_source, RESULT(s->world->source(lane->before, (uint32_t)a[0], lane->number)))
DO(read_source_lane,
   RESULT(a[1] < lanes_in_reach(s) ? s->world->source(lane->before, (uint32_t)a[0],
                                                      first_in_reach(lane) + (unsigned)a[1])
                                   : 0))
DO(write_result, lane->slot[s->result] = (uint32_t)a[0]; s->written |= 1u << lane->number)
DO(read_staging, RESULT(s->staging + a[0] < s->registers ? lane->slot[s->staging + a[0]] : 0))
DO(read_staging_lane,
   RESULT(a[1] < lanes_in_reach(s) && s->staging + a[0] < s->registers
              ? lane->before->slot[s->staging + a[0]][first_in_reach(lane) + a[1]]
              : 0))
DO(write_staging,
   if (s->staging + a[0] < s->registers) lane->slot[s->staging + a[0]] = (uint32_t)a[1])
DO(write_lane_register, if (a[0] < s->registers) lane->slot[a[0]] = (uint32_t)a[1])
DO(lane_id, RESULT(lane->number - first_in_reach(lane)))
DO(lane_count, RESULT(s->width))
DO(active_lanes, RESULT(s->active >> first_of(lane) & (uint32_t)((UINT64_C(1) << s->width) - 1)))
DO(bundle_header, RESULT(s->header))
DO(bundle_address, RESULT(s->address))
DO(bundle_end, RESULT(s->end))
DO(branch, s->target[lane->number] = a[0]; s->branched |= 1u << lane->number)
DO(end_lane, s->ended |= 1u << lane->number)
DO(barrier, s->waits = GPU_WARP_BARRIER)
DO(local_base, RESULT(s->local_base))
DO(thread_base, RESULT(s->tls[lane->number]))
DO(uniform_buffer, RESULT(s->world->uniform_buffer((uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2])))
DO(attribute_address, s->needs_descriptors = true; RESULT(mix_hash(ATTRIBUTE, a[0], a[1], a[2])))
DO(attribute_format, s->needs_descriptors = true; RESULT((uint32_t)mix_hash(FORMAT, a[0], 0, 0)))
DO(image_address, s->needs_descriptors = true; RESULT(mix_hash(IMAGE, a[0], a[1], a[2])))
DO(pixel_load, s->needs_descriptors = true;
   RESULT((uint32_t)mix_hash(PIXEL, a[0], a[1], mix_hash(PIXEL, a[2], a[3], 0))))
DO(pixel_store, s->needs_descriptors = true;
   s->effects = mix_hash(STORE, s->effects, a[0], mix_hash(STORE, a[1], a[2], a[3]));
   s->effects = mix_hash(STORE, s->effects, mix_hash(STORE, a[4], a[5], 0),
                         mix_hash(STORE, a[6], a[7], 0)))
DO(texture_operand, s->effects = mix_hash(TEXTURE, s->effects, a[0], a[1]))
DO(texture_request, s->effects = mix_hash(TEXTURE, s->effects, a[0], 7))
DO(texture_result, RESULT((uint32_t)mix_hash(TEXTURE, s->effects, a[0], 9)))
DO(graphics_operand, s->effects = mix_hash(GRAPHICS, s->effects, a[0], a[1]))
DO(graphics_result, RESULT((uint32_t)mix_hash(GRAPHICS, s->effects, a[0], 9)))
DO(undefined_instruction, s->faulted = GPU_FAULT_UNIMPLEMENTED; return false)

/* A thread of a compute job may discard itself and load an attribute, whose descriptor only some
 * environments have. */
static bool request_of_compute(struct lane *lane, uint64_t operation)
{
    switch (operation) {
    case GPU_GRAPHICS_ATTRIBUTE:
        lane->s->needs_descriptors = true;
        return true;
    case GPU_GRAPHICS_DISCARD:
        lane->s->ended |= 1u << lane->number;
        return true;
    default:
        lane->s->faulted = GPU_FAULT_UNIMPLEMENTED;
        return false;
    }
}

DO(graphics_request, if (s->world->computes) return request_of_compute(lane, a[0]);
   s->effects = mix_hash(GRAPHICS, s->effects, a[0], 7))

#define MEMORY(bits)                                              \
    DO(mem_read_##bits, *output = memory_read(s, a[1], bits / 8)) \
    DO(mem_write_##bits, memory_write(s, a[1], a[2], bits / 8))
MEMORY(8)
MEMORY(16)
MEMORY(32)
MEMORY(64)

/* The value that an atomic operation stores. */
static uint64_t atomic_result(uint64_t op, uint64_t old, uint64_t v, unsigned bits)
{
    unsigned up = 64 - bits;
    int64_t a = (int64_t)(old << up) >> up, b = (int64_t)(v << up) >> up;

    switch (op) {
    case 0:
        return old + v;
    case 1:
        return b < a ? v : old;
    case 2:
        return b > a ? v : old;
    case 3:
        return v < old ? v : old;
    case 4:
        return v > old ? v : old;
    case 5:
        return old & v;
    case 6:
        return old | v;
    case 7:
        return old ^ v;
    case 8:
        return v;
    default:
        return old;
    }
}

static uint64_t run_atomic(struct situation *s, const uint64_t *a, unsigned bits)
{
    uint64_t va = a[1] & ~(uint64_t)(bits / 8 - 1), old = memory_read(s, va, bits / 8);

    memory_write(s, va, atomic_result(a[0], old, a[2], bits), bits / 8);
    return old;
}

static uint64_t compare_exchange(struct situation *s, const uint64_t *a, unsigned bits)
{
    uint64_t va = a[0] & ~(uint64_t)(bits / 8 - 1), old = memory_read(s, va, bits / 8);

    if (old == a[1])
        memory_write(s, va, a[2], bits / 8);
    return old;
}

DO(mem_atomic_32, RESULT(run_atomic(s, a, 32)))
DO(mem_atomic_64, RESULT(run_atomic(s, a, 64)))
DO(mem_cmpxchg_32, RESULT(compare_exchange(s, a, 32)))
DO(mem_cmpxchg_64, RESULT(compare_exchange(s, a, 64)))

typedef bool intrinsic_fn(struct lane *lane, const uint64_t *a, uint64_t *result, uint64_t *output);

static intrinsic_fn *const intrinsics[IR_I_COUNT] = {
    [IR_I_READ_SOURCE] = read_source,
    [IR_I_READ_SOURCE_LANE] = read_source_lane,
    [IR_I_WRITE_RESULT] = write_result,
    [IR_I_READ_STAGING] = read_staging,
    [IR_I_READ_STAGING_LANE] = read_staging_lane,
    [IR_I_WRITE_STAGING] = write_staging,
    [IR_I_WRITE_LANE_REGISTER] = write_lane_register,
    [IR_I_LANE_ID] = lane_id,
    [IR_I_LANE_COUNT] = lane_count,
    [IR_I_ACTIVE_LANES] = active_lanes,
    [IR_I_BUNDLE_HEADER] = bundle_header,
    [IR_I_BUNDLE_ADDRESS] = bundle_address,
    [IR_I_BUNDLE_END] = bundle_end,
    [IR_I_BRANCH] = branch,
    [IR_I_END_LANE] = end_lane,
    [IR_I_BARRIER] = barrier,
    [IR_I_LOCAL_BASE] = local_base,
    [IR_I_THREAD_BASE] = thread_base,
    [IR_I_UNIFORM_BUFFER] = uniform_buffer,
    [IR_I_ATTRIBUTE_ADDRESS] = attribute_address,
    [IR_I_ATTRIBUTE_FORMAT] = attribute_format,
    [IR_I_IMAGE_ADDRESS] = image_address,
    [IR_I_PIXEL_LOAD] = pixel_load,
    [IR_I_PIXEL_STORE] = pixel_store,
    [IR_I_GRAPHICS_OPERAND] = graphics_operand,
    [IR_I_GRAPHICS_REQUEST] = graphics_request,
    [IR_I_GRAPHICS_RESULT] = graphics_result,
    [IR_I_TEXTURE_OPERAND] = texture_operand,
    [IR_I_TEXTURE_REQUEST] = texture_request,
    [IR_I_TEXTURE_RESULT] = texture_result,
    [IR_I_UNDEFINED_INSTRUCTION] = undefined_instruction,
    [IR_I_MEM_READ_8] = mem_read_8,
    [IR_I_MEM_READ_16] = mem_read_16,
    [IR_I_MEM_READ_32] = mem_read_32,
    [IR_I_MEM_READ_64] = mem_read_64,
    [IR_I_MEM_WRITE_8] = mem_write_8,
    [IR_I_MEM_WRITE_16] = mem_write_16,
    [IR_I_MEM_WRITE_32] = mem_write_32,
    [IR_I_MEM_WRITE_64] = mem_write_64,
    [IR_I_MEM_ATOMIC_32] = mem_atomic_32,
    [IR_I_MEM_ATOMIC_64] = mem_atomic_64,
    [IR_I_MEM_CMPXCHG_32] = mem_cmpxchg_32,
    [IR_I_MEM_CMPXCHG_64] = mem_cmpxchg_64,
};

static bool call_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                           const struct ir_data *args, struct ir_data *results)
{
    struct lane *lane = opaque;
    uint64_t a[8] = {0}, result = 0, output = 0;

    (void)text;
    for (unsigned i = 0; i < fn->params.len && i < 8; i++)
        a[i] = (uint64_t)args[i].lane[0];
    if (!intrinsics[fn->intrinsic]) {
        lane->s->failure = "the test has no such intrinsic";
        return false;
    }
    if (!intrinsics[fn->intrinsic](lane, a, &result, &output))
        return false;
    if (!ir_is_void(fn->result))
        results[0].lane[0] = result;
    else if (fn->by_ref.len && fn->by_ref.data[fn->by_ref.len - 1])
        results[1].lane[0] = output;
    return true;
}

static void (*find_external(void *opaque, const char *name))(void)
{
    const struct lane *lane = opaque;

    return lane->s->world->external(name);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool has_left(void *opaque)
{
    const struct lane *lane = opaque;

    return lane->s->faulted != 0;
}

static struct ir_machine machine_of(struct lane *lane)
{
    return (struct ir_machine){
        .opaque = lane,
        .state = (uint8_t *)lane->slot,
        .max_steps = MAX_STEPS,
        .intrinsic = call_intrinsic,
        .external = find_external,
    };
}

static void run_lane(struct lane *lane, const struct form *form, u128 word)
{
    struct ir_machine machine = machine_of(lane);
    const char *broke = evaluate_form(&machine, form, word, has_left);

    if (broke && !lane->s->failure)
        lane->s->failure = broke;
}

void evaluator_run(const struct model *m, const struct form *form, u128 word,
                   const struct situation *before, struct situation *s)
{
    struct lane lane = {.s = s, .before = before};

    if (m->state_bytes > 4 * MAX_REGISTERS || slot_count(s) > MAX_SLOTS) {
        s->failure = "more registers than there is room for";
        return;
    }
    for (unsigned l = 0; l < s->lanes; l++) {
        if (!(s->active >> l & 1))
            continue;
        lane.number = l;
        for (unsigned k = 0; k < slot_count(s); k++)
            lane.slot[k] = s->slot[k][l];
        run_lane(&lane, form, word);
        for (unsigned k = 0; k < slot_count(s); k++)
            s->slot[k][l] = lane.slot[k];
    }
}

const char *evaluator_fields(const struct situation *s, const struct form *form, u128 word,
                             u128 fields[EVALUATE_MAX_FIELDS])
{
    /* decoding does not change it */
    struct situation *unchanged = (struct situation *)(uintptr_t)s;
    struct lane lane = {.s = unchanged, .before = s};
    struct ir_machine machine = machine_of(&lane);

    return evaluate_fields(&machine, form, word, fields);
}
