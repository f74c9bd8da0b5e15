/* Bytes as choices: what a fuzz target makes of its input. */
#ifndef RITT_FUZZ_CHOICES_H
#define RITT_FUZZ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct choices {
  const uint8_t *at;
  size_t left;
} choices;

/* 0 .. count-1, count at most 256; 0 when the bytes are used up */
static inline int choose(choices *c, int count) {
  if (!c->left) return 0;
  c->left--;
  return *c->at++ % count;
}

static inline void must(bool condition) {
  if (!condition) abort();
}

#endif
