/*
 * The statement `table`: numbers of the kernel's interface, such as errno, whose values differ from
 * the host's.
 */
#include "gencc/abi/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>

/* Numbers of the kernel that C libraries leave out or define differently. */
enum {
    SA_RESTORER = 0x04000000,
    O_LARGEFILE_BIT = 0x80000000,
    TCGETS2_REQUEST = 0x802c542a,
};

struct number_name {
    const char *table, *name;
    uint32_t value;
    bool of_host;
};

#define NAME(table, name)         {#table, #name, (uint32_t)(name), false},
#define HOST(table, name)         {#table, #name, (uint32_t)(name), true},
#define VALUE(table, name, value) {#table, #name, (uint32_t)(value), false},
static const struct number_name all[] = {
#include "gencc/abi/names.inc"
};
#undef NAME
#undef HOST
#undef VALUE

enum { ALL = sizeof(all) / sizeof(*all) };

/* Tables: name in descriptions, member of enum user_table_kind, and what messages call a number. */
static const struct {
    const char *name, *member, *what;
} tables[] = {
    {"errno", "USER_ERRNO", "errno"},
    {"signal", "USER_SIGNAL", "signal"},
    {"open", "USER_OPEN", "flag of open()"},
    {"mmap", "USER_MAP", "flag of mmap()"},
    {"sigaction", "USER_ACTION", "flag of sigaction()"},
    {"sigprocmask", "USER_MASK", "use of sigprocmask()"},
    {"fcntl", "USER_FCNTL", "command of fcntl()"},
    {"socket", "USER_SOCKET", "type of sockets"},
    {"level", "USER_LEVEL", "level of options"},
    {"option", "USER_OPTION", "option of sockets"},
    {"ioctl", "USER_IOCTL", "request of ioctl()"},
    {"limit", "USER_LIMIT", "limit"},
    {"poll", "USER_POLL", "event of poll()"},
    {"input", "USER_INPUT", "flag of c_iflag"},
    {"local", "USER_LOCAL", "flag of c_lflag"},
    {"control", "USER_CONTROL", "index of c_cc"},
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

static const struct number_name *find_name(const char *table, const char *name)
{
    for (unsigned n = 0; n < ALL; n++)
        if (!strcmp(all[n].table, table) && !strcmp(all[n].name, name))
            return &all[n];
    return NULL;
}

static void report_name(struct words *w, const struct abi_word *name, const char *table,
                        const char *what)
{
    const char *known[ALL + 1];
    unsigned count = 0;

    for (unsigned n = 0; n < ALL; n++)
        if (!strcmp(all[n].table, table))
            known[count++] = all[n].name;
    known[count] = NULL;
    words_unknown(w, name, what, known);
}

int words_signal(struct words *w)
{
    const struct abi_word *name = words_name(w);
    const struct number_name *found = find_name("signal", name->text);

    if (!found)
        report_name(w, name, "signal", "signal");
    return found ? (int)found->value : 0;
}

struct reading {
    unsigned table, count;
};

static void read_pair(struct words *w, void *opaque)
{
    struct reading *r = opaque;
    const char *table = tables[r->table].name;
    const struct abi_word *name = words_name(w);
    const struct number_name *found = find_name(table, name->text);

    if (!found)
        report_name(w, name, table, tables[r->table].what);
    words_expect(w, "=");
    if (found && found->of_host)
        fprintf(w->abi->arrays, "    {%s, ", name->text);
    else
        fprintf(w->abi->arrays, "    {/* %s */ %#x, ", name->text, found ? found->value : 0);
    fprintf(w->abi->arrays, "%#" PRIx64 "},\n", (uint64_t)words_number(w, 0, UINT32_MAX));
    words_finish(w, false);
    r->count++;
}

void read_table(struct words *w)
{
    const struct abi_word *name = words_name(w);
    const char *known[TABLES + 1] = {NULL};
    struct reading r = {.table = TABLES};

    for (unsigned n = 0; n < TABLES; n++) {
        known[n] = tables[n].name;
        if (!strcmp(tables[n].name, name->text))
            r.table = n;
    }
    if (r.table == TABLES) {
        words_unknown(w, name, "table", known);
        return;
    }
    fprintf(w->abi->arrays, "static const struct user_pair table_%s[] = {\n", name->text);
    words_block(w, read_pair, &r);
    fputs("    {0},\n};\n\n", w->abi->arrays);
    fprintf(w->abi->members, "    .tables[%s] = {%u, table_%s},\n", tables[r.table].member, r.count,
            name->text);
}
