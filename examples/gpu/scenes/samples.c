/* Features of targets with several samples per pixel. */
#include "targets.h"

enum { SAMPLES = 4 };

/* A frame of several samples of a texture (0: a renderbuffer, and the texture is 0). */
static GLuint make_samples(struct scene *s, const struct format *f, int samples, GLuint *texture)
{
    GLuint frame, buffer;

    need(s, f->extension);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    if (texture) {
        glGenTextures(1, texture);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, *texture);
        glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, f->internal, SIDE, SIDE,
                                  GL_TRUE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                               *texture, 0);
    } else {
        glGenRenderbuffers(1, &buffer);
        glBindRenderbuffer(GL_RENDERBUFFER, buffer);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, f->internal, SIDE, SIDE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up(s, "not offered: %s with %d samples", f->name, samples);
    glViewport(0, 0, SIDE, SIDE);
    return frame;
}

/* Shows each sample of a texture in a picture of its own. */
static void show_samples(struct scene *s, const struct format *f, GLuint texture)
{
    GLuint program = program_of(
        s, cover_shader(s),
        text_of("uniform highp %ssampler2DMS map; out vec4 color; uniform int which;\n"
                "void main() { %svec4 texel = texelFetch(map, ivec2(gl_FragCoord.xy), which);\n"
                "color = %s; }\n",
                prefix(f), prefix(f), to_color(f)));

    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    for (int i = 0; i < SAMPLES; i++) {
        glUniform1i(uniform(program, "which"), i);
        show_program(s, program);
    }
}

/* Targets of several samples: each sample by texelFetch(), and the mean by a blit. */
static void draw_samples(struct scene *s)
{
    const struct format *f = pick_target(s, 0);
    int whole = f->kind == INT || f->kind == UINT,
        fetched = whole || (f->flags & COARSE) || dice(s, 2);
    int samples = !fetched && !dice(s, 4) ? 8 : SAMPLES;
    GLuint texture, frame = make_samples(s, f, samples, fetched ? &texture : NULL), plain;

    use_target(s, f, color_program(s, f), samples);
    if (!dice(s, 3)) {
        glEnable(GL_SAMPLE_MASK);
        glSampleMaski(0, dice(s, 16));
        draw_triangles(s, color_program(s, f), 3);
        glDisable(GL_SAMPLE_MASK);
    }
    /* Which sample a blit takes of integers is left open, and how means are rounded. */
    if (!whole && !(f->flags & COARSE)) {
        plain = make_frame(s, f, SIDE, SIDE, NULL);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
        glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, plain);
        show_frame(s, f);
    }
    if (fetched)
        show_samples(s, f, texture);
}

/* Shading of each sample, and masks that the shader writes. */
static void draw_sample_shading(struct scene *s)
{
    static const char *const colors[] = {
        "vec4(per_sample.xy, float(gl_SampleID) * 0.25, 1.0)",
        "vec4(fract(gl_SamplePosition), per_sample.zw)",
        "per_sample",
        "per_sample * float(gl_SampleID + 1) * 0.25",
    };
    const struct format *f = format_named(dice(s, 2) ? "RGBA8" : "RGBA16F");
    const char *color = colors[dice(s, 4)];
    GLuint texture, program;

    make_samples(s, f, SAMPLES, &texture);
    need(s, "GL_OES_sample_variables");
    program =
        program_of(s,
                   "#version 310 es\n"
                   "#extension GL_OES_shader_multisample_interpolation : require\n"
                   "in vec2 corner; in vec4 color; sample out vec4 per_sample;\n"
                   "void main() { gl_Position = vec4(corner, 0.0, 1.0); per_sample = color; }\n",
                   text_of("#version 310 es\n"
                           "#extension GL_OES_shader_multisample_interpolation : require\n"
                           "#extension GL_OES_sample_variables : require\n"
                           "precision highp float; precision highp int;\n"
                           "sample in vec4 per_sample; out vec4 result;\n"
                           "void main() { result = %s; %s }\n",
                           color, dice(s, 2) ? "gl_SampleMask[0] = int(gl_FragCoord.x) ^ 6;" : ""));
    clear_frame(s, f);
    draw_triangles(s, program, 4);
    if (dice(s, 2)) {
        glClearColor(between(s, 0, 1), 0, 0, 1);
        random_scissor(s);
        glScissor(8, 8, 24, 24);
        glClear(GL_COLOR_BUFFER_BIT);
        plain_state();
    }
    show_samples(s, f, texture);
}

const struct feature sample_features[] = {
    {"samples", 31, draw_samples},
    {"sample_shading", 31, draw_sample_shading},
    {NULL, 0, NULL},
};
