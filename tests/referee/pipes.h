/* Transfers of whole buffers over a pipe, for the test and for the referee's guest. */
#ifndef TESTS_REFEREE_PIPES_H
#define TESTS_REFEREE_PIPES_H

#include <stdbool.h>
#include <stddef.h>

/* Transfer exactly `size` bytes. Return false at the other side's end, and on errors. */
bool read_all(int fd, void *buffer, size_t size);
bool write_all(int fd, const void *buffer, size_t size);

#endif
