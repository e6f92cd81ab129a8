/*
 * A server of the Language Server Protocol for GenC: `gencc lsp`.
 */
#ifndef GENCC_LSP_SERVER_H
#define GENCC_LSP_SERVER_H

/* Answers on the descriptors until the editor says exit or goes away. Returns the status to exit with. */
int lsp_serve(int in, int out);

#endif
