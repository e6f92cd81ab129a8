/*
 * Structures of the kernel's interface, described once for all data models as a list of members.
 * The list gives the layout for words of 4 and of 8 bytes. Functions copy between the guest's and
 * the host's structure.
 */
#ifndef RUNTIME_USER_LAYOUT_H
#define RUNTIME_USER_LAYOUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kind of a member in the guest; members are aligned to their size unless the kind says
 * otherwise. */
enum layout_kind {
    LAYOUT_FIXED, /* `bytes` bytes, in every data model */
    LAYOUT_WORD,  /* a pointer or an unsigned long */
    LAYOUT_LONG,  /* a long */
    LAYOUT_TIME,  /* a long, or 8 bytes in calls with 64-bit times */
    LAYOUT_NANO,  /* as LAYOUT_TIME; a guest with 4-byte words may leave the high half undefined */
    LAYOUT_SET,   /* a signal set: 8 bytes, aligned as a word */
    LAYOUT_WIDE,  /* a number of 8 bytes, aligned as a word */
    LAYOUT_GAP,   /* `bytes` zero bytes, not aligned */
    LAYOUT_ALIGN, /* no bytes, aligns to a word */
};

struct layout_field {
    uint8_t kind, bytes;
    uint8_t host_bytes; /* size of one element of the host's member */
    uint8_t count;      /* elements, contiguous */
    uint16_t host;      /* offset in the host's structure */
};

struct layout {
    const struct layout_field *field;
    unsigned count;
    unsigned host_bytes; /* size of the host's structure */
};

/* Bytes of a guest's words, and of times in the current call: 4 or 8; and whether the bytes of its
 * numbers are in the other order than the host's. */
struct layout_widths {
    unsigned word, time;
    bool swap;
};

/* Structures that an ABI may have a layout of its own for. */
enum own_layout {
    OWN_STAT,
    OWN_ACTION,
    OWN_STACK,
    OWN_STATFS,
    OWN_FLOCK,
    OWN_FLOCK64,
    OWN_MSQID,
    OWN_SEMID,
    OWN_SHMID,
    LAYOUT_OWN,
};

/* Bytes of the guest's structure, which is also the stride of an array. */
unsigned layout_bytes(const struct layout *l, struct layout_widths w);
/* Copies one structure. Values are truncated to the guest's members; members that only one side has
 * become zero. */
void layout_to_guest(const struct layout *l, struct layout_widths w, void *guest, const void *host);
void layout_to_host(const struct layout *l, struct layout_widths w, const void *guest, void *host);

/* siginfo_t, whose members depend on the signal; it has 128 bytes in all ABIs. */
enum { SIGINFO_BYTES = 128 };
/* Converts a siginfo_t to the guest's layout, and back. */
void layout_put_siginfo(struct layout_widths w, void *guest, const siginfo_t *info);
siginfo_t layout_get_siginfo(struct layout_widths w, const void *guest);

/* The guest's struct sigaction; the handler is an address, or SIG_DFL, SIG_IGN. */
struct user_action {
    uint64_t handler, flags, restorer, mask;
};

/* The last argument of pselect6(): address and size of a mask. */
struct user_masked {
    uint64_t mask, bytes;
};

/* The kernel's struct sigevent. */
struct user_sigevent {
    uint64_t value;
    int32_t signal, notify, tid;
};

/* A layout without a comment is that of the host's structure of that name. */
extern const struct layout layout_timespec, layout_itimerspec, layout_timeval, layout_itimerval;
extern const struct layout layout_tms, layout_rusage, layout_rlimit, layout_sysinfo, layout_statfs;
extern const struct layout layout_iovec, layout_msghdr, layout_cmsghdr, layout_flock;
extern const struct layout layout_epoll_event;
extern const struct layout layout_shminfo, layout_shm_info;
extern const struct layout layout_mq_attr, layout_timex;
extern const struct layout layout_msqid, layout_semid, layout_shmid; /* msqid_ds … */
extern const struct layout layout_flock64;                           /* flock with 64-bit offsets */
extern const struct layout layout_stack;                             /* stack_t */
extern const struct layout layout_sigevent;                          /* user_sigevent */
extern const struct layout layout_masked;                            /* user_masked */
/* user_action with the members that most ABIs have, without sa_restorer */
extern const struct layout layout_action;
extern const struct layout layout_stat; /* struct stat of asm-generic */
/* The layout of a structure in the program's ABI. */
const struct layout *user_layout(enum own_layout which);

/* Converts a number in place from the host's to the guest's byte order, or back. */
void guest_order(void *number, unsigned bytes);
/* Converts an array of `count` numbers of `bytes` bytes each, as guest_order() does. */
void guest_order_all(void *numbers, unsigned bytes, size_t count);
/* A set of signals in the guest's memory, which has `bytes` (8 or more). */
void guest_put_set(void *to, uint64_t set, unsigned bytes);
uint64_t guest_get_set(const void *from, unsigned bytes);

#endif
