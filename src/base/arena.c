/* Arenas: chunks that double in size, freed whole. Every allocation of the library goes through ritti_malloc.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base.h"

void *ritti_malloc(size_t size) { return malloc(size ? size : 1); }
void *ritti_realloc(void *old, size_t size) { return realloc(old, size ? size : 1); }
void ritti_free(void *p) { free(p); }

typedef struct chunk chunk;
struct chunk {
  chunk *next;
  size_t used, size; /* bytes of data[] */
  _Alignas(max_align_t) unsigned char data[];
};

struct ritti_arena {
  chunk *first;
};

enum { FIRST_CHUNK = 4096, ALIGN = _Alignof(max_align_t) };

ritti_arena *ritti_arena_new(void) {
  ritti_arena *arena = ritti_malloc(sizeof *arena);
  if (arena) arena->first = NULL;
  return arena;
}

void ritti_arena_free(ritti_arena *arena) {
  if (!arena) return;
  for (chunk *c = arena->first, *next; c; c = next) {
    next = c->next;
    ritti_free(c);
  }
  ritti_free(arena);
}

static chunk *add_chunk(ritti_arena *arena, size_t size) {
  size_t room = arena->first ? 2 * arena->first->size : FIRST_CHUNK;
  if (room > (size_t)1 << 24) room = (size_t)1 << 24;
  if (room < size) room = size;
  if (room > SIZE_MAX - sizeof(chunk)) return NULL;
  chunk *c = ritti_malloc(sizeof *c + room);
  if (!c) return NULL;
  *c = (chunk){.next = arena->first, .size = room};
  return arena->first = c;
}

void *ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - ALIGN) / size) return NULL;
  size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
  chunk *c = arena->first;
  if (!c || c->size - c->used < bytes) c = add_chunk(arena, bytes);
  if (!c) return NULL;
  void *p = c->data + c->used;
  c->used += bytes;
  return memset(p, 0, bytes);
}

char *ritti_arena_text(ritti_arena *arena, const char *text, size_t length) {
  char *copy = ritti_arena_alloc(arena, length + 1, 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

char *ritti_arena_format(ritti_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : ritti_arena_alloc(arena, (size_t)length + 1, 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

/* The layout that RITTI_ARRAY gives every array, whatever its element. */
typedef RITTI_ARRAY(unsigned char) any_array;

ritt_status ritti_array_grow(void *array, size_t element) {
  any_array a;
  memcpy(&a, array, sizeof a);
  size_t room = a.room ? 2 * a.room : 8;
  if (room > SIZE_MAX / 2 / element) return RITT_NO_MEMORY;
  void *at = ritti_realloc(a.at, room * element);
  if (!at) return RITT_NO_MEMORY;
  a.at = at;
  a.room = room;
  memcpy(array, &a, sizeof a);
  return RITT_OK;
}
