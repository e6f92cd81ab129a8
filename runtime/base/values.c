/* Reading values of command line options. */
#include "runtime/base/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool parse_u64(const char *text, const char **end, uint64_t *out)
{
    char *stop;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &stop, 0);
    *end = stop;
    return !errno;
}

bool value_number(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                  struct error *err)
{
    const char *end;

    if (!parse_u64(text, &end, out) || *end || *out < min || *out > max)
        return error_set(err, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", what,
                         min, max, text);
    return true;
}

bool value_size(const char *text, const char *what, uint64_t unit, uint64_t *out, struct error *err)
{
    const char *end;

    if (!parse_u64(text, &end, out))
        return error_set(err, "%s takes a size such as 512M or 2G, not '%s'", what, text);
    switch (*end) {
    case 'k':
    case 'K':
        unit = UINT64_C(1) << 10;
        end++;
        break;
    case 'm':
    case 'M':
        unit = UINT64_C(1) << 20;
        end++;
        break;
    case 'g':
    case 'G':
        unit = UINT64_C(1) << 30;
        end++;
        break;
    }
    if (*end || __builtin_mul_overflow(*out, unit, out))
        return error_set(err, "%s takes a size such as 512M or 2G, not '%s'", what, text);
    return true;
}

bool value_switch(const char *text, const char *what, bool *out, struct error *err)
{
    *out = !text || !strcmp(text, "on") || !strcmp(text, "yes");
    if (*out || !strcmp(text, "off") || !strcmp(text, "no"))
        return true;
    return error_set(err, "%s is 'on' or 'off', not '%s'", what, text);
}

bool value_next(char **list, char **key, char **value)
{
    char *from = *list, *to = *list;

    if (!*from)
        return false;
    *key = NULL;
    *value = to;
    for (; *from && (*from != ',' || from[1] == ','); from++) {
        if (*from == ',')
            from++;
        if (*from == '=' && !*key) {
            *key = *value;
            *to++ = 0;
            *value = to;
        } else {
            *to++ = *from;
        }
    }
    *list = *from ? from + 1 : from;
    *to = 0;
    return true;
}

bool value_date(const char *text, uint64_t *out, struct error *err)
{
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};
    const char *end;

    if (!strcmp(text, "utc")) {
        *out = (uint64_t)time(NULL);
        return true;
    }
    if (!strcmp(text, "localtime")) {
        time_t now = time(NULL);
        struct tm local;

        localtime_r(&now, &local);
        *out = (uint64_t)(now + local.tm_gmtoff);
        return true;
    }
    if (*text == '@' && parse_u64(text + 1, &end, out) && !*end)
        return true;
    for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct tm tm = {0};

        end = strptime(text, formats[i], &tm);
        if (end && !*end) {
            *out = (uint64_t)timegm(&tm);
            return true;
        }
    }
    return error_set(
        err, "-rtc base= takes utc, localtime, @SECONDS or YYYY-MM-DD[THH:MM:SS], not '%s'", text);
}
