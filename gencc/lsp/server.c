/*
 * The server: reads messages, updates buffers, answers requests, publishes messages of the
 * compiler.
 */
#include "gencc/lsp/server.h"

#include "gencc/lsp/features.h"
#include "gencc/lsp/rpc.h"
#include "gencc/lsp/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    ERROR_PARSE = -32700,
    ERROR_REQUEST = -32600,
    ERROR_METHOD = -32601,
    ERROR_PARAMS = -32602,
    ERROR_NOT_READY = -32002,
    ERROR_FAILED = -32803,
};

struct server {
    struct rpc rpc;
    struct project project;
    bool ready, shut, dirty, leave;
    int status;
};

static bool send_result(struct server *s, const json_t *id, json_t *result)
{
    return rpc_write(&s->rpc, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
                                        result ? result : json_null()));
}

static bool send_error(struct server *s, const json_t *id, int code, const char *why)
{
    return rpc_write(&s->rpc, json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
                                        id ? json_incref((json_t *)id) : json_null(), "error",
                                        "code", code, "message", why));
}

static bool send_notification(struct server *s, const char *method, json_t *params)
{
    return rpc_write(&s->rpc, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method,
                                        "params", params));
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

static size_t message_end(const struct source_file *f, size_t from, unsigned length)
{
    size_t line = strcspn(f->text + from, "\n");

    return from + (length < line ? length : line);
}

static json_t *message_range(const struct source_file *f, struct src_pos pos)
{
    size_t from = text_line(f->text, pos.line);
    size_t column = pos.column ? pos.column - 1 : 0, line = strcspn(f->text + from, "\n");

    from += column < line ? column : line;
    return text_range(f->text, from, message_end(f, from, pos.length ? pos.length : 1));
}

static json_t *related_notes(const struct root *r, const struct message *m)
{
    json_t *list = json_array();

    vec_for_each (&m->notes, n) {
        const struct source_file *f = root_file(r, n->path);
        char *uri = f ? text_uri(f->path) : NULL;

        if (uri)
            json_array_append_new(list,
                                  json_pack("{s:{s:s, s:o}, s:s}", "location", "uri", uri, "range",
                                            message_range(f, n->pos), "message", n->text));
        free(uri);
    }
    return list;
}

/* Adds a root's messages about a file, without those that another root contributed. */
static void gather_messages(json_t *list, const struct root *r, const struct buffer *b)
{
    const struct source_file *f = root_file(r, b->path);

    vec_for_each (&r->messages, m) {
        json_t *one, *old;
        size_t i;
        bool known = false;

        if (!f || strcmp(m->path, b->path))
            continue;
        one = json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", message_range(f, m->pos), "severity",
                        m->severity, "source", "gencc", "message", m->text, "relatedInformation",
                        related_notes(r, m));
        json_array_foreach(list, i, old) known |=
            json_equal(json_object_get(old, "range"), json_object_get(one, "range")) &&
            json_equal(json_object_get(old, "message"), json_object_get(one, "message"));
        if (!known)
            json_array_append(list, one);
        json_decref(one);
    }
}

static void publish_messages(struct server *s, struct buffer *b)
{
    json_t *list = json_array();
    struct root *r = NULL;

    while ((r = project_root_of(&s->project, b->path, r))) {
        project_check(r);
        gather_messages(list, r, b);
    }
    if (json_array_size(list) || b->has_messages || b->version >= 0) {
        b->has_messages = json_array_size(list) != 0;
        send_notification(s, "textDocument/publishDiagnostics",
                          json_pack("{s:s, s:I, s:o}", "uri", b->uri, "version",
                                    (json_int_t)b->version, "diagnostics", list));
    } else {
        json_decref(list);
    }
}

static void publish_all(struct server *s)
{
    s->dirty = false;
    for (struct buffer *b = s->project.buffers; b; b = b->next)
        publish_messages(s, b);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static const char *uri_of(const json_t *params)
{
    return text_of(json_object_get(params, "textDocument"), "uri");
}

static long version_of(const json_t *document)
{
    return (long)json_integer_value(json_object_get(document, "version"));
}

static void did_open(struct server *s, const json_t *params)
{
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = uri_of(params), *text = text_of(document, "text");

    if (uri && text)
        project_set(&s->project, uri, text, strlen(text), version_of(document));
    s->dirty = true;
}

/* Applies a change of a range or of the whole text. */
static void apply_change(struct server *s, const char *uri, const json_t *c, long version)
{
    struct buffer *b = project_buffer(&s->project, uri);
    const json_t *range = json_object_get(c, "range");
    const char *text = text_of(c, "text");
    size_t from, to, n;
    char *whole;

    if (!b || !text)
        return;
    n = strlen(text);
    if (!range) {
        project_set(&s->project, uri, text, n, version);
        return;
    }
    from = text_offset(b->text, json_object_get(range, "start"));
    to = text_offset(b->text, json_object_get(range, "end"));
    to = to < from ? from : to;
    whole = malloc(b->length + n + 1);
    if (!whole)
        return;
    memcpy(whole, b->text, from);
    memcpy(whole + from, text, n);
    memcpy(whole + from + n, b->text + to, b->length - to);
    project_set(&s->project, uri, whole, b->length - (to - from) + n, version);
    free(whole);
}

static void did_change(struct server *s, const json_t *params)
{
    const json_t *changes = json_object_get(params, "contentChanges"), *c;
    const char *uri = uri_of(params);
    size_t i;

    if (uri)
        json_array_foreach(changes, i, c)
            apply_change(s, uri, c, version_of(json_object_get(params, "textDocument")));
    s->dirty = true;
}

static void did_close(struct server *s, const json_t *params)
{
    struct buffer *b = project_buffer(&s->project, uri_of(params));

    if (!b)
        return;
    send_notification(s, "textDocument/publishDiagnostics",
                      json_pack("{s:s, s:[]}", "uri", b->uri, "diagnostics"));
    project_close(&s->project, b);
    s->dirty = true;
}

static void did_save(struct server *s, const json_t *params)
{
    (void)params;
    s->dirty = true;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Finds the place that a request refers to; returns false if it is in no open buffer. */
static bool place_of(struct server *s, const json_t *params, struct place *p)
{
    *p = (struct place){.project = &s->project};
    p->buffer = project_buffer(&s->project, uri_of(params));
    if (!p->buffer)
        return false;
    p->root = project_root_of(&s->project, p->buffer->path, NULL);
    if (!p->root)
        return true;
    p->symbols = symbols_of(p->root);
    p->file = root_file(p->root, p->buffer->path);
    p->at = p->file ? text_offset(p->file->text, json_object_get(params, "position")) : 0;
    return true;
}

static json_t *handle_initialize(struct server *s, const json_t *params)
{
    const char *uri = text_of(params, "rootUri");
    const json_t *folders = json_object_get(params, "workspaceFolders");

    if (!uri)
        uri = text_of(json_array_get(folders, 0), "uri");
    free(s->project.folder);
    s->project.folder = text_path(uri);
    s->ready = true;
    return json_pack("{s:{s:{s:b, s:i, s:b}, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:[s,s]}}, s:{s:s}}",
                     "capabilities", "textDocumentSync", "openClose", 1, "change", 2, "save", 1,
                     "hoverProvider", 1, "definitionProvider", 1, "referencesProvider", 1,
                     "renameProvider", 1, "documentSymbolProvider", 1, "documentFormattingProvider",
                     1, "completionProvider", "triggerCharacters", ".", "%", "serverInfo", "name",
                     "gencc");
}

static bool rename_symbol(struct server *s, const json_t *id, const struct place *p,
                          const json_t *params)
{
    const char *name = text_of(params, "newName"), *error = NULL;
    json_t *edits;

    if (!name)
        return send_error(s, id, ERROR_PARAMS, "newName is missing");
    edits = answer_rename(p, name, &error);
    return edits ? send_result(s, id, edits) : send_error(s, id, ERROR_FAILED, error);
}

/* Answers requests about a place in a file. */
static bool about_place(struct server *s, const json_t *id, const char *method,
                        const json_t *params)
{
    struct place p;

    if (!place_of(s, params, &p))
        return send_error(s, id, ERROR_PARAMS, "this file is not open");
    if (!strcmp(method, "formatting"))
        return send_result(s, id, answer_formatting(p.buffer));
    if (!p.root)
        return send_result(s, id, json_null());
    if (!strcmp(method, "hover"))
        return send_result(s, id, answer_hover(&p));
    if (!strcmp(method, "definition"))
        return send_result(s, id, answer_definition(&p));
    if (!strcmp(method, "references"))
        return send_result(
            s, id,
            answer_references(&p, json_is_true(json_object_get(json_object_get(params, "context"),
                                                               "includeDeclaration"))));
    if (!strcmp(method, "completion"))
        return send_result(s, id, answer_completion(&p));
    if (!strcmp(method, "documentSymbol"))
        return send_result(s, id, answer_outline(&p));
    if (!strcmp(method, "rename"))
        return rename_symbol(s, id, &p, params);
    return send_error(s, id, ERROR_METHOD, "there is no such method");
}

static bool handle_request(struct server *s, const json_t *id, const char *method,
                           const json_t *params)
{
    static const char prefix[] = "textDocument/";

    if (!strcmp(method, "initialize"))
        return send_result(s, id, handle_initialize(s, params));
    if (!s->ready || s->shut)
        return send_error(s, id, s->shut ? ERROR_REQUEST : ERROR_NOT_READY, "not initialized");
    if (!strcmp(method, "shutdown")) {
        s->shut = true;
        return send_result(s, id, json_null());
    }
    if (!strncmp(method, prefix, sizeof(prefix) - 1))
        return about_place(s, id, method + sizeof(prefix) - 1, params);
    return send_error(s, id, ERROR_METHOD, "there is no such method");
}

static void handle_notification(struct server *s, const char *method, const json_t *params)
{
    static const struct {
        const char *method;
        void (*take)(struct server *s, const json_t *params);
    } known[] = {
        {"textDocument/didOpen", did_open},
        {"textDocument/didChange", did_change},
        {"textDocument/didClose", did_close},
        {"textDocument/didSave", did_save},
    };

    if (!strcmp(method, "exit")) {
        s->leave = true;
        s->status = s->shut ? 0 : 1;
        return;
    }
    for (size_t i = 0; s->ready && i < sizeof(known) / sizeof(*known); i++)
        if (!strcmp(known[i].method, method))
            known[i].take(s, params);
}

static bool handle_message(struct server *s, const json_t *message)
{
    const char *method = text_of(message, "method");
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");

    if (!method) /* a reply to no request of ours, or an invalid message */
        return id ? send_error(s, id, ERROR_REQUEST, "method is missing") : true;
    if (id)
        return handle_request(s, id, method, params);
    handle_notification(s, method, params);
    return true;
}

int lsp_serve(int in, int out)
{
    struct server s = {.rpc = {.in = in, .out = out}, .status = 1};
    enum rpc_result got;
    json_t *message;

    do {
        bool ok;

        /* Checks are run only when no request is waiting. */
        if (s.dirty && !rpc_pending(&s.rpc))
            publish_all(&s);
        got = rpc_read(&s.rpc, &message);
        ok = got == RPC_MALFORMED ? send_error(&s, NULL, ERROR_PARSE, "this is no message") : true;
        if (got == RPC_MESSAGE)
            ok = handle_message(&s, message);
        json_decref(message);
        if (!ok)
            break;
    } while (got != RPC_END && !s.leave);
    project_free(&s.project);
    rpc_free(&s.rpc);
    return s.status;
}
