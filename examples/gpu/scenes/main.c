/*
 * Draws random scenes, and writes their pictures: scripts/compare-scenes runs it on two
 * implementations of OpenGL ES and compares.
 *
 *     draw_scenes VERSION [FEATURE SEED PICTURE]...
 *     draw_scenes VERSION
 *
 * VERSION is 2 or 31. Without scenes it prints the features of that version. A line per scene says
 * how it went: `FEATURE SEED: drawn`; `FEATURE SEED: not offered: ` and what the implementation
 * lacks; or `FEATURE SEED: ` and what is wrong. With SCENES_LOG in its environment, it prints
 * shaders that do not compile.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

static const struct feature *const tables[] = {texture_features, target_features, sample_features,
                                               buffer_features, mixed_features};

unsigned dice(struct scene *s, unsigned sides)
{
    /* Marsaglia's xorshift64 with a multiplier (Vigna): the upper half is the random number. */
    s->seed ^= s->seed >> 12;
    s->seed ^= s->seed << 25;
    s->seed ^= s->seed >> 27;
    return (unsigned)((s->seed * 0x2545f4914f6cdd1dULL) >> 32) % sides;
}

float between(struct scene *s, float low, float high)
{
    return low + (high - low) * (float)dice(s, 1025) / 1024;
}

void give_up(struct scene *s, const char *why, ...)
{
    va_list args;

    va_start(args, why);
    vsnprintf(s->why, sizeof(s->why), why, args);
    va_end(args);
    longjmp(s->end, 1);
}

void need(struct scene *s, const char *extensions)
{
    const char *offered = (const char *)glGetString(GL_EXTENSIONS);
    char *words = strdup(extensions ? extensions : ""), *rest = NULL;
    int found = !extensions;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        for (const char *at = offered; (at = strstr(at, word)); at += strlen(word))
            found |= at[strlen(word)] == ' ' || !at[strlen(word)];
    free(words);
    if (!found)
        give_up(s, "not offered: %s", extensions);
}

void *function(struct scene *s, const char *name)
{
    void *found = (void *)eglGetProcAddress(name);

    if (!found)
        give_up(s, "not offered: %s", name);
    return found;
}

static const struct feature *feature_named(const char *name, int es)
{
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct feature *f = tables[t]; f->name; f++)
            if (f->es <= es && !strcmp(f->name, name))
                return f;
    return NULL;
}

static void list_features(int es)
{
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (const struct feature *f = tables[t]; f->name; f++)
            if (f->es <= es)
                puts(f->name);
}

/* Seeds are mixed, since neighbouring states of the dice give neighbouring numbers at first. */
static uint64_t mixed(const char *feature, const char *seed)
{
    uint64_t mix = 0x9e3779b97f4a7c15ULL * (strtoull(seed, NULL, 0) + 1);

    for (; *feature; feature++)
        mix = (mix ^ (unsigned char)*feature) * 0x100000001b3ULL;
    return mix ? mix : 1;
}

/* Returns whether the scene was drawn; s->why says why not. */
static int draw(struct scene *s, const struct feature *feature, const char *picture)
{
    GLenum error;

    s->why[0] = 0;
    s->file = fopen(picture, "w");
    if (!s->file) {
        perror(picture);
        exit(1);
    }
    /* OpenGL leaves open how dithering changes colours, which are compared. */
    glDisable(GL_DITHER);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    if (!setjmp(s->end)) {
        feature->draw(s);
        error = glGetError();
        if (error)
            snprintf(s->why, sizeof(s->why), "OpenGL error %#x", error);
    }
    if (fclose(s->file)) {
        perror(picture);
        exit(1);
    }
    return !s->why[0];
}

int main(int argc, char **argv)
{
    int es = argc >= 2 && argc % 3 == 2 ? atoi(argv[1]) : 0;
    EGLDisplay display;

    if (es != 2 && es != 31) {
        fprintf(stderr, "usage: draw_scenes 2|31 [FEATURE SEED PICTURE]...\n");
        return 2;
    }
    if (argc == 2) {
        list_features(es);
        return 0;
    }
    display = gles_display();
    for (int i = 2; i < argc; i += 3) {
        static struct scene scene;
        const struct feature *feature = feature_named(argv[i], es);
        EGLContext context;

        if (!feature) {
            fprintf(stderr, "draw_scenes: no feature %s of OpenGL ES %d\n", argv[i], es);
            return 2;
        }
        /* A context per scene, so that no scene finds state of another. */
        context = gles_context(display, es == 2 ? 2 : 3, es == 2 ? 0 : 1);
        scene.seed = mixed(argv[i], argv[i + 1]);
        scene.es = es;
        printf("%s %s: %s\n", argv[i], argv[i + 1],
               draw(&scene, feature, argv[i + 2]) ? "drawn" : scene.why);
        fflush(stdout);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
    }
    eglTerminate(display);
    return 0;
}
