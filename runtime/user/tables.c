/* Converts numbers that differ between ABI and host: errnos, signals, flags, commands. */
#include "runtime/user/abi.h"
#include "runtime/user/user.h"

uint32_t number_to_host(enum user_table_kind kind, uint32_t guest)
{
    const struct user_table *t = &user_abi.tables[kind];

    for (unsigned n = 0; n < t->count; n++) {
        if (t->pair[n].guest == guest)
            return t->pair[n].host;
    }
    return guest;
}

uint32_t number_to_guest(enum user_table_kind kind, uint32_t host)
{
    const struct user_table *t = &user_abi.tables[kind];

    for (unsigned n = 0; n < t->count; n++) {
        if (t->pair[n].host == host)
            return t->pair[n].guest;
    }
    return host;
}

/* Converts the flags of all pairs. Other bits stay unchanged, unless they are the result of a pair:
 * such a bit would become another flag. */
static uint32_t convert_flags(const struct user_table *t, uint32_t value, bool to_host)
{
    uint32_t result = 0, known = 0;

    for (unsigned n = 0; n < t->count; n++) {
        uint32_t from = to_host ? t->pair[n].guest : t->pair[n].host;
        uint32_t to = to_host ? t->pair[n].host : t->pair[n].guest;

        if ((value & from) == from)
            result |= to;
        known |= from | to;
    }
    return result | (value & ~known);
}

uint32_t flags_to_host(enum user_table_kind kind, uint32_t guest)
{
    return convert_flags(&user_abi.tables[kind], guest, true);
}

uint32_t flags_to_guest(enum user_table_kind kind, uint32_t host)
{
    return convert_flags(&user_abi.tables[kind], host, false);
}

static uint64_t convert_signals(uint64_t set, bool to_host)
{
    const struct user_table *t = &user_abi.tables[USER_SIGNAL];
    uint64_t result = 0, known = 0;

    for (unsigned n = 0; n < t->count; n++) {
        int from = (int)(to_host ? t->pair[n].guest : t->pair[n].host);
        int to = (int)(to_host ? t->pair[n].host : t->pair[n].guest);

        if (set & signal_bit(from))
            result |= signal_bit(to);
        known |= signal_bit(from);
    }
    return result | (set & ~known);
}

uint64_t signals_to_host(uint64_t guest)
{
    return convert_signals(guest, true);
}

uint64_t signals_to_guest(uint64_t host)
{
    return convert_signals(host, false);
}

int status_to_guest(int status)
{
    enum { SIGNAL = 0x7f, STOPPED = 0x7f };
    unsigned low = (unsigned)status & SIGNAL, rest = (unsigned)status & ~(unsigned)SIGNAL;

    if (low == STOPPED)
        return (int)((unsigned)status & 0xff) |
               (int)number_to_guest(USER_SIGNAL, (unsigned)status >> 8 & 0xff) << 8;
    return low ? (int)(rest | number_to_guest(USER_SIGNAL, low)) : status;
}
