/* Constants of the format of trace files. Numbers outside of jobs are little-endian. */
#ifndef RUNTIME_TIMING_FILE_FORMAT_H
#define RUNTIME_TIMING_FILE_FORMAT_H

#include <stdint.h>

#define TIMING_FILE_MAGIC "genccTIM" /* first bytes of the file */
#define TIMING_FILE_END   "TIMindex" /* last bytes of the file */

#define FILE_RAW_MAX (UINT64_C(1) << 32) /* uncompressed size of a job */

/* Bounds of the uncompressed size of all jobs: FILE_RAW_FREE plus FILE_RAW_RATIO times the file's
 * size. */
#define FILE_RAW_FREE  (UINT64_C(16) << 20)
#define FILE_RAW_RATIO UINT64_C(256)

enum {
    TIMING_FILE_VERSION = 3,
    TIMING_FILE_OLDEST = 2, /* version without repeated records; it can be read as well */
    FILE_GPU_BYTES = 32,
    FILE_HEAD_BYTES = 8 + 8 + FILE_GPU_BYTES, /* magic, version, GPU */
    FILE_ENTRY_BYTES = 5 * 8,                 /* struct timing_file_entry */
    FILE_TAIL_BYTES = 8 + 8 + 8,              /* offset of the index, number of jobs, end mark */
    FILE_ZSTD_LEVEL = 3,
};

#endif
