/*
 * A server of the Language Server Protocol for GenC (`gencc lsp`).
 */
#ifndef GENCC_LSP_SERVER_H
#define GENCC_LSP_SERVER_H

/* Serves an editor on the two descriptors until it sends `exit` or closes its end. Returns the exit
 * status. */
int lsp_serve(int in, int out);

#endif
