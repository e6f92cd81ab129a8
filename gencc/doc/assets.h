/* Files of the reference that lie in this folder; cmake/EmbedFile.cmake makes C of them. */
#ifndef GENCC_DOC_ASSETS_H
#define GENCC_DOC_ASSETS_H

#include <stddef.h>

extern const unsigned char asset_style[], asset_search[];
extern const size_t asset_style_size, asset_search_size;

#endif
