/*
 * Structures of the kernel's interface, described once for all data models: a list of members in
 * order, from which follows how a guest with words of 4 or of 8 bytes lays them out, and copying
 * between that and the host's structure.
 */
#ifndef RUNTIME_USER_LAYOUT_H
#define RUNTIME_USER_LAYOUT_H

#include <signal.h>
#include <stdint.h>

/* What a member is to the guest; most are aligned to their size. */
enum layout_kind {
    LAYOUT_FIXED, /* `bytes` of them, in every data model */
    LAYOUT_WORD,  /* a pointer or an unsigned long */
    LAYOUT_LONG,  /* a long */
    LAYOUT_TIME,  /* a long, or 8 bytes in calls with 64-bit times */
    LAYOUT_NANO, /* the same; of 8 bytes a guest with shorter words need not fill more than a word */
    LAYOUT_SET,  /* a signal set: 8 bytes, aligned as a word */
    LAYOUT_GAP,  /* `bytes` that are zero, not aligned */
    LAYOUT_ALIGN, /* nothing, aligned as a word */
};

struct layout_field {
    uint8_t kind, bytes;
    uint8_t host_bytes; /* of one element of the host's member */
    uint8_t count;      /* of elements, side by side */
    uint16_t host;      /* offset in the host's structure */
};

struct layout {
    const struct layout_field *field;
    unsigned count;
    unsigned host_bytes; /* of the host's structure */
};

/* How wide a guest's words are, and in the present call its times: 4 or 8. */
struct layout_widths {
    unsigned word, time;
};

/* Bytes of the guest's structure, which are those from one to the next in an array. */
unsigned layout_bytes(const struct layout *l, struct layout_widths w);
/* Copies one structure. What the guest's cannot hold is cut off; members that only one side has
 * become zero. */
void layout_to_guest(const struct layout *l, struct layout_widths w, void *guest, const void *host);
void layout_to_host(const struct layout *l, struct layout_widths w, const void *guest, void *host);

/* siginfo_t, whose members depend on the signal: it has 128 bytes everywhere. */
enum { SIGINFO_BYTES = 128 };
void layout_put_siginfo(struct layout_widths w, void *guest, const siginfo_t *info);
siginfo_t layout_get_siginfo(struct layout_widths w, const void *guest);

/* The guest's struct sigaction; the handler is an address, or SIG_DFL, SIG_IGN. */
struct user_action {
    uint64_t handler, flags, restorer, mask;
};

/* The last argument of pselect6(): the address of a mask, and its bytes. */
struct user_masked {
    uint64_t mask, bytes;
};

/* struct sigevent as the kernel has it. */
struct user_sigevent {
    uint64_t value;
    int32_t signal, notify, tid;
};

/* Those without a comment are the host's structure of that name. */
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
/* user_action, on ABIs with and without sa_restorer */
extern const struct layout layout_action_restorer, layout_action;
/* stat: of asm-generic, and stat64 of 32-bit Arm */
extern const struct layout layout_stat, layout_stat64_arm;

#endif
