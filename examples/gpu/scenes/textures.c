/* Features of textures: formats, dimensions and filters; generated levels; copies. */
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

enum { MOST_LEVELS = 6, FACES = 6, MOST_LAYERS = 5 };

/* A random texture whose levels all have random texels. */
struct texture {
    const struct format *format;
    GLenum target;
    GLuint name;
    int size[3]; /* of level 0: width, height, depth or layers */
    int levels;
    int depth_is_halved; /* by each level: a 3D texture */
};

static void level_size(const struct texture *t, int level, int size[3])
{
    for (int i = 0; i < 3; i++) {
        int halved = i < 2 || t->depth_is_halved;
        int left = halved ? t->size[i] >> level : t->size[i];

        size[i] = left ? left : 1;
    }
}

/* The image of a level, or of one face of it. */
static void fill_image(struct scene *s, const struct texture *t, GLenum target, int level)
{
    const struct format *f = t->format;
    int size[3];
    void *texels;
    GLsizei bytes;

    level_size(t, level, size);
    texels = random_texels(s, f, size);
    bytes = (GLsizei)texels_bytes(f, size);
    if (s->es == 2 && !f->format)
        glCompressedTexImage2D(target, level, f->internal, size[0], size[1], 0, bytes, texels);
    else if (s->es == 2)
        glTexImage2D(target, level, (GLint)f->internal, size[0], size[1], 0, f->format, f->type,
                     texels);
    else if (t->target == GL_TEXTURE_3D || t->target == GL_TEXTURE_2D_ARRAY) {
        if (f->format)
            glTexSubImage3D(target, level, 0, 0, 0, size[0], size[1], size[2], f->format, f->type,
                            texels);
        else
            glCompressedTexSubImage3D(target, level, 0, 0, 0, size[0], size[1], size[2],
                                      f->internal, bytes, texels);
    } else if (f->format)
        glTexSubImage2D(target, level, 0, 0, size[0], size[1], f->format, f->type, texels);
    else
        glCompressedTexSubImage2D(target, level, 0, 0, size[0], size[1], f->internal, bytes,
                                  texels);
    free(texels);
}

static void fill_level(struct scene *s, const struct texture *t, int level)
{
    if (t->target != GL_TEXTURE_CUBE_MAP) {
        fill_image(s, t, t->target, level);
        return;
    }
    for (GLenum face = 0; face < FACES; face++)
        fill_image(s, t, GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level);
}

/* Chooses size and levels. OpenGL ES 2.0 has levels and repeated textures of powers of two only. */
static void choose_size(struct scene *s, struct texture *t)
{
    int levels = 1;

    for (int i = 0; i < 2; i++)
        t->size[i] = s->es == 2 ? 1 << dice(s, 6) : 1 + (int)dice(s, 50);
    if (t->target == GL_TEXTURE_CUBE_MAP)
        t->size[1] = t->size[0];
    t->size[2] = t->target == GL_TEXTURE_3D         ? 1 + (int)dice(s, 9)
                 : t->target == GL_TEXTURE_2D_ARRAY ? 1 + (int)dice(s, MOST_LAYERS)
                                                    : 1;
    while (levels < MOST_LEVELS && (t->size[0] | t->size[1]) >> levels)
        levels++;
    t->levels = s->es == 2 || dice(s, 4) ? levels : 1;
}

static struct texture make_texture(struct scene *s, const struct format *f, GLenum target)
{
    struct texture t = {.format = f, .target = target};

    need(s, f->extension);
    t.depth_is_halved = target == GL_TEXTURE_3D;
    choose_size(s, &t);
    glGenTextures(1, &t.name);
    glBindTexture(target, t.name);
    if (s->es != 2 && (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY))
        glTexStorage3D(target, t.levels, f->internal, t.size[0], t.size[1], t.size[2]);
    else if (s->es != 2)
        glTexStorage2D(target, t.levels, f->internal, t.size[0], t.size[1]);
    return t;
}

static GLenum choose_target(struct scene *s, const struct format *f)
{
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY,
                                     GL_TEXTURE_3D};

    return targets[dice(s, s->es == 2 ? 2 : f->kind == DEPTH || !f->format ? 3 : 4)];
}

static void choose_filters(struct scene *s, const struct texture *t)
{
    static const GLint filters[] = {GL_NEAREST,
                                    GL_NEAREST_MIPMAP_NEAREST,
                                    GL_LINEAR,
                                    GL_LINEAR_MIPMAP_NEAREST,
                                    GL_NEAREST_MIPMAP_LINEAR,
                                    GL_LINEAR_MIPMAP_LINEAR};
    static const GLint wraps[] = {GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT};
    static const GLint swizzles[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    /* Cube maps of OpenGL ES 2.0 may be filtered across their edges, or not. */
    int filtered = (t->format->flags & FILTERED) && (s->es != 2 || t->target == GL_TEXTURE_2D);
    GLint least = filters[dice(s, filtered ? 6 : 2)];

    glTexParameteri(t->target, GL_TEXTURE_MIN_FILTER, least);
    glTexParameteri(t->target, GL_TEXTURE_MAG_FILTER,
                    filtered && dice(s, 2) ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(t->target, GL_TEXTURE_WRAP_S, wraps[dice(s, 3)]);
    glTexParameteri(t->target, GL_TEXTURE_WRAP_T, wraps[dice(s, 3)]);
    if (s->es == 2)
        return;
    glTexParameteri(t->target, GL_TEXTURE_WRAP_R, wraps[dice(s, 3)]);
    if (!dice(s, 3))
        for (GLenum i = 0; i < 4; i++)
            glTexParameteri(t->target, GL_TEXTURE_SWIZZLE_R + i, swizzles[dice(s, 6)]);
    if (!dice(s, 4) && t->levels > 1) {
        GLint base = (GLint)dice(s, (unsigned)t->levels);

        glTexParameteri(t->target, GL_TEXTURE_BASE_LEVEL, base);
        glTexParameteri(t->target, GL_TEXTURE_MAX_LEVEL,
                        base + (GLint)dice(s, (unsigned)(t->levels - base)));
    }
}

/* Writes the coordinate of a look-up, as a function of vec2 p. */
static const char *coordinate(struct scene *s, const struct texture *t)
{
    static const char *const rays[] = {"vec3(q, 1.0)",        "vec3(q, -1.0)",
                                       "vec3(1.0, q)",        "vec3(-1.0, q)",
                                       "vec3(q.x, 1.0, q.y)", "vec3(q.x, -1.0, q.y)"};

    if (t->target == GL_TEXTURE_CUBE_MAP)
        return rays[dice(s, 6)];
    if (t->target == GL_TEXTURE_2D_ARRAY)
        return text_of("vec3(p, %u.0)", dice(s, MOST_LAYERS + 1));
    if (t->target == GL_TEXTURE_3D)
        return text_of("vec3(p, %f)", (double)between(s, -0.5F, 1.5F) + 0.0007);
    return "p";
}

static const char *sampler_type(const struct texture *t)
{
    return t->target == GL_TEXTURE_CUBE_MAP   ? "samplerCube"
           : t->target == GL_TEXTURE_2D_ARRAY ? "sampler2DArray"
           : t->target == GL_TEXTURE_3D       ? "sampler3D"
                                              : "sampler2D";
}

/*
 * A look-up of level `lod` or of the footprint, which is a power of two: logarithms are exact then.
 * No level is 0, where one filter takes over from the other.
 */
static const char *look_up(struct scene *s, const struct texture *t, const char *at)
{
    int cube = t->target == GL_TEXTURE_CUBE_MAP, flat = t->target == GL_TEXTURE_2D;
    double lod = (double)dice(s, 16) / 4 - 0.6875;

    if (s->es == 2)
        return cube         ? text_of("textureCube(map, %s)", at)
               : dice(s, 2) ? text_of("texture2D(map, %s)", at)
                            : text_of("texture2D(map, %s, %u.25)", at, 1 + dice(s, 2));
    switch (cube ? 0 : dice(s, 6)) {
    case 1:
        return text_of("texture(map, %s)", at);
    case 2:
        if (t->target == GL_TEXTURE_3D)
            break;
        return text_of("textureGather(map, %s, %u)", at, dice(s, 4));
    case 3:
        return text_of("texelFetch(map, ivec%s) %% textureSize(map, 0), 0)",
                       flat ? "2(gl_FragCoord.xy" : "3(gl_FragCoord.xyx");
    case 4:
        return flat ? text_of("textureLodOffset(map, p, %f, ivec2(%d, %d))", lod,
                              (int)dice(s, 16) - 8, (int)dice(s, 16) - 8)
                    : text_of("textureLodOffset(map, %s, %f, ivec%c(%d))", at, lod,
                              t->target == GL_TEXTURE_3D ? '3' : '2', (int)dice(s, 16) - 8);
    case 5:
        return text_of("texture(map, %s, %u.25)", at, 1 + dice(s, 2));
    }
    return text_of("textureLod(map, %s, %f)", at, lod);
}

/* Pixels are 2^k texels apart in both directions, and no centre is at a texel's edge. */
static const char *position(struct scene *s, const struct texture *t)
{
    static const double footprints[] = {0.25, 0.5, 2, 4};
    double step = footprints[dice(s, 4)];

    return text_of("vec2 p = at * vec2(%f, %f) + vec2(%f, %f);\n", SIDE * step / t->size[0],
                   SIDE * step / t->size[1], (dice(s, 40) + 0.3) / t->size[0],
                   (dice(s, 40) + 0.3) / t->size[1]);
}

/* A program that shows the texture; look_up() has chosen how. */
static GLuint show_look_up(struct scene *s, const struct texture *t, const char *look)
{
    const char *place = position(s, t);

    if (s->es == 2)
        return program_of(s, cover_shader(s),
                          text_of("varying vec2 at; uniform %s map;\n"
                                  "void main() { %s vec2 q = p * 0.4 - vec2(0.3, 0.29);\n"
                                  "gl_FragColor = %s; }\n",
                                  sampler_type(t), place, look));
    return program_of(s, cover_shader(s),
                      text_of("precision highp %s%s;\n"
                              "in vec2 at; out vec4 color; uniform %s%s map;\n"
                              "void main() { %s vec2 q = p * 0.4 - vec2(0.3, 0.29);\n"
                              "%svec4 texel = %s;\n color = %s; }\n",
                              prefix(t->format), sampler_type(t), prefix(t->format),
                              sampler_type(t), place, prefix(t->format), look,
                              to_color(t->format)));
}

/* Any format in any dimension it has, with all filters and look-ups. */
static void draw_textures(struct scene *s)
{
    const struct format *f = pick_format(s, 0, ~0U);
    struct texture t = make_texture(s, f, choose_target(s, f));

    for (int i = 0; i < t.levels; i++)
        fill_level(s, &t, i);
    choose_filters(s, &t);
    for (int i = 0; i < 2; i++)
        show_program(s, show_look_up(s, &t, look_up(s, &t, coordinate(s, &t))));
}

/* Comparisons of depth textures, and their stencil. */
static void draw_shadows(struct scene *s)
{
    static const GLint comparisons[] = {GL_LEQUAL, GL_GEQUAL,   GL_LESS,   GL_GREATER,
                                        GL_EQUAL,  GL_NOTEQUAL, GL_ALWAYS, GL_NEVER};
    const struct format *f = pick_format(s, 0, 1U << DEPTH);
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY};
    struct texture t = make_texture(s, f, targets[dice(s, 3)]);
    const char *at = coordinate(s, &t), *look;
    int gather = (int)dice(s, 2), flat = t.target == GL_TEXTURE_2D;
    const char *reference =
        text_of("%f + at.x * %f", (double)between(s, 0, 1), (double)between(s, -1, 1));

    for (int i = 0; i < t.levels; i++)
        fill_level(s, &t, i);
    choose_filters(s, &t);
    glTexParameteri(t.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(t.target, GL_TEXTURE_MAG_FILTER, dice(s, 2) ? GL_LINEAR : GL_NEAREST);
    if (!strcmp(f->name, "DEPTH24_STENCIL8") && dice(s, 2)) {
        glTexParameteri(t.target, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
        glTexParameteri(t.target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        show_program(s, program_of(s, cover_shader(s),
                                   text_of("in vec2 at; out vec4 color; uniform highp u%s map;\n"
                                           "void main() { %s vec2 q = p * 0.4 - vec2(0.3, 0.29);\n"
                                           "color = vec4(texture(map, %s)) / 255.0; }\n",
                                           sampler_type(&t), position(s, &t), at)));
        return;
    }
    glTexParameteri(t.target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(t.target, GL_TEXTURE_COMPARE_FUNC, comparisons[dice(s, 8)]);
    look = gather ? text_of("textureGather(map, %s, %s)", at, reference)
                  : text_of("vec4(texture(map, vec%c(%s, %s)))", flat ? '3' : '4', at, reference);
    show_program(s, program_of(s, cover_shader(s),
                               text_of("in vec2 at; out vec4 color; uniform highp %sShadow map;\n"
                                       "void main() { %s vec2 q = p * 0.4 - vec2(0.3, 0.29);\n"
                                       "color = %s; }\n",
                                       sampler_type(&t), position(s, &t), look)));
}

/* Generated levels, shown in four columns per picture. */
static void draw_mipmaps(struct scene *s)
{
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY,
                                     GL_TEXTURE_3D};
    const struct format *f = pick_fine(s, FILTERED | TARGET, 1U << UNORM | 1U << FLOAT);
    struct texture t = make_texture(s, f, targets[dice(s, s->es == 2 ? 2 : 4)]);
    const char *at = coordinate(s, &t);

    fill_level(s, &t, 0);
    glGenerateMipmap(t.target);
    glTexParameteri(t.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(t.target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (s->es == 2)
        for (double bias = 0; bias < 2; bias++)
            show_program(s,
                         program_of(s, cover_shader(s),
                                    text_of("varying vec2 at; uniform %s map;\n"
                                            "void main() { vec2 p = at * %f + 0.003,"
                                            " q = p * 1.8 - vec2(0.9, 0.89);\n"
                                            "gl_FragColor = texture%s(map, %s, %f); }\n",
                                            sampler_type(&t), bias + 1,
                                            t.target == GL_TEXTURE_2D ? "2D" : "Cube", at, bias)));
    else
        show_program(s, program_of(s, cover_shader(s),
                                   text_of("in vec2 at; out vec4 color; uniform highp %s map;\n"
                                           "void main() { vec2 p = at * vec2(4.0, 1.0) + 0.003,"
                                           " q = p * 1.8 - vec2(0.9, 0.89);\n"
                                           "vec4 texel = textureLod(map, %s, floor(at.x * 4.0));\n"
                                           "color = %s; }\n",
                                           sampler_type(&t), at, to_color(f))));
}

/* A copy of a frame's part to a texture's level by glCopyTexSubImage. */
static void draw_copies(struct scene *s)
{
    const struct format *f =
        s->es == 2 ? pick_format(s, TARGET | FILTERED, 1U << UNORM)
                   : pick_format(s, TARGET, 1U << UNORM | 1U << FLOAT | 1U << UINT | 1U << INT);
    int deep = s->es != 2 && dice(s, 2), x = (int)dice(s, 30), y = (int)dice(s, 30);
    struct texture t = make_texture(s, f, deep ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D);
    int size[3] = {SIDE, SIDE, 1}, level = (int)dice(s, (unsigned)t.levels), into[3];
    void *texels = random_texels(s, f, size);
    GLuint source;

    for (int i = 0; i < t.levels; i++)
        fill_level(s, &t, i);
    make_frame(s, f, SIDE, SIDE, &source);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, f->format, f->type, texels);
    level_size(&t, level, into);
    x = x % into[0];
    y = y % into[1];
    glBindTexture(t.target, t.name);
    if (deep)
        glCopyTexSubImage3D(t.target, level, x, y, (GLint)dice(s, (unsigned)t.size[2]),
                            (GLint)dice(s, 60) - 30, (GLint)dice(s, 60) - 30, into[0] - x,
                            into[1] - y);
    else
        glCopyTexSubImage2D(t.target, level, x, y, (GLint)dice(s, 60) - 30, (GLint)dice(s, 60) - 30,
                            into[0] - x, into[1] - y);
    choose_filters(s, &t);
    show_program(s, show_look_up(s, &t, look_up(s, &t, coordinate(s, &t))));
    free(texels);
}

typedef void (*copy_image)(GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint,
                           GLint, GLint, GLsizei, GLsizei, GLsizei);

/* Whether a format's texels are whole bytes of integers or fractions: such formats are copied to
 * each other. */
static int plain(const struct format *f)
{
    return f->type == GL_UNSIGNED_BYTE || f->type == GL_BYTE || f->type == GL_UNSIGNED_SHORT ||
           f->type == GL_SHORT;
}

/* Whether bits are copied between the formats. Others than plain ones are copied to themselves. */
static int related(const struct format *a, const struct format *b)
{
    return a == b || (plain(a) && plain(b) && a->bytes == b->bytes && a->type == b->type &&
                      a->format != GL_BGRA_EXT && b->format != GL_BGRA_EXT);
}

/* Copies of bits between formats with texels or blocks of one size. */
static void draw_image_copies(struct scene *s)
{
    const struct format *from = pick_format(s, 0, ~(1U << DEPTH)), *to;
    copy_image copy = (copy_image)function(s, "glCopyImageSubDataEXT");
    struct texture a, b;
    int size[3], step[2];

    need(s, "GL_EXT_copy_image");
    do
        to = pick_format(s, 0, ~(1U << DEPTH));
    while (!related(from, to));
    a = make_texture(s, from, GL_TEXTURE_2D);
    b = make_texture(s, to, GL_TEXTURE_2D_ARRAY);
    glBindTexture(a.target, a.name);
    for (int i = 0; i < a.levels; i++)
        fill_level(s, &a, i);
    glBindTexture(b.target, b.name);
    for (int i = 0; i < b.levels; i++)
        fill_level(s, &b, i);
    for (int i = 0; i < 2; i++) {
        step[i] = i ? from->height : from->width;
        size[i] = (a.size[i] < b.size[i] ? a.size[i] : b.size[i]) / step[i] * step[i];
    }
    if (size[0] && size[1])
        copy(a.name, a.target, 0, 0, 0, 0, b.name, b.target, 0, 0, 0,
             (GLint)dice(s, (unsigned)b.size[2]), size[0], size[1], 1);
    choose_filters(s, &b);
    for (int i = 0; i < 2; i++)
        show_program(s, show_look_up(s, &b, look_up(s, &b, coordinate(s, &b))));
}

const struct feature texture_features[] = {
    {"textures", 2, draw_textures},
    {"shadows", 31, draw_shadows},
    {"mipmaps", 2, draw_mipmaps},
    {"copies", 2, draw_copies},
    {"image_copies", 31, draw_image_copies},
    {NULL, 0, NULL},
};
