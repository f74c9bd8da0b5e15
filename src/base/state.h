/* State: what a moving object must keep to go on later as if nothing had happened, as one run of
 * bytes.
 *
 * One function of an object walks over its members and hands each to a ritti_state. The same walk
 * counts the bytes, saves them, checks bytes against the object that is to take them, and loads
 * them: so what is saved and what is loaded cannot differ. Every item carries its name and its
 * size. The bytes are those of this machine; nothing is allocated.
 *
 * Bytes may come from anybody: what is used as an index or as a number of things must be an item
 * with bounds, and truth values are items of their own.
 */
#ifndef RITTI_STATE_H
#define RITTI_STATE_H

#include "base/base.h"

typedef enum {
  RITTI_STATE_COUNT,
  RITTI_STATE_SAVE,
  RITTI_STATE_CHECK,
  RITTI_STATE_LOAD
} ritti_state_mode;

typedef struct ritti_state {
  ritti_state_mode mode;
  unsigned char *to;         /* save */
  const unsigned char *from; /* check, load */
  size_t at, size;           /* where it is, and how many bytes there are */
  const char *misfit;        /* the first item that does not fit the object; NULL: all do */
} ritti_state;

/* A walk over an object; it must visit the same items in the same order each time. */
typedef void ritti_state_walk(void *object, ritti_state *state);

/* Bytes that any object of the same shape can take. */
void ritti_state_item(ritti_state *state, const char *name, void *data, size_t size);
/* Reals of an array, numbers. Here, since each build of the numeric tower has reals of its own
 * size. */
static inline void ritti_state_reals(ritti_state *state, const char *name, ritt_real *data,
                                     size_t count) {
  ritti_state_item(state, name, data, data ? count * sizeof *data : 0);
}
/* Counts: numbers that can be added to. */
void ritti_state_longs(ritti_state *state, const char *name, long *number, size_t count);
void ritti_state_long(ritti_state *state, const char *name, long *number);
void ritti_state_bool(ritti_state *state, const char *name, bool *truth);
/* Whole numbers of which each is at least `least` and at most `most`. */
void ritti_state_ints(ritti_state *state, const char *name, int *data, size_t count, int least,
                      int most);
/* A text of at most room - 1 bytes in a buffer of `room`. */
void ritti_state_text(ritti_state *state, const char *name, char *text, size_t room);
/* What must be the same in both objects; the name is told where it is not. */
void ritti_state_same(ritti_state *state, const char *name, const void *data, size_t size);
void ritti_state_same_text(ritti_state *state, const char *name, const char *text); /* NULL: none */

/* Bytes -> a number that any change of one of them changes. Begin with RITTI_CHECKSUM. */
#define RITTI_CHECKSUM UINT64_C(0xcbf29ce484222325)
uint64_t ritti_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
