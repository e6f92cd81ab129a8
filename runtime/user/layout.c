/*
 * Members of the structures of the kernel's interface, and copying between guest and host.
 *
 * Sources: Linux include/uapi/asm-generic, include/uapi/linux.
 */
#include "runtime/user/layout.h"

#include <fcntl.h>
#include <mqueue.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi.h"

/* ---- the structures -------------------------------------------------------------------------- */

/* Members of HOST, the host's structure. */
#define MEMBERS(kind, bytes, n, m)                                      \
    {                                                                   \
        kind, bytes, sizeof(((HOST *)0)->m) / (n), n, offsetof(HOST, m) \
    }
#define FIXED(bytes, m)     MEMBERS(LAYOUT_FIXED, bytes, 1, m)
#define FIXEDS(bytes, n, m) MEMBERS(LAYOUT_FIXED, bytes, n, m)
#define WORD(m)             MEMBERS(LAYOUT_WORD, 0, 1, m)
#define WORDS(n, m)         MEMBERS(LAYOUT_WORD, 0, n, m)
#define LONG(m)             MEMBERS(LAYOUT_LONG, 0, 1, m)
#define TIME(m)             MEMBERS(LAYOUT_TIME, 0, 1, m)
#define NANO(m)             MEMBERS(LAYOUT_NANO, 0, 1, m)
#define SET(m)              MEMBERS(LAYOUT_SET, 8, 1, m)
#define WIDE(m)             MEMBERS(LAYOUT_WIDE, 8, 1, m)
#define GAP(bytes)                 \
    {                              \
        LAYOUT_GAP, bytes, 0, 0, 0 \
    }
#define ALIGN                    \
    {                            \
        LAYOUT_ALIGN, 0, 0, 0, 0 \
    }

#define LOCAL_LAYOUT(name, ...) static LAYOUT(name, __VA_ARGS__)
#define LAYOUT(name, ...)                                                                     \
    const struct layout layout_##name = {(const struct layout_field[]){__VA_ARGS__},          \
                                         sizeof((const struct layout_field[]){__VA_ARGS__}) / \
                                             sizeof(struct layout_field),                     \
                                         sizeof(HOST)}

#define HOST struct timespec
LAYOUT(timespec, TIME(tv_sec), NANO(tv_nsec));
#undef HOST
#define HOST struct itimerspec
LAYOUT(itimerspec, TIME(it_interval.tv_sec), NANO(it_interval.tv_nsec), TIME(it_value.tv_sec),
       NANO(it_value.tv_nsec));
#undef HOST
#define HOST struct timeval
LAYOUT(timeval, LONG(tv_sec), LONG(tv_usec));
#undef HOST
#define HOST struct itimerval
LAYOUT(itimerval, LONG(it_interval.tv_sec), LONG(it_interval.tv_usec), LONG(it_value.tv_sec),
       LONG(it_value.tv_usec));
#undef HOST
#define HOST struct tms
LAYOUT(tms, LONG(tms_utime), LONG(tms_stime), LONG(tms_cutime), LONG(tms_cstime));
#undef HOST
#define HOST struct rusage
LAYOUT(rusage, LONG(ru_utime.tv_sec), LONG(ru_utime.tv_usec), LONG(ru_stime.tv_sec),
       LONG(ru_stime.tv_usec), LONG(ru_maxrss), LONG(ru_ixrss), LONG(ru_idrss), LONG(ru_isrss),
       LONG(ru_minflt), LONG(ru_majflt), LONG(ru_nswap), LONG(ru_inblock), LONG(ru_oublock),
       LONG(ru_msgsnd), LONG(ru_msgrcv), LONG(ru_nsignals), LONG(ru_nvcsw), LONG(ru_nivcsw));
#undef HOST
#define HOST struct rlimit64
LAYOUT(rlimit, WORD(rlim_cur), WORD(rlim_max));
#undef HOST
#define HOST struct sysinfo
LAYOUT(sysinfo, LONG(uptime), WORDS(3, loads), WORD(totalram), WORD(freeram), WORD(sharedram),
       WORD(bufferram), WORD(totalswap), WORD(freeswap), FIXED(2, procs), FIXED(2, pad),
       WORD(totalhigh), WORD(freehigh), FIXED(4, mem_unit));
#undef HOST
#define HOST struct statfs
LAYOUT(statfs, WORD(f_type), WORD(f_bsize), FIXED(8, f_blocks), FIXED(8, f_bfree),
       FIXED(8, f_bavail), FIXED(8, f_files), FIXED(8, f_ffree), FIXEDS(4, 2, f_fsid),
       WORD(f_namelen), WORD(f_frsize), WORD(f_flags), WORDS(4, f_spare));
#undef HOST
#define HOST struct iovec
LAYOUT(iovec, WORD(iov_base), WORD(iov_len));
#undef HOST
#define HOST struct msghdr
LAYOUT(msghdr, WORD(msg_name), FIXED(4, msg_namelen), WORD(msg_iov), WORD(msg_iovlen),
       WORD(msg_control), WORD(msg_controllen), FIXED(4, msg_flags));
#undef HOST
#define HOST struct cmsghdr
LAYOUT(cmsghdr, WORD(cmsg_len), FIXED(4, cmsg_level), FIXED(4, cmsg_type));
#undef HOST
#define HOST struct flock
LAYOUT(flock, FIXED(2, l_type), FIXED(2, l_whence), LONG(l_start), LONG(l_len), FIXED(4, l_pid));
LAYOUT(flock64, FIXED(2, l_type), FIXED(2, l_whence), FIXED(8, l_start), FIXED(8, l_len),
       FIXED(4, l_pid));
#undef HOST
#define HOST struct mq_attr
LAYOUT(mq_attr, LONG(mq_flags), LONG(mq_maxmsg), LONG(mq_msgsize), LONG(mq_curmsgs),
       MEMBERS(LAYOUT_LONG, 0, 4, __pad));
#undef HOST
#define HOST struct timex
LAYOUT(timex, FIXED(4, modes), TIME(offset), TIME(freq), TIME(maxerror), TIME(esterror),
       FIXED(4, status), TIME(constant), TIME(precision), TIME(tolerance), TIME(time.tv_sec),
       TIME(time.tv_usec), TIME(tick), TIME(ppsfreq), TIME(jitter), FIXED(4, shift), TIME(stabil),
       TIME(jitcnt), TIME(calcnt), TIME(errcnt), TIME(stbcnt), FIXED(4, tai), GAP(44));
#undef HOST
#define HOST struct epoll_event
LAYOUT(epoll_event, FIXED(4, events), FIXED(8, data));
#undef HOST
#define HOST stack_t
LAYOUT(stack, WORD(ss_sp), FIXED(4, ss_flags), WORD(ss_size));
#undef HOST
#define HOST struct user_sigevent
LAYOUT(sigevent, WORD(value), FIXED(4, signal), FIXED(4, notify), FIXED(4, tid));
#undef HOST
#define HOST struct user_masked
LAYOUT(masked, WORD(mask), WORD(bytes));
#undef HOST
#define HOST struct user_action
LAYOUT(action, WORD(handler), WORD(flags), SET(mask));
#undef HOST

/* Times have 64 bits; where words have 32 bits, they are two halves. */
#define IPC_PERM(m)                                                                          \
    FIXED(4, m.__key), FIXED(4, m.uid), FIXED(4, m.gid), FIXED(4, m.cuid), FIXED(4, m.cgid), \
        FIXED(4, m.mode), FIXED(2, m.__seq), GAP(2), WORD(m.__glibc_reserved1),              \
        WORD(m.__glibc_reserved2)
#define HOST struct msqid_ds
LAYOUT(msqid, IPC_PERM(msg_perm), WIDE(msg_stime), WIDE(msg_rtime), WIDE(msg_ctime),
       WORD(__msg_cbytes), WORD(msg_qnum), WORD(msg_qbytes), FIXED(4, msg_lspid),
       FIXED(4, msg_lrpid), WORD(__glibc_reserved4), WORD(__glibc_reserved5));
#undef HOST
#define HOST struct semid_ds
LAYOUT(semid, IPC_PERM(sem_perm), WIDE(sem_otime), WIDE(sem_ctime), WORD(sem_nsems),
       WORD(__glibc_reserved3), WORD(__glibc_reserved4));
#undef HOST
#define HOST struct shmid_ds
LAYOUT(shmid, IPC_PERM(shm_perm), WORD(shm_segsz), WIDE(shm_atime), WIDE(shm_dtime),
       WIDE(shm_ctime), FIXED(4, shm_cpid), FIXED(4, shm_lpid), WORD(shm_nattch),
       WORD(__glibc_reserved5), WORD(__glibc_reserved6));
#undef HOST
#define HOST struct shminfo
LAYOUT(shminfo, WORD(shmmax), WORD(shmmin), WORD(shmmni), WORD(shmseg), WORD(shmall),
       WORD(__glibc_reserved1), WORD(__glibc_reserved2), WORD(__glibc_reserved3),
       WORD(__glibc_reserved4));
#undef HOST
#define HOST struct shm_info
LAYOUT(shm_info, FIXED(4, used_ids), WORD(shm_tot), WORD(shm_rss), WORD(shm_swp),
       WORD(swap_attempts), WORD(swap_successes));
#undef HOST

#define HOST struct stat
LAYOUT(stat, WORD(st_dev), WORD(st_ino), FIXED(4, st_mode), FIXED(4, st_nlink), FIXED(4, st_uid),
       FIXED(4, st_gid), WORD(st_rdev), GAP(8), LONG(st_size), FIXED(4, st_blksize), GAP(4),
       LONG(st_blocks), LONG(st_atim.tv_sec), LONG(st_atim.tv_nsec), LONG(st_mtim.tv_sec),
       LONG(st_mtim.tv_nsec), LONG(st_ctim.tv_sec), LONG(st_ctim.tv_nsec), GAP(8));
#undef HOST

/* ---- copying --------------------------------------------------------------------------------- */

static bool is_signed(const struct layout_field *f)
{
    return f->kind == LAYOUT_LONG || f->kind == LAYOUT_TIME || f->kind == LAYOUT_NANO;
}

/* Returns the bytes of one element, and sets *align. */
static unsigned element_bytes(const struct layout_field *f, struct layout_widths w, unsigned *align)
{
    unsigned bytes = f->bytes;

    if (f->kind == LAYOUT_WORD || f->kind == LAYOUT_LONG)
        bytes = w.word;
    else if (f->kind == LAYOUT_TIME || f->kind == LAYOUT_NANO)
        bytes = w.time;
    *align = bytes;
    if (f->kind == LAYOUT_GAP)
        *align = 1;
    else if (f->kind == LAYOUT_SET || f->kind == LAYOUT_WIDE || f->kind == LAYOUT_ALIGN)
        *align = w.word;
    return bytes;
}

unsigned layout_bytes(const struct layout *l, struct layout_widths w)
{
    unsigned at = 0, most = 1, align;

    for (unsigned n = 0; n < l->count; n++) {
        const struct layout_field *f = &l->field[n];
        unsigned bytes = element_bytes(f, w, &align);

        at = (unsigned)align_up(at, align) + bytes * (f->count ? f->count : 1);
        most = align > most ? align : most;
    }
    return (unsigned)align_up(at, most);
}

/* The bytes in the other order, if `swap` says so. */
static void swap_if(void *number, unsigned bytes, bool swap)
{
    uint8_t *byte = number;

    for (unsigned n = 0; swap && n < bytes / 2; n++) {
        uint8_t kept = byte[n];

        byte[n] = byte[bytes - 1 - n];
        byte[bytes - 1 - n] = kept;
    }
}

/* A set's words are in ascending order. */
static void order_words(void *number, unsigned bytes, struct layout_widths w)
{
    for (unsigned at = 0; at < bytes; at += w.word)
        swap_if((uint8_t *)number + at, w.word, w.swap);
}

static uint64_t get_element(const uint8_t *from, unsigned bytes, bool is_long, bool swap)
{
    uint64_t value = 0;

    memcpy(&value, from, bytes);
    swap_if(&value, bytes, swap);
    return is_long && bytes == 4 ? (uint64_t)(int32_t)value : value;
}

/* Copies a member's elements to the guest, or from the guest. `bytes`: of one of the guest's. */
static void copy_member(const struct layout_field *f, struct layout_widths w, unsigned bytes,
                        uint8_t *guest, uint8_t *host, bool to_guest)
{
    unsigned read = f->kind == LAYOUT_NANO ? w.word : bytes;
    uint64_t value;

    if (!w.swap && bytes == f->host_bytes && bytes == read) {
        memcpy(to_guest ? guest : host, to_guest ? host : guest, (size_t)bytes * f->count);
        return;
    }
    for (unsigned k = 0; k < f->count; k++) {
        uint8_t *g = guest + k * bytes, *h = host + k * f->host_bytes;

        if (f->kind == LAYOUT_NANO && w.swap && !to_guest)
            g += bytes - read; /* the low half is behind */
        value = to_guest ? get_element(h, f->host_bytes, is_signed(f), false)
                         : get_element(g, read, is_signed(f), w.swap && f->kind != LAYOUT_SET);
        if (!to_guest && f->kind == LAYOUT_SET)
            order_words(&value, bytes, w);
        if (to_guest && f->kind == LAYOUT_SET)
            order_words(&value, bytes, w);
        else
            swap_if(&value, bytes, w.swap && to_guest);
        memcpy(to_guest ? g : h, &value, to_guest ? bytes : f->host_bytes);
    }
}

/* Copies every element to the guest, or from the guest. */
static void copy_all(const struct layout *l, struct layout_widths w, uint8_t *guest, uint8_t *host,
                     bool to_guest)
{
    unsigned at = 0, align;

    for (unsigned n = 0; n < l->count; n++) {
        const struct layout_field *f = &l->field[n];
        unsigned bytes = element_bytes(f, w, &align);

        at = (unsigned)align_up(at, align);
        copy_member(f, w, bytes, guest + at, host + f->host, to_guest);
        at += bytes * (f->count ? f->count : 1);
    }
}

void layout_to_guest(const struct layout *l, struct layout_widths w, void *guest, const void *host)
{
    memset(guest, 0, layout_bytes(l, w));
    copy_all(l, w, guest, (uint8_t *)(uintptr_t)host, true);
}

void layout_to_host(const struct layout *l, struct layout_widths w, const void *guest, void *host)
{
    memset(host, 0, l->host_bytes);
    copy_all(l, w, (uint8_t *)(uintptr_t)guest, host, false);
}

/* ---- what an ABI has of its own -------------------------------------------------------------- */

const struct layout *user_layout(enum own_layout which)
{
    static const struct layout *const common[LAYOUT_OWN] = {
        [OWN_STAT] = &layout_stat,   [OWN_ACTION] = &layout_action,
        [OWN_STACK] = &layout_stack, [OWN_STATFS] = &layout_statfs,
        [OWN_FLOCK] = &layout_flock, [OWN_FLOCK64] = &layout_flock64,
        [OWN_MSQID] = &layout_msqid, [OWN_SEMID] = &layout_semid,
        [OWN_SHMID] = &layout_shmid,
    };

    return user_abi.layouts[which] ? user_abi.layouts[which] : common[which];
}

void guest_order(void *number, unsigned bytes)
{
    swap_if(number, bytes, user_abi.big_endian);
}

void guest_order_all(void *numbers, unsigned bytes, size_t count)
{
    for (size_t n = 0; user_abi.big_endian && n < count; n++)
        swap_if((uint8_t *)numbers + n * bytes, bytes, true);
}

/* The words of a set are in ascending order, whatever the order of their bytes. */
void guest_put_set(void *to, uint64_t set, unsigned bytes)
{
    unsigned word = user_abi.word_bytes;
    uint64_t guest = signals_to_guest(set);

    memset(to, 0, bytes);
    for (unsigned at = 0; at < sizeof(set); at += word) {
        uint64_t part = guest >> 8 * at;

        guest_order(&part, word);
        memcpy((uint8_t *)to + at, &part, word);
    }
}

uint64_t guest_get_set(const void *from, unsigned bytes)
{
    unsigned word = user_abi.word_bytes;
    uint64_t guest = 0;

    for (unsigned at = 0; at < sizeof(guest) && at < bytes; at += word) {
        uint64_t part = 0;

        memcpy(&part, (const uint8_t *)from + at, word);
        guest_order(&part, word);
        guest |= part << 8 * at;
    }
    return signals_to_host(guest);
}

/* ---- siginfo --------------------------------------------------------------------------------- */

#define HOST siginfo_t
/* The members of every signal; a union with words follows. */
#define HEAD FIXED(4, si_signo), FIXED(4, si_errno), FIXED(4, si_code), ALIGN
LOCAL_LAYOUT(si_kill, HEAD, FIXED(4, si_pid), FIXED(4, si_uid));
LOCAL_LAYOUT(si_timer, HEAD, FIXED(4, si_timerid), FIXED(4, si_overrun), WORD(si_value));
LOCAL_LAYOUT(si_rt, HEAD, FIXED(4, si_pid), FIXED(4, si_uid), WORD(si_value));
LOCAL_LAYOUT(si_child, HEAD, FIXED(4, si_pid), FIXED(4, si_uid), FIXED(4, si_status),
             LONG(si_utime), LONG(si_stime));
LOCAL_LAYOUT(si_fault, HEAD, WORD(si_addr));
LOCAL_LAYOUT(si_poll, HEAD, LONG(si_band), FIXED(4, si_fd));
#undef HOST

/* The layout of a signal's members, as Linux's siginfo_layout(). */
static const struct layout *siginfo_layout(int signal, int code)
{
    if (code == SI_USER || code == SI_TKILL || code == SI_KERNEL)
        return &layout_si_kill;
    if (code == SI_TIMER)
        return &layout_si_timer;
    if (code < 0)
        return &layout_si_rt;
    switch (signal) {
    case SIGILL:
    case SIGTRAP:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
        return &layout_si_fault;
    case SIGCHLD:
        return &layout_si_child;
    case SIGPOLL:
        return &layout_si_poll;
    default:
        return &layout_si_kill;
    }
}

/* Exchanges si_errno and si_code where the ABI has them in the other order. */
static void order_head(void *guest)
{
    uint32_t *word = guest, kept = word[1];

    if (!user_abi.code_first)
        return;
    word[1] = word[2];
    word[2] = kept;
}

void layout_put_siginfo(struct layout_widths w, void *guest, const siginfo_t *info)
{
    siginfo_t own = *info;

    memset(guest, 0, SIGINFO_BYTES);
    own.si_signo = (int)number_to_guest(USER_SIGNAL, (uint32_t)info->si_signo);
    if (info->si_signo == SIGCHLD && info->si_code != CLD_EXITED && info->si_code > 0)
        own.si_status = (int)number_to_guest(USER_SIGNAL, (uint32_t)info->si_status);
    layout_to_guest(siginfo_layout(info->si_signo, info->si_code), w, guest, &own);
    order_head(guest);
}

siginfo_t layout_get_siginfo(struct layout_widths w, const void *guest)
{
    uint8_t head[SIGINFO_BYTES];
    siginfo_t info;
    int signal;

    memcpy(head, guest, sizeof(head));
    order_head(head);
    layout_to_host(&layout_si_kill, w, head, &info);
    signal = (int)number_to_host(USER_SIGNAL, (uint32_t)info.si_signo);
    layout_to_host(siginfo_layout(signal, info.si_code), w, head, &info);
    info.si_signo = signal;
    return info;
}
