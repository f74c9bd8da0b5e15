/* Saving and loading state; see state.h. An item is stored as 4 bytes for its name, 8 for its size,
 * and its bytes. */
#include <limits.h>
#include "base/state.h"

enum { HEAD = 12 };

/* The hash FNV-1a of Fowler, Noll and Vo: xor and multiplication by an odd number. Both can be
 * undone, so texts that differ in one byte have different sums. */
uint64_t ritti_checksum(uint64_t sum, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < count; i++) sum = (sum ^ b[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* Remembers the first item that does not fit. */
static void note_misfit(ritti_state *S, const char *name) {
  if (!S->misfit) S->misfit = name;
}

/* The number that stands for a name in the bytes. */
static uint32_t number_of(const char *name) {
  return (uint32_t)ritti_checksum(RITTI_CHECKSUM, name, strlen(name));
}

/* Returns the bytes of the next item and advances; NULL if it has another name or size. */
static const unsigned char *next_item(ritti_state *S, const char *name, size_t size) {
  uint32_t number;
  uint64_t length;
  if (S->misfit || S->size - S->at < HEAD) {
    note_misfit(S, name);
    return NULL;
  }

  /* compare the name and the size */
  memcpy(&number, S->from + S->at, sizeof number);
  memcpy(&length, S->from + S->at + sizeof number, sizeof length);
  S->at += HEAD;
  if (number != number_of(name) || length != size || S->size - S->at < size) {
    note_misfit(S, name);
    return NULL;
  }
  S->at += size;
  return S->from + S->at - size;
}

/* Counts or saves an item. */
static void put_item(ritti_state *S, const char *name, const void *data, size_t size) {
  uint32_t number = number_of(name);
  uint64_t length = size;
  if (S->mode == RITTI_STATE_SAVE) {
    if (S->size - S->at < HEAD || S->size - S->at - HEAD < size) {
      note_misfit(S, name);
      return;
    }
    memcpy(S->to + S->at, &number, sizeof number);
    memcpy(S->to + S->at + sizeof number, &length, sizeof length);
    if (size) memcpy(S->to + S->at + HEAD, data, size);
  }
  S->at += HEAD + size;
}

/* Does the walk count or save, rather than check or load? */
static bool is_writing(const ritti_state *S) {
  return S->mode == RITTI_STATE_COUNT || S->mode == RITTI_STATE_SAVE;
}

void ritti_state_item(ritti_state *S, const char *name, void *data, size_t size) {
  if (is_writing(S)) {
    put_item(S, name, data, size);
    return;
  }
  const unsigned char *bytes = next_item(S, name, size);
  if (bytes && size && S->mode == RITTI_STATE_LOAD) memcpy(data, bytes, size);
}

void ritti_state_longs(ritti_state *S, const char *name, long *number, size_t count) {
  size_t size = number ? count * sizeof *number : 0;
  if (is_writing(S)) {
    put_item(S, name, number, size);
    return;
  }
  const unsigned char *bytes = next_item(S, name, size);

  /* numbers near the limits could overflow when they are added to */
  for (size_t i = 0; bytes && i < size / sizeof *number; i++) {
    long one;
    memcpy(&one, bytes + i * sizeof one, sizeof one);
    if (one < LONG_MIN / 4 || one > LONG_MAX / 4) note_misfit(S, name);
    else if (S->mode == RITTI_STATE_LOAD) number[i] = one;
  }
}

void ritti_state_long(ritti_state *S, const char *name, long *number) {
  ritti_state_longs(S, name, number, 1);
}

void ritti_state_bool(ritti_state *S, const char *name, bool *truth) {
  unsigned char byte = *truth;
  if (is_writing(S)) {
    put_item(S, name, &byte, 1);
    return;
  }
  const unsigned char *bytes = next_item(S, name, 1);
  if (bytes && S->mode == RITTI_STATE_LOAD) *truth = bytes[0] != 0;
}

void ritti_state_ints(ritti_state *S, const char *name, int *data, size_t count, int least,
                      int most) {
  size_t size = data ? count * sizeof *data : 0;
  if (is_writing(S)) {
    put_item(S, name, data, size);
    return;
  }

  /* check each number before it is used */
  const unsigned char *bytes = next_item(S, name, size);
  for (size_t i = 0; bytes && i < size / sizeof *data; i++) {
    int number;
    memcpy(&number, bytes + i * sizeof number, sizeof number);
    if (number < least || number > most) note_misfit(S, name);
    else if (S->mode == RITTI_STATE_LOAD) data[i] = number;
  }
}

void ritti_state_text(ritti_state *S, const char *name, char *text, size_t room) {
  if (is_writing(S)) {
    put_item(S, name, text, room);
    return;
  }
  const unsigned char *bytes = next_item(S, name, room);
  if (!bytes) return;
  if (!memchr(bytes, '\0', room)) note_misfit(S, name);
  else if (S->mode == RITTI_STATE_LOAD) memcpy(text, bytes, room);
}

void ritti_state_same(ritti_state *S, const char *name, const void *data, size_t size) {
  if (is_writing(S)) {
    put_item(S, name, data, size);
    return;
  }
  const unsigned char *bytes = next_item(S, name, size);
  if (bytes && size && memcmp(bytes, data, size)) note_misfit(S, name);
}

void ritti_state_same_text(ritti_state *S, const char *name, const char *text) {
  uint64_t sum = ritti_checksum(RITTI_CHECKSUM, text ? text : "", text ? strlen(text) + 1 : 0);
  ritti_state_same(S, name, &sum, sizeof sum);
}
