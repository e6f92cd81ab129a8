/* Whole ranges of the host's files. */
#ifndef RUNTIME_BASE_HOST_FILE_H
#define RUNTIME_BASE_HOST_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads `len` bytes at `at`; what is behind the end of the file is 0. false: the host refuses. */
bool host_read_at(int fd, uint8_t *to, uint64_t len, uint64_t at);

/* Writes them. false: the host refuses; a part may be written. */
bool host_write_at(int fd, const uint8_t *from, uint64_t len, uint64_t at);

#endif
