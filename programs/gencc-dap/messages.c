/* Parts of messages: events, and the arguments of requests. */
#include "programs/gencc-dap/dap.h"

void dap_event(struct dap *d, const char *name, json_t *body)
{
    json_t *message =
        json_pack("{s:I, s:s, s:s}", "seq", (json_int_t)++d->seq, "type", "event", "event", name);

    if (body)
        json_object_set_new(message, "body", body);
    d->leave |= !rpc_write(&d->rpc, message);
}

const char *dap_text(const json_t *arguments, const char *name)
{
    return json_string_value(json_object_get(arguments, name));
}

int64_t dap_number(const json_t *arguments, const char *name, int64_t otherwise)
{
    const json_t *v = json_object_get(arguments, name);

    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

bool dap_warp(struct dap *d, const json_t *arguments, const char *name, struct gpu_debug_warp *w,
              struct error *err)
{
    return (d->stopped &&
            gpu_debug_find_warp(d->debug, (uint64_t)dap_number(arguments, name, 0), w)) ||
           error_set(err, "there is no such warp");
}
