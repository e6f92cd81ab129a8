/* Converts flags of open(): those of asm-generic/fcntl.h, except four that an ABI may define. */
#include <fcntl.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi.h"

#define TMPFILE_BIT 020000000

static const struct {
    unsigned guest;
    int host;
} common[] = {
    {0100, O_CREAT},
    {0200, O_EXCL},
    {0400, O_NOCTTY},
    {01000, O_TRUNC},
    {02000, O_APPEND},
    {04000, O_NONBLOCK},
    {010000, O_DSYNC},
    {020000, O_ASYNC},
    {01000000, O_NOATIME},
    {02000000, O_CLOEXEC},
    {04010000, O_SYNC},
    {010000000, O_PATH},
    {TMPFILE_BIT, O_TMPFILE & ~O_DIRECTORY},
};

int open_flags_to_host(uint64_t guest)
{
    int host = (int)guest & O_ACCMODE;

    for (size_t n = 0; n < ARRAY_SIZE(common); n++) {
        if ((guest & common[n].guest) == common[n].guest)
            host |= common[n].host;
    }
    host |= guest & user_abi.open.directory ? O_DIRECTORY : 0;
    host |= guest & user_abi.open.nofollow ? O_NOFOLLOW : 0;
    host |= guest & user_abi.open.direct ? O_DIRECT : 0;
    return host;
}

uint64_t open_flags_to_guest(int host)
{
    uint64_t guest = (unsigned)host & O_ACCMODE;

    for (size_t n = 0; n < ARRAY_SIZE(common); n++) {
        if ((host & common[n].host) == common[n].host)
            guest |= common[n].guest;
    }
    guest |= host & O_DIRECTORY ? user_abi.open.directory : 0;
    guest |= host & O_NOFOLLOW ? user_abi.open.nofollow : 0;
    guest |= host & O_DIRECT ? user_abi.open.direct : 0;
    return guest | (host & O_PATH ? 0 : user_abi.open.largefile); /* 64-bit kernels set it */
}
