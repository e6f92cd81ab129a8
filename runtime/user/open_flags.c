/* Converts flags of open(): those of asm-generic/fcntl.h, unless the ABI has a table of its own. */
#include <fcntl.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi.h"

/* O_LARGEFILE is 0 in the host's headers: the kernel sets it for 64-bit programs. */
#define LARGE_FILE 0x80000000u

static const struct user_pair generic[] = {
    {O_CREAT, 0100},        {O_EXCL, 0200},        {O_NOCTTY, 0400},       {O_TRUNC, 01000},
    {O_APPEND, 02000},      {O_NONBLOCK, 04000},   {O_DSYNC, 010000},      {O_ASYNC, 020000},
    {O_DIRECT, 040000},     {LARGE_FILE, 0100000}, {O_DIRECTORY, 0200000}, {O_NOFOLLOW, 0400000},
    {O_NOATIME, 01000000},  {O_CLOEXEC, 02000000}, {O_SYNC, 04010000},     {O_PATH, 010000000},
    {O_TMPFILE, 020200000},
};

static struct user_table flag_table(void)
{
    if (user_abi.tables[USER_OPEN].count)
        return user_abi.tables[USER_OPEN];
    return (struct user_table){ARRAY_SIZE(generic), generic};
}

int open_flags_to_host(uint64_t guest)
{
    const struct user_table t = flag_table();
    uint32_t host = (uint32_t)guest & O_ACCMODE;

    for (unsigned n = 0; n < t.count; n++) {
        if ((guest & t.pair[n].guest) == t.pair[n].guest)
            host |= t.pair[n].host;
    }
    return (int)(host & ~LARGE_FILE);
}

uint64_t open_flags_to_guest(int host)
{
    const struct user_table t = flag_table();
    uint32_t guest = (uint32_t)host & O_ACCMODE;
    uint32_t all = (uint32_t)host | (host & O_PATH ? 0 : LARGE_FILE); /* 64-bit kernels set it */

    for (unsigned n = 0; n < t.count; n++) {
        if ((all & t.pair[n].host) == t.pair[n].host)
            guest |= t.pair[n].guest;
    }
    return guest;
}
