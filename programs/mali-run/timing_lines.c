/* The account by bundle: as text beside the disassembly, and as JSON. */
#include <inttypes.h>

#include "common/asm_text.h"
#include "programs/mali-run/timing.h"
#include "runtime/gpu/shader/core.h"

static uint64_t total_of(const uint64_t *account)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        sum += account[i];
    return sum;
}

static double percent_of(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_text(const struct timing_bundle *b, const struct gpu_isa *isa,
                       const struct gpu_address_space *as, unsigned index, FILE *out)
{
    uint8_t code[GPU_MAX_BUNDLE_BYTES];
    char text[8192] = "";
    size_t available = gpu_code_read(as, b->address, code, isa->max_bytes, NULL);
    struct asm_out to = {.text = text, .size = sizeof(text), .address = b->address};

    if (isa->disasm_bundle && isa->disasm_bundle(code, available, index, 0, &to))
        fprintf(out, "%s\n", text);
}

static void print_shares(const struct timing_line *l, uint64_t all, FILE *out)
{
    fprintf(out, "%6.2f %%", percent_of(total_of(l->account), all));
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        if (i != TIMING_IMBALANCE && i != TIMING_LAUNCH)
            fprintf(out, "  %s %.2f", timing_cause_name(i), percent_of(l->account[i], all));
}

void run_timing_print_lines(const struct timing_job *job, const struct timing_line *lines,
                            const struct gpu_isa *isa, const struct gpu_address_space *as,
                            FILE *out)
{
    uint64_t all = 0, least = UINT64_MAX;

    for (size_t i = 0; i <= job->bundles.len; i++)
        all += total_of(lines[i].account);
    for (size_t i = 0; i < job->bundles.len; i++)
        if (job->bundles.data[i].address < least)
            least = job->bundles.data[i].address;
    for (size_t i = 0; i < job->bundles.len; i++) {
        const struct timing_bundle *b = &job->bundles.data[i];

        if (!lines[i].executions)
            continue;
        fprintf(out, "  0x%" PRIx64 " ", b->address);
        print_shares(&lines[i], all, out);
        fprintf(out, "  (%" PRIu64 " times)\n", lines[i].executions);
        if (as)
            print_text(b, isa, as, (unsigned)((b->address - least) / isa->grain_bytes), out);
    }
}

static void put_account(FILE *out, const uint64_t *account)
{
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        fprintf(out, "%s\"%s\": %.3f", i ? ", " : "{", timing_cause_name(i),
                (double)account[i] / TIMING_TICKS);
    fputc('}', out);
}

/* Writes per core the cycles during which it had a work-group. */
static void put_active(FILE *out, const struct timing_result *r, unsigned cores)
{
    fputs(",\n   \"active_cycles\": [", out);
    for (unsigned i = 0; i < cores && i < TIMING_COUNTED_CORES; i++)
        fprintf(out, "%s%.3f", i ? ", " : "", (double)r->active[i] / TIMING_TICKS);
    fputc(']', out);
}

void run_timing_json(FILE *out, bool first, const struct timing_job *job,
                     const struct run_account *account)
{
    const struct timing_result *r = account->result;
    const struct timing_line *lines = account->lines;
    const struct {
        const char *name;
        uint64_t value;
    } counters[] = {
        {"groups", r->groups},           {"warps", r->warps},
        {"bundles", r->bundles},         {"instructions", r->instructions},
        {"requests", r->requests},       {"l1_hits", r->l1_hits},
        {"l1_misses", r->l1_misses},     {"l2_hits", r->l2_hits},
        {"l2_misses", r->l2_misses},     {"dram_reads", r->dram_reads},
        {"dram_writes", r->dram_writes}, {"l2_reads", r->l2_reads},
        {"l2_writes", r->l2_writes},     {"arithmetic", timing_job_work(job).arithmetic},
    };

    fprintf(out, "%s\n  {\"gpu\": \"%s\", \"model\": \"%s\", \"shader\": \"0x%" PRIx64 "\",\n",
            first ? "" : ",", account->gpu, account->model, job->shader);
    fprintf(out, "   \"cycles\": %.3f, \"groups_for_one\": %.6g, \"engine_cycles\": ",
            (double)r->ticks / TIMING_TICKS, r->scale);
    put_account(out, r->account);
    for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
        fprintf(out, ",%s\"%s\": %" PRIu64, i ? " " : "\n   ", counters[i].name, counters[i].value);
    put_active(out, r, account->cores);
    fputs(",\n   \"bundles_of_code\": [", out);
    for (size_t i = 0, n = 0; i < job->bundles.len; i++)
        if (lines[i].executions) {
            fprintf(out,
                    "%s\n    {\"address\": \"0x%" PRIx64 "\", \"executions\": %" PRIu64
                    ", \"engine_cycles\": ",
                    n++ ? "," : "", job->bundles.data[i].address, lines[i].executions);
            put_account(out, lines[i].account);
            fputc('}', out);
        }
    fputs("]}", out);
}
