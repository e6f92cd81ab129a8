/*
 * Errors are values: a function that can fail returns false or NULL and leaves one clear sentence
 * in the caller's struct error.
 */
#ifndef RUNTIME_BASE_ERROR_H
#define RUNTIME_BASE_ERROR_H

#include <stdbool.h>

struct error {
    char text[256]; /* a sentence without a newline; empty: nothing failed */
};

/*
 * Writes a printf-style message into `err`, truncated to the buffer. `err` may be NULL when the
 * caller does not need the text. Always returns false, so that `return error_set(err, ...);` reads
 * naturally in functions that return bool; use error_null() in those that return pointers.
 */
bool error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As error_set(), returning NULL. */
void *error_null(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts a printf-style prefix in front of the message that is already there ("FILE: "). */
void error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
