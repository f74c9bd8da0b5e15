/* Arenas: chunks that double in size and are freed together, or one block of the caller that does
 * not grow. */
#include "base.h"

/* What needs the strictest alignment; some C libraries have no max_align_t. */
typedef union ritti_most_aligned {
  long long whole;
  long double real;
  void *pointer;
  void (*function)(void);
} ritti_most_aligned;

/* A block of memory, used from its beginning. */
typedef struct chunk chunk;
struct chunk {
  chunk *next;
  size_t used, size; /* bytes of data[] */
  _Alignas(ritti_most_aligned) unsigned char data[];
};

/* A function to call when the memory is freed. */
typedef struct ending ending;
struct ending {
  ending *before;
  void (*end)(void *data);
  void *data;
};

/* The arena is at the beginning of its first block, followed by the first chunk. */
struct ritti_arena {
  chunk *newest;
  ending *last;
  bool fixed;        /* the block belongs to the caller and cannot grow */
  ritt_allocator by; /* where blocks come from; allocate NULL: ritti_malloc */
};

/* In test builds a fence follows every allocation. The address sanitizer, which only knows whole
 * blocks, reports every access to a fence. */
#ifdef RITTI_FENCES
void __asan_poison_memory_region(const volatile void *at, size_t size);
void __asan_unpoison_memory_region(const volatile void *at, size_t size);
enum { FENCE = 32 };
#define CLOSE_OFF(at, size) __asan_poison_memory_region(at, size)
#define OPEN_UP(at, size)   __asan_unpoison_memory_region(at, size)
#else
enum { FENCE = 0 };
#define CLOSE_OFF(at, size) (void)(at)
#define OPEN_UP(at, size)   (void)(at)
#endif

enum { FIRST_BLOCK = 4096, ALIGN = _Alignof(ritti_most_aligned) };
#define ROUND_UP(bytes) (((bytes) + ALIGN - 1) / ALIGN * ALIGN)
#define HEAD            (ROUND_UP(sizeof(ritti_arena)) + ROUND_UP(sizeof(chunk)))

/* The first chunk, which follows the arena in its block. */
static chunk *first_chunk(ritti_arena *arena) {
  return (chunk *)(void *)((unsigned char *)arena + ROUND_UP(sizeof *arena));
}

ritti_arena *ritti_arena_in(void *block, size_t size) {
  size_t skip = (ALIGN - (size_t)((uintptr_t)block % ALIGN)) % ALIGN;
  if (!block || size < skip + HEAD) return NULL;
  ritti_arena *arena = (ritti_arena *)(void *)((unsigned char *)block + skip);
  chunk *c = first_chunk(arena);
  *c = (chunk){.size = (size - skip - HEAD) / ALIGN * ALIGN};
  *arena = (ritti_arena){.newest = c, .fixed = true};
  return arena;
}

static void *take_block(const ritt_allocator *by, size_t size) {
  return by->allocate ? by->allocate(by->user_data, size) : ritti_malloc(size);
}

static void give_back(const ritt_allocator *by, void *block) {
  if (by->allocate) by->release(by->user_data, block);
  else ritti_free(block);
}

ritti_arena *ritti_arena_from(const ritt_allocator *allocator) {
  const ritt_allocator by = allocator ? *allocator : (ritt_allocator){0};
  ritti_arena *arena = ritti_arena_in(take_block(&by, FIRST_BLOCK), FIRST_BLOCK);
  if (!arena) return NULL;
  arena->fixed = false;
  arena->by = by;
  return arena;
}

ritti_arena *ritti_arena_new(void) { return ritti_arena_from(NULL); }
ritti_arena *ritti_arena_beside(const ritti_arena *arena) {
  return arena->fixed ? NULL : ritti_arena_new();
}

/* Runs the endings, newest first, and returns all blocks except the first. */
void ritti_arena_clear(ritti_arena *arena) {
  chunk *first = first_chunk(arena);
  for (ending *e = arena->last; e; e = e->before) e->end(e->data);
  arena->last = NULL;
  while (arena->newest != first) {
    chunk *c = arena->newest;
    arena->newest = c->next;
    OPEN_UP(c->data, c->size);
    give_back(&arena->by, c);
  }
  OPEN_UP(first->data, first->used);
  first->used = 0;
}

void ritti_arena_free(ritti_arena *arena) {
  if (!arena) return;
  ritti_arena_clear(arena);
  const ritt_allocator by = arena->by;
  if (!arena->fixed) give_back(&by, arena);
}

size_t ritti_arena_used(const ritti_arena *arena) {
  size_t used = HEAD;
  for (const chunk *c = arena->newest; c; c = c->next) used += c->used;
  return used;
}

/* Adds a chunk with room for `size` bytes, twice as large as the last up to 16 MiB. */
static chunk *add_chunk(ritti_arena *arena, size_t size) {
  size_t room = 2 * arena->newest->size;
  if (arena->fixed) return NULL;
  if (room > (size_t)1 << 24) room = (size_t)1 << 24;
  if (room < size) room = size;
  if (room > SIZE_MAX - sizeof(chunk)) return NULL;
  chunk *c = take_block(&arena->by, sizeof *c + room);
  if (!c) return NULL;
  *c = (chunk){.next = arena->newest, .size = room};
  return arena->newest = c;
}

void *ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - ALIGN - FENCE) / size) return NULL;

  /* find room */
  size_t bytes = ROUND_UP(count * size) + (arena->fixed ? 0 : FENCE);
  chunk *c = arena->newest;
  if (c->size - c->used < bytes) c = add_chunk(arena, bytes);
  if (!c) return NULL;

  /* take it, zeroed, with a fence behind it */
  unsigned char *p = memset(c->data + c->used, 0, bytes);
  c->used += bytes;
  if (!arena->fixed) CLOSE_OFF(p + count * size, bytes - count * size);
  return p;
}

ritt_status ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data) {
  ending *e;
  RITTI_NEW(e, arena, 1);
  *e = (ending){.before = arena->last, .end = end, .data = data};
  arena->last = e;
  return RITT_OK;
}

char *ritti_arena_text(ritti_arena *arena, const char *text, size_t length) {
  char *copy = ritti_arena_alloc(arena, length + 1, 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

char *ritti_arena_format(ritti_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);

  /* most texts are short */
  char small[200];
  size_t length = ritti_format_list(small, sizeof small, format, args);
  va_end(args);
  if (length < sizeof small) return ritti_arena_text(arena, small, length);

  /* the length is known now: write it again */
  char *text = ritti_arena_alloc(arena, length + 1, 1);
  if (!text) return NULL;
  va_start(args, format);
  ritti_format_list(text, length + 1, format, args);
  va_end(args);
  return text;
}

/* The layout that RITTI_ARRAY gives every array, whatever its element type. */
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
