/* The first stack of a program: arguments, environment, auxiliary vector. */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

#define PAGE CPU_PAGE_SIZE

/* Units per second of times(), AT_CLKTCK. */
#define CLOCK_TICKS 100

/* Bytes of the stack that strings leave free; Linux limits strings to a quarter of the stack. */
#define RESERVE (UINT64_C(256) << 10)

struct stack {
    struct process *process;
    uint64_t bottom, sp;
    bool full, executable;
};

static uint64_t push_data(struct stack *s, const void *data, uint64_t len, uint64_t align)
{
    void *to;

    if (s->full || s->sp - s->bottom < len + align + RESERVE) {
        s->full = true;
        return 0;
    }
    s->sp = align_down(s->sp - len, align);
    to = space_write(&s->process->space, s->sp, len);
    if (to)
        memcpy(to, data, len);
    return s->sp;
}

static uint64_t push_string(struct stack *s, const char *text)
{
    return push_data(s, text, strlen(text) + 1, 1);
}

typedef VEC(uint64_t) words;

/* Pushes words of the guest's size, at ascending addresses. */
static uint64_t push_words(struct stack *s, const words *all)
{
    unsigned word = user_abi.word_bytes;

    for (size_t n = all->len; n--;) {
        uint64_t value = all->data[n];

        guest_order(&value, word);
        push_data(s, &value, word, word);
    }
    return s->sp;
}

/* ---- environment ----------------------------------------------------------------------------- */

static size_t name_length(const char *setting)
{
    return strcspn(setting, "=");
}

static bool same_variable(const char *a, const char *b)
{
    return name_length(a) == name_length(b) && !strncmp(a, b, name_length(a));
}

/* Whether a later -E or -U sets the same variable. */
static bool is_overridden(const struct user_options *o, const char *setting, size_t from)
{
    for (size_t n = from; n < o->set_env.len; n++) {
        if (same_variable(setting, o->set_env.data[n]))
            return true;
    }
    return false;
}

/* Pushes the host's environment with the changes of -E and -U. */
static void push_environment(struct stack *s, char **env, words *out)
{
    const struct user_options *o = s->process->options;

    for (; *env; env++) {
        if (!is_overridden(o, *env, 0))
            vec_push(out, push_string(s, *env));
    }
    for (size_t n = 0; n < o->set_env.len; n++) {
        if (strchr(o->set_env.data[n], '=') && !is_overridden(o, o->set_env.data[n], n + 1))
            vec_push(out, push_string(s, o->set_env.data[n]));
    }
    vec_push(out, 0);
}

/* ---- auxiliary vector ------------------------------------------------------------------------ */

static void add_aux(words *out, uint64_t type, uint64_t value)
{
    vec_push(out, type);
    vec_push(out, value);
}

static void push_auxiliary(struct stack *s, struct thread *t, const struct image *image, words *out)
{
    uint64_t random[2] = {process_random(s->process), process_random(s->process)};
    uint64_t (*hwcaps)(struct cpu *, uint32_t) = cpu_isa_of(t->cpu)->hwcaps;

    add_aux(out, AT_PHDR, image->phdr);
    add_aux(out, AT_PHENT, user_abi.word_bytes == 4 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
    add_aux(out, AT_PHNUM, image->phdr_count);
    add_aux(out, AT_PAGESZ, PAGE);
    add_aux(out, AT_BASE, image->interpreter_base);
    add_aux(out, AT_FLAGS, 0);
    add_aux(out, AT_ENTRY, image->entry);
    add_aux(out, AT_UID, getuid());
    add_aux(out, AT_EUID, geteuid());
    add_aux(out, AT_GID, getgid());
    add_aux(out, AT_EGID, getegid());
    add_aux(out, AT_SECURE, 0);
    add_aux(out, AT_HWCAP, hwcaps ? hwcaps(t->cpu, 0) : 0);
    add_aux(out, AT_HWCAP2, hwcaps ? hwcaps(t->cpu, 1) : 0);
    add_aux(out, AT_CLKTCK, CLOCK_TICKS);
    if (user_abi.platform)
        add_aux(out, AT_PLATFORM, push_string(s, user_abi.platform));
    add_aux(out, AT_RANDOM, push_data(s, random, sizeof(random), 16));
    add_aux(out, AT_EXECFN, push_string(s, s->process->options->program));
    add_aux(out, AT_NULL, 0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool map_stack(struct stack *s, struct error *err)
{
    struct space *space = &s->process->space;
    uint64_t bytes = align_up(s->process->options->stack_bytes, PAGE), top = space->top;
    int prot = PROT_READ | PROT_WRITE | (s->executable ? PROT_EXEC : 0);
    int64_t at = space_map(space, top - bytes, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                           &(struct space_source){.name = "[stack]"});

    s->bottom = space->stack = top - bytes;
    s->sp = top;
    return at >= 0 ||
           error_set(err, "no room for a stack of %llu KB", (unsigned long long)bytes >> 10);
}

uint64_t stack_build(struct process *p, struct thread *t, const struct image *image, char **env,
                     struct error *err)
{
    const struct user_options *o = p->options;
    struct stack s = {.process = p, .executable = image->executable_stack};
    words vector = {0}, aux = {0};
    uint64_t sp, argc = 1, bytes;

    if (!map_stack(&s, err))
        return 0;
    p->cmdline[1] = s.sp;
    vec_push(&vector, 0); /* argc */
    vec_push(&vector, push_string(&s, o->argv0 ? o->argv0 : o->program));
    for (; o->args[argc - 1]; argc++)
        vec_push(&vector, push_string(&s, o->args[argc - 1]));
    p->cmdline[0] = s.sp;
    vector.data[0] = argc;
    vec_push(&vector, 0);
    push_environment(&s, env, &vector);
    push_auxiliary(&s, t, image, &aux);
    /* argc must be 16-byte aligned. */
    bytes = (aux.len + vector.len) * user_abi.word_bytes;
    s.sp = align_down(s.sp - bytes, 16) + bytes;
    p->auxv[1] = s.sp;
    p->auxv[0] = push_words(&s, &aux);
    sp = push_words(&s, &vector);
    vec_free(&vector);
    vec_free(&aux);
    if (s.full)
        error_set(err, "the arguments and the environment do not fit onto the stack");
    return s.full ? 0 : sp;
}
