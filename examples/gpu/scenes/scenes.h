/*
 * Random scenes of OpenGL ES: draw_scenes makes the same calls for the same seed everywhere, so the
 * pictures of two implementations can be compared. scripts/compare-scenes does.
 *
 * A scene has one feature: a function that draws all its choices from the scene's dice, and shows
 * what came of them as pictures of SIDE by SIDE pixels. No choice depends on the implementation. A
 * scene that needs something not offered ends with give_up("not offered: …"), and is not compared.
 */
#ifndef EXAMPLES_GPU_SCENES_H
#define EXAMPLES_GPU_SCENES_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../gles.h"
#include <GLES2/gl2ext.h>
#include <GLES3/gl32.h>

enum { SIDE = 64, WHY_BYTES = 512, TEXT_BYTES = 8192 };

struct scene {
    uint64_t seed; /* state of the dice */
    int es;        /* 2 or 31: the version of OpenGL ES whose functions and shaders are used */
    FILE *file;  /* gets the pictures, four bytes per pixel, lowest row first, one after another */
    jmp_buf end; /* where a scene that gives up goes on */
    char why[WHY_BYTES];
};

struct feature {
    const char *name;
    int es; /* 2: also drawn with OpenGL ES 2.0 */
    void (*draw)(struct scene *);
};

/* The features of each file, ended by a row without a name. */
extern const struct feature texture_features[], target_features[], sample_features[],
    buffer_features[], mixed_features[];

/* What a format's components are, which chooses the sampler and how pixels are read back. */
enum kind { UNORM, SNORM, FLOAT, UINT, INT, DEPTH };

enum {
    FILTERED = 1, /* may be sampled with linear filters */
    TARGET = 2,   /* may be drawn to */
    BLENDED = 4,  /* may be drawn to with blending */
    STORED = 8,   /* may be the format of an image */
    OLD = 16,     /* a format of OpenGL ES 2.0: `internal` is unsized */
    SRGB = 32,
    COARSE =
        64, /* has components of less than 8 bits, where a tie that is rounded otherwise shows */
};

struct format {
    const char *name;
    GLenum internal, format, type; /* arguments of glTexStorage2D() and glTexSubImage2D() */
    enum kind kind;
    unsigned flags;
    unsigned char bytes, width, height; /* of a texel, or of a block of width × height texels */
    const char *extension;              /* the extension that offers the format, or NULL */
};

extern const struct format formats[];
extern const size_t format_count;

/* The dice: 0 to sides - 1, and a multiple of 1/1024 from low to high. */
unsigned dice(struct scene *, unsigned sides);
float between(struct scene *, float low, float high);

/* Ends the scene with a reason. */
void give_up(struct scene *, const char *why, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Ends the scene unless the implementation offers one of the extensions, separated by blanks.
 * NULL: always offered. */
void need(struct scene *, const char *extensions);
/* A function that libGLESv2 does not export. Ends the scene if there is none. */
void *function(struct scene *, const char *name);

/* A format with all of `flags`, of one of `kinds` (bits 1 << kind), of the scene's version. */
const struct format *pick_format(struct scene *, unsigned flags, unsigned kinds);
/* The same, of formats whose means are not COARSE. */
const struct format *pick_fine(struct scene *, unsigned flags, unsigned kinds);
/* The format of this name, which must exist. */
const struct format *format_named(const char *name);
/* Random texels or blocks of a box, without infinities and NaN. The caller frees them. */
void *random_texels(struct scene *, const struct format *, const int size[3]);
size_t texels_bytes(const struct format *, const int size[3]);
/* The prefix of the format's samplers and values in GLSL: "", "i" or "u". */
const char *prefix(const struct format *);

/* Programs: `version` and precisions come before the texts. Attributes are bound in the order of
 * `attributes`. */
GLuint program_of(struct scene *, const char *vertex, const char *fragment);
GLuint compute_program_of(struct scene *, const char *text);
/* A program that is linked to capture the varyings `first` and `second`, one after the other. */
GLuint capture_program_of(struct scene *, const char *vertex, const char *first,
                          const char *second);
/* A text of printf()'s form, which is never freed: a process draws some tens of scenes. */
char *text_of(const char *form, ...) __attribute__((format(printf, 1, 2)));
GLint uniform(GLuint program, const char *name);

/* Draws a triangle that covers the frame with the current program, whose attribute 0 is a vec2. */
void cover(void);
/* The vertex shader of a program for cover(); it gives `at`, 0 to 1 over the frame. */
const char *cover_shader(const struct scene *);

/* A texture of one level and a frame with it, which becomes the current one. */
GLuint make_frame(struct scene *, const struct format *, int width, int height, GLuint *texture);
/* Appends a picture of the current frame's lower left corner, by glReadPixels(). */
void show_frame(struct scene *, const struct format *);
/* Draws with a program that covers SIDE by SIDE pixels of RGBA8, and appends the picture. */
void show_program(struct scene *, GLuint program);
/* Appends a picture of bytes: each word of four makes a pixel, and what is missing is black. */
void show_bytes(struct scene *, const void *bytes, size_t count);
/* An expression of GLSL that makes colours from 0 to 1 of a value of the format. */
const char *to_color(const struct format *);

#endif
