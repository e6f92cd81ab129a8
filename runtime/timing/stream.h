/* Kinds of records of a row's stream, and the bit of an access that has lanes of its own: trace.h. */
#ifndef RUNTIME_TIMING_STREAM_H
#define RUNTIME_TIMING_STREAM_H

enum timing_record { RECORD_RUN, RECORD_MEMORY, RECORD_LANES, RECORD_AGAIN };
enum { TOUCH_OWN_LANES = 32 };

#endif
