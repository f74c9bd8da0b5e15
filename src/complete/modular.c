/* Decisions modulo primes about equations that are linear with constant coefficients.
 *
 * The rows are eliminated modulo two 62-bit primes (modular_eliminate.c), with random numbers for t and
 * for the functions in the forcing (forcing.c). A rank modulo p is at most the true rank, and less
 * with a probability of about 1e-15. Both primes must give the same pivots and values; if they differ,
 * other primes are asked.
 */
#include "complete/modular_impl.h"

/* The system modulo the next prime that divides no denominator. */
static ritt_status next_image(ritti_modular *M, ritti_image *I, int terms) {
  const ritti_linear *L = M->L;
  for (bool good = false; !good;) {
    if (M->next_prime == RITTI_PRIMES) {
      M->backend->reason = "every prime that was tried divides a number of the model";
      return RITT_UNDECIDED;
    }
    I->P = ritti_prime_make(M->next_prime++);
    good = ritti_image_set_coefficients(L, I);
    if (good) RITT_TRY(ritti_image_set_series(M, I, terms, &good));
  }
  return RITT_OK;
}

static bool same_echelon(const ritti_echelon_row *a, const ritti_echelon_row *b, int count) {
  for (int r = 0; r < count; r++) {
    if (a[r].class != b[r].class || a[r].value != b[r].value) return false;
    if (a[r].supports != b[r].supports) return false;
    for (int s = 0; s < a[r].supports; s++)
      if (a[r].support[s] != b[r].support[s]) return false;
    if (a[r].class == RITTI_NO_PIVOT) continue;
    if (a[r].pivot.variable != b[r].pivot.variable || a[r].pivot.order != b[r].pivot.order)
      return false;
  }
  return true;
}

static ritt_status modular_echelon(void *data, const ritti_row_id *rows, int count, const int *top,
                                   bool *open, ritti_arena *arena, ritti_echelon_row *out) {
  ritti_modular *M = data;
  int highest = 0, variables = M->L->variables;
  ritti_echelon_row *other;
  bool *other_open = NULL;
  RITTI_NEW(other, arena, count + 1);
  if (open) RITTI_NEW(other_open, arena, variables + 1);
  for (int r = 0; r < count; r++)
    if (rows[r].order > highest) highest = rows[r].order;
  for (int i = 0; i < RITTI_AGREEING; i++) {
    bool good = true;
    if (highest >= M->image[i].terms)
      RITT_TRY(ritti_image_set_series(M, &M->image[i], 2 * (highest + 1), &good));
    if (!good) RITT_TRY(next_image(M, &M->image[i], 2 * (highest + 1)));
  }

  RITT_TRY(ritti_modular_eliminate(M, &M->image[0], rows, count, top, open, arena, out, NULL));
  for (;;) {
    RITT_TRY(
        ritti_modular_eliminate(M, &M->image[1], rows, count, top, other_open, arena, other, NULL));
    bool same = same_echelon(out, other, count);
    if (open && same) same = !memcmp(open, other_open, (size_t)variables * sizeof *open);
    if (same) return RITT_OK;

    /* one of the two primes is unlucky: the second result is compared with a third one */
    M->image[0] = M->image[1];
    memcpy(out, other, (size_t)count * sizeof *out);
    if (open) memcpy(open, other_open, (size_t)variables * sizeof *open);
    M->image[1].coefficient = ritti_arena_alloc(M->arena, (size_t)M->L->start[M->L->equations] + 1,
                                                sizeof(ritti_residue));
    if (!M->image[1].coefficient) return RITT_NO_MEMORY;
    RITT_TRY(next_image(M, &M->image[1], M->image[0].terms));
  }
}

ritt_status ritti_modular_combine(const ritti_backend *backend, int prime, const ritti_row_id *rows,
                                  int count, const int *top, ritti_arena *arena,
                                  ritti_echelon_row *echelon, ritti_combination *combination,
                                  bool *good) {
  const ritti_modular *M = backend->data;
  ritti_image I = {.P = ritti_prime_make(prime)};
  RITTI_NEW(I.coefficient, arena, M->L->start[M->L->equations] + 1);
  *good = ritti_image_set_coefficients(M->L, &I);
  if (!*good) return RITT_OK;
  return ritti_modular_eliminate(M, &I, rows, count, top, NULL, arena, echelon, combination);
}

static void free_nodes(void *data) { ritti_free(((ritti_modular *)data)->nodes.at); }

ritt_status ritti_modular_backend(const ritti_linear *L, ritti_arena *arena, ritti_backend *out) {
  ritti_modular *M;
  RITTI_NEW(M, arena, 1);
  M->L = L;
  M->arena = arena;
  M->backend = out;
  *out = (ritti_backend){.data = M, .echelon = modular_echelon};
  RITT_TRY(ritti_nodes_below(L->dag, L->forcing, (size_t)L->equations, &M->nodes));
  ritt_status status = ritti_arena_at_end(arena, free_nodes, M);
  if (status != RITT_OK) ritti_free(M->nodes.at);
  RITT_TRY(status);
  RITT_TRY(ritti_modular_read_forcings(M));
  for (int i = 0; i < RITTI_AGREEING; i++) {
    RITTI_NEW(M->image[i].coefficient, arena, L->start[L->equations] + 1);
    RITT_TRY(next_image(M, &M->image[i], 4));
  }
  return RITT_OK;
}
