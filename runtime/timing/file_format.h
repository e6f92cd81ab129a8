/* What the writer and the reader of trace files agree on. Numbers outside of jobs are little-endian. */
#ifndef RUNTIME_TIMING_FILE_FORMAT_H
#define RUNTIME_TIMING_FILE_FORMAT_H

#include <stdint.h>

#define TIMING_FILE_MAGIC "genccTIM" /* the file begins with it */
#define TIMING_FILE_END   "TIMindex" /* and ends with it */

#define FILE_RAW_MAX (UINT64_C(1) << 32) /* a job, uncompressed */

/* All jobs together, uncompressed: no more than this, and so many times the file's bytes. */
#define FILE_RAW_FREE  (UINT64_C(16) << 20)
#define FILE_RAW_RATIO UINT64_C(256)

enum {
    TIMING_FILE_VERSION = 3,
    TIMING_FILE_OLDEST = 2, /* it has no records that happen again, and is read as well */
    FILE_GPU_BYTES = 32,
    FILE_HEAD_BYTES = 8 + 8 + FILE_GPU_BYTES, /* magic, version, GPU */
    FILE_ENTRY_BYTES = 5 * 8,                 /* struct timing_file_entry */
    FILE_TAIL_BYTES = 8 + 8 + 8,              /* where the index is, how many jobs, end */
    FILE_ZSTD_LEVEL = 3,
};

#endif
