/* Kinds of records in a row's stream, and the first number of an access: see trace.h. */
#ifndef RUNTIME_TIMING_STREAM_H
#define RUNTIME_TIMING_STREAM_H

enum timing_record { RECORD_RUN, RECORD_MEMORY, RECORD_LANES, RECORD_AGAIN };
enum { BODY_BYTES = 4096, BODY_TIMES = 65535 }; /* bounds of repeated records: bytes, repetitions */
enum { ONE_BLOCK = 5, TOUCH_SHAPE_SHIFT = 3, TOUCH_OWN_LANES = 64, TOUCH_BYTES_SHIFT = 7 };

#endif
