/*
 * Whole transfers over a pipe, for the test and for the referee's guest. False when the other side
 * is gone, errors included.
 */
#ifndef TESTS_REFEREE_PIPES_H
#define TESTS_REFEREE_PIPES_H

#include <stdbool.h>
#include <stddef.h>

bool read_all(int fd, void *buffer, size_t size);
bool write_all(int fd, const void *buffer, size_t size);

#endif
