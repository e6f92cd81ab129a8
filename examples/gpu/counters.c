/*
 * Reads the GPU's performance counters around a program, as panfrost offers them if its module has
 * unstable_ioctls=1: counters [-all] COMMAND [ARGUMENT…]
 *
 * It counts everything that the GPU does while the program runs, and prints a line `BLOCK NAME
 * VALUE` for each counter that is not 0, then the sum over the blocks of a kind. Counters without a
 * name here are printed with -all, by their place in the block. The status is the program's; 2 if
 * the counters cannot be read.
 *
 * Names and places are those of Bifrost GPUs in Mesa (src/panfrost/perf). Midgard GPUs have others
 * and need -all; GPUs up to T720, whose blocks are in another order, are refused.
 */
#include <drm/drm.h>
#include <drm/panfrost_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64, HEADER = 4, NODES = 16, FAILED = 2, MAX_CORES = 64 };
enum kind { JOBS, TILER, MEMORY, SHADER, KINDS };

static const char *const kinds[KINDS] = {"jobs", "tiler", "memory", "shader"};

struct name {
    enum kind kind;
    unsigned word;
    const char *text;
};

static const struct name names[] = {
    {JOBS, 6, "GPU_ACTIVE"},
    {JOBS, 7, "IRQ_ACTIVE"},
    {JOBS, 8, "JS0_JOBS"},
    {JOBS, 9, "JS0_TASKS"},
    {JOBS, 10, "JS0_ACTIVE"},
    {JOBS, 16, "JS1_JOBS"},
    {JOBS, 17, "JS1_TASKS"},
    {JOBS, 18, "JS1_ACTIVE"},
    {JOBS, 24, "JS2_JOBS"},
    {JOBS, 25, "JS2_TASKS"},
    {JOBS, 26, "JS2_ACTIVE"},
    {MEMORY, 16, "L2_RD_MSG_IN"},
    {MEMORY, 18, "L2_WR_MSG_IN"},
    {MEMORY, 25, "L2_ANY_LOOKUP"},
    {MEMORY, 26, "L2_READ_LOOKUP"},
    {MEMORY, 27, "L2_WRITE_LOOKUP"},
    {MEMORY, 29, "L2_EXT_READ"},
    {MEMORY, 32, "L2_EXT_READ_BEATS"},
    {MEMORY, 42, "L2_EXT_WRITE"},
    {MEMORY, 47, "L2_EXT_WRITE_BEATS"},
    {SHADER, 22, "COMPUTE_ACTIVE"},
    {SHADER, 23, "COMPUTE_TASKS"},
    {SHADER, 24, "COMPUTE_WARPS"},
    {SHADER, 26, "EXEC_CORE_ACTIVE"},
    {SHADER, 27, "EXEC_ACTIVE"},
    {SHADER, 28, "EXEC_INSTR_COUNT"},
    {SHADER, 29, "EXEC_INSTR_DIVERGED"},
    {SHADER, 30, "EXEC_INSTR_STARVING"},
    {SHADER, 44, "LS_MEM_READ_FULL"},
    {SHADER, 46, "LS_MEM_WRITE_FULL"},
    {SHADER, 52, "ATTR_INSTR"},
    {SHADER, 56, "BEATS_RD_LSC"},
    {SHADER, 57, "BEATS_RD_LSC_EXT"},
    {SHADER, 61, "BEATS_WR_LSC"},
};

/* The GPU, and the shape of its dumps: blocks of the job manager and the tiler, then these. */
struct gpu {
    int file;
    unsigned product, slices, cores;
    uint32_t *dump;
};

static void report_and_exit(const char *what)
{
    fprintf(stderr, "counters: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(FAILED);
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static int is_panfrost(int file)
{
    char name[16] = "";
    struct drm_version version = {.name = name, .name_len = sizeof(name) - 1};

    return !ioctl(file, DRM_IOCTL_VERSION, &version) && !strcmp(name, "panfrost");
}

static uint64_t counter_constant(int file, uint32_t number)
{
    struct drm_panfrost_get_param param = {.param = number};

    if (ioctl(file, DRM_IOCTL_PANFROST_GET_PARAM, &param))
        report_and_exit("a parameter of the GPU");
    return param.value;
}

static struct gpu gpu_open(void)
{
    struct gpu g = {.file = -1};
    uint64_t present;

    for (unsigned n = 0; n < NODES && g.file < 0; n++) {
        char path[40];

        snprintf(path, sizeof(path), "/dev/dri/renderD%u", 128 + n);
        g.file = open(path, O_RDWR | O_CLOEXEC);
        if (g.file >= 0 && !is_panfrost(g.file)) {
            close(g.file);
            g.file = -1;
        }
    }
    errno = 0;
    if (g.file < 0)
        report_and_exit("no GPU of panfrost: modprobe panfrost unstable_ioctls=1");
    g.product = (unsigned)counter_constant(g.file, DRM_PANFROST_PARAM_GPU_PROD_ID);
    if (g.product < 0x750)
        report_and_exit("the blocks of this GPU are in another order");
    g.slices = (unsigned)(counter_constant(g.file, DRM_PANFROST_PARAM_MEM_FEATURES) >> 8 & 0xf) + 1;
    present = counter_constant(g.file, DRM_PANFROST_PARAM_SHADER_PRESENT);
    while (g.cores < MAX_CORES && present >> g.cores)
        g.cores++;
    g.dump = calloc(KINDS + g.slices + g.cores, WORDS * sizeof(uint32_t));
    if (!g.dump)
        report_and_exit("no memory");
    return g;
}

static void enable_counters(const struct gpu *g, uint32_t on)
{
    struct drm_panfrost_perfcnt_enable request = {.enable = on};

    errno = 0;
    if (ioctl(g->file, DRM_IOCTL_PANFROST_PERFCNT_ENABLE, &request))
        report_and_exit(errno == ENOSYS ? "modprobe panfrost unstable_ioctls=1"
                                        : "counters cannot be enabled");
}

static void dump_counters(const struct gpu *g)
{
    struct drm_panfrost_perfcnt_dump request = {.buf_ptr = (uintptr_t)g->dump};

    errno = 0;
    if (ioctl(g->file, DRM_IOCTL_PANFROST_PERFCNT_DUMP, &request))
        report_and_exit("counters cannot be read");
}

/* ---- the program ----------------------------------------------------------------------------- */

static int run_program(char **command)
{
    pid_t child = fork();
    int status = 0;

    if (child < 0)
        report_and_exit("fork");
    if (!child) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            report_and_exit("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- what was counted ------------------------------------------------------------------------ */

/* The name of a counter; NULL: it has none and is left out. */
static const char *name_of(const struct gpu *g, enum kind kind, unsigned word, int all)
{
    static char number[16];

    for (size_t i = 0; g->product >= 0x6000 && i < sizeof(names) / sizeof(*names); i++)
        if (names[i].kind == kind && names[i].word == word)
            return names[i].text;
    snprintf(number, sizeof(number), "%u", word);
    return all ? number : NULL;
}

/* Prints the counters of `count` blocks of a kind, and sums if there are several. */
static void print_counters(const struct gpu *g, enum kind kind, const uint32_t *at, unsigned count,
                           int all)
{
    for (unsigned word = HEADER; word < WORDS; word++) {
        const char *name = name_of(g, kind, word, all);
        uint64_t sum = 0;

        for (unsigned n = 0; name && n < count; n++) {
            uint32_t value = at[n * WORDS + word];

            sum += value;
            if (value && count > 1)
                printf("%s%u %s %u\n", kinds[kind], n, name, value);
        }
        if (sum)
            printf("%s %s %llu\n", kinds[kind], name, (unsigned long long)sum);
    }
}

static void print_all(const struct gpu *g, int all)
{
    const uint32_t *at = g->dump;
    const unsigned counts[KINDS] = {1, 1, g->slices, g->cores};

    for (unsigned kind = 0; kind < KINDS; kind++) {
        print_counters(g, kind, at, counts[kind], all);
        at += counts[kind] * WORDS;
    }
}

int main(int argc, char **argv)
{
    int all = argc > 1 && !strcmp(argv[1], "-all"), status;
    struct gpu g;

    if (argc < 2 + all) {
        fputs("counters [-all] COMMAND [ARGUMENT…]\n", stderr);
        return FAILED;
    }
    g = gpu_open();
    enable_counters(&g, 1);
    status = run_program(argv + 1 + all);
    dump_counters(&g);
    enable_counters(&g, 0);
    fflush(stdout);
    print_all(&g, all);
    free(g.dump);
    close(g.file);
    return status;
}
