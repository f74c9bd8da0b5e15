/* Private to the backend modulo primes: forcing.c, modular_eliminate.c, modular.c. */
#ifndef RITTI_MODULAR_IMPL_H
#define RITTI_MODULAR_IMPL_H

#include "complete/linear.h"
#include "complete/residue.h"

/* What is known of a node below the forcings. */
typedef struct ritti_node_kind {
  bool moves;  /* depends on t */
  bool opaque; /* holds a function whose Taylor coefficients are taken at random */
} ritti_node_kind;

/* Everything modulo one prime. */
typedef struct ritti_image {
  ritti_prime P;
  ritti_residue *coefficient; /* of each term */
  ritti_residue *series;      /* of each forcing: terms */
  int terms;
} ritti_image;

enum { RITTI_AGREEING = 2 }; /* primes that must give the same answer */

typedef struct ritti_modular {
  const ritti_linear *L;
  ritti_arena *arena;
  ritti_backend *backend;
  ritti_nodes nodes;     /* below the forcings */
  ritti_node_kind *kind; /* of each node */
  bool *opaque;          /* of each forcing */
  ritti_image image[RITTI_AGREEING];
  int next_prime;
} ritti_modular;

/* forcing.c: what occurs in the forcings. */
ritt_status ritti_modular_read_forcings(ritti_modular *M) RITT_USE;
/* forcing.c: the coefficients modulo the prime of the image; false: a division by 0 modulo it. */
bool ritti_image_set_coefficients(const ritti_linear *L, ritti_image *I);
/* forcing.c: the Taylor coefficients of the forcings, `terms` of each; *good = false: a division by
 * 0. */
ritt_status ritti_image_set_series(ritti_modular *M, ritti_image *I, int terms,
                                   bool *good) RITT_USE;
/* modular_eliminate.c: the echelon form of the rows, and the combinations of them that it consists of
 * (NULL: not wanted). */
ritt_status ritti_modular_eliminate(const ritti_modular *M, const ritti_image *I,
                                    const ritti_row_id *rows, int count, const int *top, bool *open,
                                    ritti_arena *arena, ritti_echelon_row *out,
                                    ritti_combination *combination) RITT_USE;

#endif
