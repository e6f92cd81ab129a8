/* Values of command line options: numbers, sizes, times, and comma-separated key=value lists. */
#ifndef RUNTIME_BASE_VALUES_H
#define RUNTIME_BASE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

/* A number in C notation between min and max, both included; the error names `what`. */
bool value_number(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                  struct error *err);

/* A size in bytes with an optional suffix K, M or G; without one, in units of `unit` bytes. */
bool value_size(const char *text, const char *what, uint64_t unit, uint64_t *out,
                struct error *err);

/* "on" or "yes" or NULL: true; "off" or "no": false. */
bool value_switch(const char *text, const char *what, bool *out, struct error *err);

/*
 * Splits the next `key=value` or `value` off a list such as "file=a,,b,format=raw", where ",,"
 * stands for a comma inside a value. *key is NULL for a bare word. False at the end of the list.
 * The list is modified, and the strings point into it.
 */
bool value_next(char **list, char **key, char **value);

/* "utc", "localtime", "@SECONDS", or a date YYYY-MM-DD[THH:MM[:SS]] in UTC: seconds since 1970. */
bool value_date(const char *text, uint64_t *out, struct error *err);

#endif
