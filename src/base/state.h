/* State: everything that an object needs to continue later as if nothing had happened, as a
 * sequence of bytes. One function of an object walks over its members and passes each to a
 * ritti_state. The same walk counts the bytes, saves them, checks bytes against the object that is
 * to load them, and loads them, so that saving and loading cannot disagree. Every item carries its
 * name and its size. The bytes are in the format of this machine; nothing is allocated. Bytes may
 * come from anywhere: a number used as an index or a count must be an item with bounds, and truth
 * values must be bool items. */
#ifndef RITTI_STATE_H
#define RITTI_STATE_H

#include "base/base.h"

/* What a walk does with each item. */
typedef enum {
  RITTI_STATE_COUNT,
  RITTI_STATE_SAVE,
  RITTI_STATE_CHECK,
  RITTI_STATE_LOAD
} ritti_state_mode;

/* The state of a walk. */
typedef struct ritti_state {
  ritti_state_mode mode;
  unsigned char *to;         /* for saving */
  const unsigned char *from; /* for checking and loading */
  size_t at, size;           /* the current position, and the number of bytes */
  const char *misfit;        /* the first item that does not fit the object; NULL: all fit */
} ritti_state;

/* A walk over an object; it must visit the same items in the same order each time. */
typedef void ritti_state_walk(void *object, ritti_state *state);

/* Bytes that any object of the same shape can load. */
void ritti_state_item(ritti_state *state, const char *name, void *data, size_t size);
/* An array of reals. Defined here because each build of the numeric code has reals of its own size.
 */
static inline void ritti_state_reals(ritti_state *state, const char *name, ritt_real *data,
                                     size_t count) {
  ritti_state_item(state, name, data, data ? count * sizeof *data : 0);
}
/* Counts: numbers small enough that adding to them does not overflow. */
void ritti_state_longs(ritti_state *state, const char *name, long *number, size_t count);
void ritti_state_long(ritti_state *state, const char *name, long *number);
/* A truth value. */
void ritti_state_bool(ritti_state *state, const char *name, bool *truth);
/* Whole numbers between `least` and `most`. */
void ritti_state_ints(ritti_state *state, const char *name, int *data, size_t count, int least,
                      int most);
/* A text of at most room - 1 bytes in a buffer of `room` bytes. */
void ritti_state_text(ritti_state *state, const char *name, char *text, size_t room);
/* Data that must be equal in both objects; if they differ, `misfit` is set to the name. */
void ritti_state_same(ritti_state *state, const char *name, const void *data, size_t size);
/* A text that must be equal in both objects, or NULL in both. */
void ritti_state_same_text(ritti_state *state, const char *name, const char *text);

/* A checksum that changes with any single byte. Start with RITTI_CHECKSUM. */
#define RITTI_CHECKSUM UINT64_C(0xcbf29ce484222325)
uint64_t ritti_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
