/* Messages of the protocol, and when the job runs. */
#include <stdlib.h>
#include <string.h>

#include "programs/gencc-dap/dap.h"

static void answer(struct dap *d, const json_t *request, const char *command)
{
    struct error err = {""};
    json_t *body = dap_request(d, command, json_object_get(request, "arguments"), &err);
    json_t *message = json_pack(
        "{s:I, s:s, s:I, s:b, s:s}", "seq", (json_int_t)++d->seq, "type", "response", "request_seq",
        (json_int_t)dap_number(request, "seq", 0), "success", !*err.text, "command", command);

    if (body)
        json_object_set_new(message, "body", body);
    if (*err.text) {
        json_t *text = json_string(err.text);

        json_object_set_new(message, "message", text ? text : json_string("failed"));
    }
    d->leave |= !rpc_write(&d->rpc, message);
    if (!strcmp(command, "launch") && !*err.text)
        dap_event(d, "initialized", NULL);
}

/* Waits for a message and answers it. false: there are no more. */
static bool answer_next(struct dap *d)
{
    json_t *message;
    enum rpc_result result = rpc_read(&d->rpc, &message);
    const char *command;

    if (result == RPC_END)
        d->leave = true;
    if (result != RPC_MESSAGE)
        return !d->leave;
    command = dap_text(message, "command");
    if (command && dap_text(message, "type") && !strcmp(dap_text(message, "type"), "request"))
        answer(d, message, command);
    json_decref(message);
    return !d->leave;
}

static void run_job(struct dap *d)
{
    int status;

    d->configured = false;
    status = dap_run(d);
    dap_event(d, "exited", json_pack("{s:i}", "exitCode", status));
    dap_event(d, "terminated", NULL);
}

void dap_serve(int in, int out, void (*end)(struct dap *d))
{
    struct dap d = {.rpc = {.in = in, .out = out}, .end = end, .answer_next = answer_next};

    while (answer_next(&d))
        if (d.configured && d.launched)
            run_job(&d);
    dap_release(&d);
    rpc_free(&d.rpc);
}
