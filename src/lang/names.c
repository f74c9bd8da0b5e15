/* A table of names: an array in the order of definition, and an open hash table of its indices. */
#include "lang_impl.h"

/* The hash value of a name. */
static size_t hash_name(const char *name, size_t length) {
  uint64_t h = 1469598103934665603u; /* FNV-1a */
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 32);
}

/* The slot that contains the name, or the free slot that it would take. */
static uint32_t *find_slot(const ritti_symbols *s, const char *name, size_t length) {
  for (size_t i = hash_name(name, length);; i++) {
    uint32_t *slot = &s->slot[i & (s->slots - 1)];
    if (!*slot) return slot;
    const char *other = s->all.at[*slot - 1].name;
    if (!strncmp(other, name, length) && !other[length]) return slot;
  }
}

ritti_symbol *ritti_symbols_find(const ritti_symbols *s, const char *name, size_t length) {
  if (!s->slots) return NULL;
  uint32_t *slot = find_slot(s, name, length);
  return *slot ? &s->all.at[*slot - 1] : NULL;
}

/* Keeps at least twice as many slots as names. */
static ritt_status make_slots(ritti_symbols *s) {
  if (2 * (s->all.count + 1) <= s->slots) return RITT_OK;

  /* a table of twice the size */
  size_t slots = s->slots ? 2 * s->slots : 16;
  uint32_t *slot = ritti_malloc(slots * sizeof *slot);
  if (!slot) return RITT_NO_MEMORY;
  memset(slot, 0, slots * sizeof *slot);
  ritti_free(s->slot);
  s->slot = slot;
  s->slots = slots;

  /* enter all names again */
  for (size_t i = 0; i < s->all.count; i++)
    *find_slot(s, s->all.at[i].name, strlen(s->all.at[i].name)) = (uint32_t)i + 1;
  return RITT_OK;
}

ritti_symbol *ritti_symbols_add(ritti_symbols *s, const char *name, ritti_symbol_kind kind,
                                uint32_t token) {
  ritti_symbol symbol = {.name = name, .kind = kind, .token = token, .index = -1, .note = SIZE_MAX};
  if (!name || make_slots(s) != RITT_OK || RITTI_PUSH(s->all, symbol) != RITT_OK) return NULL;
  *find_slot(s, name, strlen(name)) = (uint32_t)s->all.count;
  return &s->all.at[s->all.count - 1];
}

void ritti_symbols_clear(ritti_symbols *s) {
  RITTI_ARRAY_FREE(s->all);
  ritti_free(s->slot);
  *s = (ritti_symbols){0};
}
