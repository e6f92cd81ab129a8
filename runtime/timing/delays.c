/* Delays of a CPU's accesses by caches and memory, with prefetched streams. */
#include "runtime/timing/delays.h"

/* Whether the line continues a stream of misses, which is advanced; a line that does not begins a
 * new stream. */
static bool advance_stream(struct timing_delays *d, uint64_t line)
{
    unsigned i = 0;
    bool ahead;

    while (i < TIMING_STREAMS && d->next[i] != line)
        i++;
    ahead = i < TIMING_STREAMS;
    if (!ahead) {
        i = d->oldest;
        d->oldest = (i + 1) % TIMING_STREAMS;
    }
    d->next[i] = line + 1;
    return ahead;
}

static uint64_t line_latency(struct timing_delays *d, uint64_t line)
{
    bool ahead = advance_stream(d, line);

    if (d->shared && timing_sets_touch(d->shared, line))
        return ahead ? 0 : d->costs.shared_ps;
    d->streamed += ahead;
    return ahead ? d->costs.stream_ps : d->costs.memory_ps;
}

static uint64_t line_access(struct timing_delays *d, uint64_t line, bool write)
{
    uint32_t percent = write ? d->costs.stores : d->costs.loads;

    return timing_sets_touch(&d->own, line) ? 0 : line_latency(d, line) * percent / 100;
}

uint64_t timing_delays_access(struct timing_delays *d, uint64_t address, unsigned bytes, bool write)
{
    uint64_t line = address >> d->line_bits, last = (address + bytes - 1) >> d->line_bits, ps = 0;

    for (; line <= last; line++)
        ps += line_access(d, line, write);
    d->waited_ps += ps;
    return ps;
}
