/*
 * KinectFusion's pipeline on the GPU, on a depth camera's images of a made room: kfusion FOLDER
 * CONFIGURATION FRAMES [SHRINK]
 *
 * Prints a line a frame with the error of the pose, and how many launches there were. The camera
 * stands still for four frames, which fill the volume. SHRINK divides the sides of images and
 * volume. The first frame's filtered image, sums and volume are compared with the CPU's. The status
 * is 1 if something is wrong.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../suite/suite.h"
#include "pose.h"

enum { WIDTH = 640, HEIGHT = 480, LEVELS = 3, GROUPS = 8, GROUP = 64, SUMS = 32, STILL = 4 };

/*
 * SLAMBench's defaults (default_parameters.h), with images as large as the camera's and every
 * fourth volume shown; and the configurations of its application for Android (demo.xml), where what
 * is left out there has the default.
 */
struct configuration {
    const char *name;
    unsigned ratio, size;        /* of images; voxels in a row */
    unsigned render, rate;       /* frames per shown volume, per integration */
    unsigned iterations[LEVELS]; /* by level, the finest first */
    float threshold, mu;
};

static const struct configuration configurations[] = {
    {"default", 1, 256, 4, 2, {10, 5, 4}, 1e-5f, 0.1f},
    {"standard", 2, 256, 1, 2, {10, 5, 4}, 1e-5f, 0.1f},
    {"fast3", 2, 128, 1, 22, {6, 4, 5}, 24.9643f, 0.430125f},
    {"express", 4, 128, 1, 24, {4, 2, 0}, 32.8116f, 0.419017f},
};

enum { CONFIGURATIONS = sizeof(configurations) / sizeof(*configurations), MAX_SHRINK = 4 };

static const float edge = 5; /* side of the volume in m */

struct level {
    unsigned width, height;
    cl_mem depth, vertices, normals;
};

struct fusion {
    struct suite suite;
    struct configuration c;
    unsigned width, height, wrong, iterations;
    float camera[4]; /* focal lengths, centre: pixels */
    struct level levels[LEVELS];
    cl_mem input, raw, tracked, sums, volume, reference, reference_normals, picture;
    struct pose pose, reference_pose;
    float *depth; /* the first level's, as the GPU has it */
};

#define IMAGE(f) pixels_of((f)->width, (f)->height)
#define POSE(p)  ((struct argument){sizeof(struct pose), &(p)})

/* A thread a pixel; work-groups of up to 16 x 4 that divide the image. */
static struct range pixels_of(unsigned width, unsigned height)
{
    unsigned wide = 16, high = 4;

    while (width % wide)
        wide /= 2;
    while (height % high)
        high /= 2;
    return plane(width, height, wide, high);
}

/* ---- the room -------------------------------------------------------------------------------- */

/* Depth in mm of a room with two balls, from a place; a ray has z = 1. */
static uint32_t depth_of(const float at[3], const float along[3])
{
    static const float balls[2][4] = {{2.2f, 2.6f, 3.2f, 0.6f}, {1.0f, 3.0f, 2.6f, 0.35f}};
    float best = INFINITY;

    for (int i = 0; i < 3; i++) {
        float wall = along[i] > 0 ? 4.4f : 0.4f, t = (wall - at[i]) / along[i];

        if (along[i] != 0 && t > 0 && t < best)
            best = t;
    }
    for (int b = 0; b < 2; b++) {
        float from[3], a = 0, half_b = 0, c = -balls[b][3] * balls[b][3], square;

        for (int i = 0; i < 3; i++) {
            from[i] = at[i] - balls[b][i];
            a += along[i] * along[i];
            half_b += along[i] * from[i];
            c += from[i] * from[i];
        }
        square = half_b * half_b - a * c;
        if (square > 0 && (-half_b - sqrtf(square)) / a < best)
            best = (-half_b - sqrtf(square)) / a;
    }
    return (uint32_t)(best * 1000);
}

static struct pose true_pose(unsigned frame)
{
    float moved = frame < STILL ? 0 : (float)(frame - STILL + 1);

    return pose_at(0.34f * edge + 0.008f * moved, 0.5f * edge - 0.004f * moved,
                   0.24f * edge + 0.006f * moved);
}

/* As a camera of the input's size sees it; shrunk images are parts of it. */
static void take_image(const struct fusion *f, unsigned frame, uint32_t *image)
{
    struct pose p = true_pose(frame);
    const float at[3] = {p.m[3], p.m[7], p.m[11]};
    float ratio = (float)f->c.ratio;

    for (unsigned y = 0; y < f->height * f->c.ratio; y++)
        for (unsigned x = 0; x < f->width * f->c.ratio; x++) {
            const float along[3] = {((float)x / ratio - f->camera[2]) / f->camera[0],
                                    ((float)y / ratio - f->camera[3]) / f->camera[1], 1};

            image[y * f->width * f->c.ratio + x] = depth_of(at, along);
        }
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static void open_fusion(struct fusion *f, const char *folder, const struct configuration *c,
                        unsigned shrink)
{
    struct suite *s = &f->suite;
    size_t pixels;

    f->c = *c;
    f->c.size /= shrink;
    f->width = WIDTH / c->ratio / shrink, f->height = HEIGHT / c->ratio / shrink;
    pixels = (size_t)f->width * f->height;
    f->camera[0] = 481.2f / (float)(c->ratio * shrink),
    f->camera[1] = 480.0f / (float)(c->ratio * shrink);
    f->camera[2] = (float)f->width / 2, f->camera[3] = (float)f->height / 2;
    s->compute = compute_open();
    suite_load(s, folder, "kfusion.cl");
    for (unsigned l = 0; l < LEVELS; l++) {
        struct level *v = &f->levels[l];

        v->width = f->width >> l, v->height = f->height >> l;
        v->depth = suite_buffer(s, NULL, 4 * v->width * v->height);
        v->vertices = suite_buffer(s, NULL, 12 * v->width * v->height);
        v->normals = suite_buffer(s, NULL, 12 * v->width * v->height);
    }
    f->input = suite_buffer(s, NULL, 4 * pixels * c->ratio * c->ratio),
    f->raw = suite_buffer(s, NULL, 4 * pixels);
    f->tracked = suite_buffer(s, NULL, 32 * pixels),
    f->sums = suite_buffer(s, NULL, 4 * SUMS * GROUPS);
    f->reference = suite_buffer(s, NULL, 12 * pixels),
    f->reference_normals = suite_buffer(s, NULL, 12 * pixels);
    f->picture = suite_buffer(s, NULL, 4 * pixels);
    f->volume = suite_buffer(s, NULL, 4 * (size_t)f->c.size * f->c.size * f->c.size);
    f->pose = f->reference_pose = true_pose(0);
    f->depth = suite_memory(4 * pixels);
}

static float voxel_edge(const struct fusion *f)
{
    return edge / (float)f->c.size;
}

/* Camera of a level: focal lengths and centre are divided. */
static struct argument camera_of_level(const float *from, float to[4], unsigned level)
{
    for (int i = 0; i < 4; i++)
        to[i] = from[i] / (float)(1u << level);
    return (struct argument){16, to};
}

static void preprocess_image(struct fusion *f, const uint32_t *image)
{
    struct suite *s = &f->suite;
    size_t pixels = (size_t)f->width * f->height;
    float lens[4];

    suite_write(s, f->input, image, 4 * pixels * f->c.ratio * f->c.ratio);
    RUN(s, "to_metres", IMAGE(f), BUFFER(f->input), BUFFER(f->raw), INT(f->c.ratio),
        INT(f->width * f->c.ratio));
    RUN(s, "bilateral_filter", IMAGE(f), BUFFER(f->raw), BUFFER(f->levels[0].depth), FLOAT(4),
        FLOAT(0.1f));
    for (unsigned l = 0; l < LEVELS; l++) {
        struct level *v = &f->levels[l];
        struct range range = pixels_of(v->width, v->height);

        if (l)
            RUN(s, "half_sample", range, BUFFER(v[-1].depth), BUFFER(v->depth), FLOAT(0.3f));
        RUN(s, "depth_to_vertex", range, BUFFER(v->depth), BUFFER(v->vertices),
            camera_of_level(f->camera, lens, l));
        RUN(s, "vertex_to_normal", range, BUFFER(v->vertices), BUFFER(v->normals));
    }
}

static void check_sums(struct fusion *f, const double *got, unsigned count)
{
    struct tracked {
        int result;
        float error, gradient[6];
    } *t = suite_memory(32 * count);
    double square = 0, valid = 0, product = 0;

    suite_read(&f->suite, f->tracked, t, 32 * count);
    for (unsigned i = 0; i < count; i++)
        if (t[i].result == 1) {
            square += (double)t[i].error * t[i].error;
            product += (double)t[i].gradient[2] * t[i].gradient[5];
            valid++;
        }
    f->wrong += got[28] != valid || !(fabs(got[0] - square) <= 1e-3 * square + 1e-6) ||
                !(fabs(got[21] - product) <= 1e-3 * valid);
    free(t);
}

/* One step of the iterative closest points: computes the sums, and from them the twist. */
static void step_closest_points(struct fusion *f, unsigned level, const struct pose *view,
                                double sums[SUMS], double twist[6])
{
    struct suite *s = &f->suite;
    struct level *v = &f->levels[level];
    float rows[SUMS * GROUPS];
    const cl_int size[2] = {(cl_int)f->width, (cl_int)f->height};

    RUN(s, "track", pixels_of(v->width, v->height), BUFFER(f->tracked), BUFFER(v->vertices),
        BUFFER(v->normals), BUFFER(f->reference), BUFFER(f->reference_normals), POSE(f->pose),
        ((struct argument){sizeof(*view), view}), ((struct argument){8, size}));
    RUN(s, "reduce", line(GROUPS * GROUP, GROUP), BUFFER(f->sums), BUFFER(f->tracked),
        INT(v->width * v->height), LOCAL(4 * SUMS * GROUP));
    suite_read(s, f->sums, rows, sizeof(rows));
    memset(sums, 0, SUMS * sizeof(*sums));
    for (int i = 0; i < SUMS * GROUPS; i++)
        sums[i % SUMS] += rows[i];
    solve(sums, twist);
    f->iterations++;
}

/* Returns whether the pose was found; else it stays. */
static bool track_pose(struct fusion *f, bool check)
{
    struct pose old = f->pose, back = pose_inverse(&f->reference_pose), view = {{0}}, lens;
    double sums[SUMS] = {0};

    lens = (struct pose){{f->camera[0], 0, f->camera[2], 0, 0, f->camera[1], f->camera[3], 0, 0, 0,
                          1, 0, 0, 0, 0, 1}};
    view = pose_product(&lens, &back);
    for (unsigned l = LEVELS; l-- > 0;)
        for (unsigned i = 0; i < f->c.iterations[l]; i++) {
            double twist[6], norm = 0;
            struct pose change;

            step_closest_points(f, l, &view, sums, twist);
            if (check)
                check_sums(f, sums, f->levels[l].width * f->levels[l].height);
            change = pose_of_twist(twist);
            f->pose = pose_product(&change, &f->pose);
            for (int k = 0; k < 6; k++)
                norm += twist[k] * twist[k];
            if (sqrt(norm) < (double)f->c.threshold)
                break;
        }
    if (sums[28] > 0 && sqrt(sums[0] / sums[28]) < 2e-2)
        return true;
    f->pose = old;
    return false;
}

static void integrate_depth(struct fusion *f)
{
    struct pose to_camera = pose_inverse(&f->pose);
    const cl_int size[2] = {(cl_int)f->width, (cl_int)f->height};

    RUN(&f->suite, "integrate", pixels_of(f->c.size, f->c.size), BUFFER(f->volume), INT(f->c.size),
        FLOAT(voxel_edge(f)), BUFFER(f->raw), ((struct argument){8, size}), POSE(to_camera),
        ((struct argument){16, f->camera}), FLOAT(f->c.mu));
}

/* Pixels to directions in the volume. */
static struct pose rays_to_volume(const struct fusion *f)
{
    const float *c = f->camera;
    struct pose unlens = {
        {1 / c[0], 0, -c[2] / c[0], 0, 0, 1 / c[1], -c[3] / c[1], 0, 0, 0, 1, 0, 0, 0, 0, 1}};

    return pose_product(&f->pose, &unlens);
}

static void cast_rays(struct fusion *f)
{
    struct pose view = rays_to_volume(f);

    f->reference_pose = f->pose;
    RUN(&f->suite, "raycast", IMAGE(f), BUFFER(f->reference), BUFFER(f->reference_normals),
        BUFFER(f->volume), INT(f->c.size), FLOAT(voxel_edge(f)), POSE(view), FLOAT(f->c.mu));
}

static void render_picture(struct fusion *f)
{
    struct pose view = rays_to_volume(f);

    RUN(&f->suite, "render_volume", IMAGE(f), BUFFER(f->picture), BUFFER(f->volume), INT(f->c.size),
        FLOAT(voxel_edge(f)), POSE(view), FLOAT(f->c.mu));
}

/* ---- what the first frame must leave --------------------------------------------------------- */

static void check_filter(struct fusion *f)
{
    size_t pixels = (size_t)f->width * f->height;
    int width = (int)f->width, height = (int)f->height;
    float *raw = suite_memory(4 * pixels), *got = f->depth;

    suite_read(&f->suite, f->raw, raw, 4 * pixels);
    suite_read(&f->suite, f->levels[0].depth, got, 4 * pixels);
    for (int at = 0; at < width * height; at += 7) {
        float sum = 0, weights = 0;

        for (int k = 0; k < 25; k++) {
            int dx = k % 5 - 2, dy = k / 5 - 2, x = at % width + dx, y = at / width + dy;
            float other, weight;

            x = x < 0 ? 0 : x >= width ? width - 1 : x;
            y = y < 0 ? 0 : y >= height ? height - 1 : y;
            other = raw[y * width + x];
            weight = expf(-(float)(dx * dx + dy * dy) / 32) *
                     expf(-(other - raw[at]) * (other - raw[at]) / 0.02f);
            sum += weight * other;
            weights += weight;
        }
        f->wrong += !(fabsf(got[at] - sum / weights) < 1e-3f);
    }
    free(raw);
}

/* Voxels on lines of sight: their distance is that of the depth image. */
static void check_volume(struct fusion *f)
{
    unsigned n = f->c.size;
    uint32_t *volume = suite_memory(4 * (size_t)n * n * n);
    float *raw = suite_memory(4 * (size_t)f->width * f->height);
    unsigned seen = 0, bad = 0;

    suite_read(&f->suite, f->volume, volume, 4 * (size_t)n * n * n);
    suite_read(&f->suite, f->raw, raw, 4 * (size_t)f->width * f->height);
    for (size_t i = 0; i < (size_t)n * n * n; i += 101) {
        float at[3], px, py, away;

        for (int k = 0; k < 3; k++)
            at[k] = ((float)(i /
                             (k == 0   ? 1
                              : k == 1 ? n
                                       : n * n) %
                             n) +
                     0.5f) *
                        voxel_edge(f) -
                    f->pose.m[4 * k + 3];
        px = f->camera[0] * at[0] / at[2] + f->camera[2] + 0.5f,
        py = f->camera[1] * at[1] / at[2] + f->camera[3] + 0.5f;
        if (at[2] < 0.1f || px < 1 || py < 1 || px > (float)f->width - 2 ||
            py > (float)f->height - 2)
            continue;
        away = raw[(int)py * (int)f->width + (int)px] - at[2];
        away *= sqrtf(1 + (at[0] * at[0] + at[1] * at[1]) / (at[2] * at[2])) / f->c.mu;
        if (away > -0.99f) {
            seen++;
            bad += !(fabsf((float)(int16_t)volume[i] / 32766 - fminf(away, 1)) < 0.02f);
        }
    }
    /* A pixel's border may be on the other side of a voxel by rounding. */
    f->wrong += !seen || bad * 200 > seen;
    free(volume), free(raw);
}

static float error_of(const struct fusion *f, unsigned frame)
{
    struct pose p = true_pose(frame);
    float square = 0;

    for (int k = 3; k < 12; k += 4)
        square += (p.m[k] - f->pose.m[k]) * (p.m[k] - f->pose.m[k]);
    return sqrtf(square);
}

static void run_frame(struct fusion *f, unsigned frame, uint32_t *image)
{
    bool first = frame < STILL, found;

    take_image(f, frame, image);
    preprocess_image(f, image);
    found = track_pose(f, frame == STILL);
    if ((found && frame % f->c.rate == 0) || first)
        integrate_depth(f);
    if (frame == 0) {
        check_filter(f);
        check_volume(f);
    }
    if (frame + 1 >= STILL)
        cast_rays(f);
    if (frame % f->c.render == 0)
        render_picture(f);
    printf("frame %u: %s, %.1f mm from the true place\n", frame, found ? "tracked" : "not tracked",
           (double)error_of(f, frame) * 1000);
}

int main(int argc, char **argv)
{
    static struct fusion f;
    unsigned frames = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 0,
             shrink = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 1;
    uint32_t *image = suite_memory(4 * WIDTH * HEIGHT);
    const struct configuration *c = configurations;
    float last;

    while (argc > 3 && c < configurations + CONFIGURATIONS && strcmp(c->name, argv[2]))
        c++;
    if (argc < 4 || c == configurations + CONFIGURATIONS || !shrink || shrink > MAX_SHRINK) {
        fprintf(stderr, "kfusion FOLDER default|standard|fast3|express FRAMES [SHRINK]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_fusion(&f, argv[1], c, shrink);
    for (unsigned frame = 0; frame < frames; frame++) {
        if (frame == STILL)
            printf("%s: begin after %u launches, %u iterations\n", c->name, f.suite.launches,
                   f.iterations);
        run_frame(&f, frame, image);
    }
    last = error_of(&f, frames - 1);
    f.wrong += !(last < 0.05f * (float)shrink);
    printf("%s: %u frames, %u launches, %u iterations, %u wrong: %s\n", c->name, frames,
           f.suite.launches, f.iterations, f.wrong, f.wrong ? "FAILED" : "ok");
    suite_unload(&f.suite);
    compute_close(&f.suite.compute);
    free(image), free(f.depth);
    return f.wrong != 0;
}
