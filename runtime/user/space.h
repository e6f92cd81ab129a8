/*
 * The address space of a user-mode process.
 *
 * Guest addresses are bus addresses: one RAM region, reserved on the host, covers all addresses a
 * process may use, and a sorted list of areas says which of them are mapped and how. The host maps
 * the same there, files too, with the guest's permissions (space_host.h).
 */
#ifndef RUNTIME_USER_SPACE_H
#define RUNTIME_USER_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/group.h"
#include "runtime/mem/flat.h"

/* What space_translate() answers besides 0. */
enum space_fault {
    SPACE_NOT_MAPPED = 1,
    SPACE_NOT_ALLOWED = 2,
    SPACE_PAST_FILE = 3, /* a mapped page behind the end of its file */
};

struct area {
    uint64_t start, end; /* multiples of the page size */
    int prot;            /* PROT_* */
    bool shared;         /* MAP_SHARED */
    bool backed;         /* by a file, or memory that other processes share */
    bool read_only_file; /* shared, from a file that is not open for writing */
    bool segment;        /* attached by shmat() */
    bool past_file;      /* no file content: SIGBUS */
    char *name;          /* for /proc/self/maps; NULL: anonymous */
    uint64_t offset;     /* in the file */
};

struct space {
    struct bus *bus;
    uint8_t *host;               /* of address 0 */
    uint64_t size;               /* addresses 0 .. size - 1 */
    uint64_t top;                /* where the first stack ends */
    uint64_t stack;              /* where it begins; its pages grow down for mprotect() */
    bool tagged;                 /* the top byte of data addresses is ignored */
    bool read_implies_exec;      /* what may be read from now on may be executed */
    struct reservation reserved; /* on the host, around `host` */
    bool flat;                   /* translated code may access `host` directly */
    VEC(struct area) areas;
    uint64_t brk_start, brk, brk_limit;
    uint64_t map_top;              /* mappings without an address are placed below */
    const struct cpu_group *group; /* whose CPUs translate here */
};

/* What an ABI says of its address space. */
struct space_shape {
    unsigned bits;      /* of addresses, at least 32 */
    uint64_t stack_top; /* 0: a page below the end */
    bool tagged;
    bool checked; /* no flat memory: translated code looks at every address */
};

/*
 * Makes an empty space on a bus of its own, which is freed later; smaller than it should be where
 * the host does not let it have so many addresses.
 */
bool space_init(struct space *s, struct bus *bus, const struct cpu_group *group,
                const struct space_shape *shape, struct error *err);
void space_free(struct space *s);

/* What struct cpu.flat_base is for the CPUs of the group; the space sets it to 0 should it have to
 * give up flat memory. */
static inline uintptr_t space_flat_base(const struct space *s)
{
    return s->flat ? (uintptr_t)s->host : 0;
}

/* A data address without the tag in its top byte, which Linux ignores in what is the user's half. */
static inline uint64_t space_untag(const struct space *s, uint64_t va)
{
    return !s->tagged || va >> 55 & 1 ? va : va & ((UINT64_C(1) << 56) - 1);
}

/* struct cpu_hooks.translate for a space. */
uint32_t space_translate(struct space *s, uint64_t va, uint32_t access, uint64_t *pa,
                         uint32_t *flags);

/*
 * The host address of [va, va + len), or NULL unless all of it is mapped for the access. `len` 0
 * gives a pointer that must not be used. Ask for write access before changing anything: decoded
 * code of the range is dropped.
 */
void *space_read(struct space *s, uint64_t va, uint64_t len);
void *space_write(struct space *s, uint64_t va, uint64_t len);
/* A string in guest memory; NULL when its end is not mapped. */
const char *space_string(struct space *s, uint64_t va);

/*
 * The system calls. Results are addresses, 0, or a negative errno. Flags and protections are
 * Linux's common ones. `name` is what /proc/self/maps shows (copied), or NULL.
 */
int64_t space_map(struct space *s, uint64_t va, uint64_t len, int prot, int flags, int fd,
                  uint64_t offset, const char *name);
int64_t space_unmap(struct space *s, uint64_t va, uint64_t len);
int64_t space_protect(struct space *s, uint64_t va, uint64_t len, int prot);
int64_t space_remap(struct space *s, uint64_t va, uint64_t old_len, uint64_t new_len, int flags,
                    uint64_t new_va);
int64_t space_advise(struct space *s, uint64_t va, uint64_t len, int advice);
/* shmat() of `bytes` bytes with its flags, and shmdt(). `va` 0: anywhere. */
int64_t space_attach(struct space *s, uint64_t va, uint64_t bytes, int flags, int id);
int64_t space_detach(struct space *s, uint64_t va);
uint64_t space_brk(struct space *s, uint64_t brk);

/* The area that holds the address, or NULL. */
const struct area *space_find(const struct space *s, uint64_t va);

/*
 * For signal handlers: the host found no memory behind a page, because a file that is mapped there
 * got shorter; the page becomes one of zeros. False: it is not a page of the guest.
 */
bool space_page_lost(struct space *s, const void *host);

/* Writes the text of /proc/self/maps. */
void space_print(const struct space *s, FILE *out);

#endif
