/*
 * Preloaded messages: varyings, and texels at the coordinates of a varying, that are computed
 * before a fragment shader starts and that it finds in its first registers.
 */
#include <string.h>

#include "runtime/gpu/graphics/varying.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/numeric/bits.h"
#include "runtime/gpu/texture/register.h"
#include "runtime/gpu/texture/texture.h"

enum { MESSAGES = 2, RESULTS = 4 };

static enum gpu_register_format format_of(const struct mali_message_preload *m)
{
    return m->format == MALI_MESSAGE_FORMAT_F16 ? GPU_REGISTER_F16 : GPU_REGISTER_F32;
}

static void load_varying(struct gpu_warp *w, unsigned lane, const struct mali_message_preload *m,
                         uint32_t result[RESULTS])
{
    double c[4];
    float v[4];

    gfx_varying(w, NULL, lane, m->varying, v);
    for (unsigned k = 0; k < 4; k++)
        c[k] = v[k];
    for (unsigned k = 0; k < RESULTS; k++)
        result[k] = gpu_register_of(c, k, format_of(m));
}

static void load_texel(struct gpu_warp *w, unsigned lane, const struct mali_message_preload *m,
                       uint32_t result[RESULTS])
{
    float v[4], step[4];

    gfx_varying(w, NULL, lane, m->texel_varying, v);
    gfx_varying_steps(w, NULL, lane, m->texel_varying, step);
    for (unsigned k = 0; k < 2; k++) {
        gpu_texture_operand(w, GPU_TEXTURE_DERIVATIVE_X + k, gpu_bits(step[k]));
        gpu_texture_operand(w, GPU_TEXTURE_DERIVATIVE_Y + k, gpu_bits(step[2 + k]));
    }
    gpu_texture_operand(w, GPU_TEXTURE_COMPUTED, !m->zero_lod);
    gpu_texture_operand(w, GPU_TEXTURE_INDEX, m->texture);
    gpu_texture_operand(w, GPU_TEXTURE_SAMPLER, m->texture);
    gpu_texture_operand(w, GPU_TEXTURE_X, gpu_bits(v[0]));
    gpu_texture_operand(w, GPU_TEXTURE_Y, gpu_bits(v[1]));
    gpu_texture_operand(w, GPU_TEXTURE_FORMAT, format_of(m));
    gpu_texture_operand(w, GPU_TEXTURE_BIASED, 1);
    gpu_texture_request(w, NULL, lane, GPU_TEXTURE_SAMPLE);
    for (unsigned k = 0; k < RESULTS; k++)
        result[k] = gpu_texture_result(w, k);
}

/* Number of registers of a message's results. */
static unsigned registers_of(const struct mali_message_preload *m)
{
    unsigned components = m->type == MALI_MESSAGE_TYPE_VARYING ? m->components : 4;

    return m->format == MALI_MESSAGE_FORMAT_F16 ? (components + 1) / 2 : components;
}

static void send_message(struct gpu_warp *w, unsigned first, const struct mali_message_preload *m)
{
    uint32_t value[RESULTS][GPU_MAX_LANES] = {{0}};

    for (unsigned l = 0; l < gfx_quads_of(w)->lanes; l++) {
        uint32_t result[RESULTS] = {0};

        if (m->type == MALI_MESSAGE_TYPE_VARYING)
            load_varying(w, l, m, result);
        else
            load_texel(w, l, m, result);
        for (unsigned k = 0; k < RESULTS; k++)
            value[k][l] = result[k];
    }
    for (unsigned k = 0; k < registers_of(m); k++)
        gpu_warp_set_register(w, first + k, value[k]);
}

void gfx_send_messages(struct gpu_warp *w)
{
    unsigned version = w->core->worker->cores->variant->architecture;
    const struct gfx_draw *d = gfx_draw_of(w);
    const uint32_t bits[MESSAGES] = {d->state.message_0, d->state.message_1};

    if (!mali_message_preload_bytes(version))
        return;
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct mali_message_preload m;
        uint8_t raw[MALI_MESSAGE_PRELOAD_BYTES];

        le_put(raw, sizeof(raw), bits[i]);
        if (!mali_message_preload_unpack(version, raw, &m) && m.type != MALI_MESSAGE_TYPE_DISABLED)
            send_message(w, i * MALI_MESSAGE_REGISTERS, &m);
    }
}
