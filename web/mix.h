/* A compressor for text, a seventh smaller than LZMA, and slow: about a second for a megabyte. */
#ifndef RITT_WEB_MIX_H
#define RITT_WEB_MIX_H
#include <stddef.h>

/* Both return the other form, with a byte 0 behind it, to be freed; NULL without memory. */
unsigned char *ritt_mix_compress(const unsigned char *text, size_t size, size_t *packed_size);
unsigned char *ritt_mix_expand(const unsigned char *packed, size_t packed_size, size_t *size);
#endif
