/* Kinds of records of a warp's stream: trace.h. */
#ifndef RUNTIME_TIMING_STREAM_H
#define RUNTIME_TIMING_STREAM_H

enum timing_record { RECORD_RUN, RECORD_MEMORY, RECORD_LANES, RECORD_AGAIN };

#endif
