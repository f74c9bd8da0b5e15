/* Private to mechanics.c, hamilton.c and conserve.c: what the sections of mechanics say, resolved.
 */
#ifndef RITTI_MECHANICS_IMPL_H
#define RITTI_MECHANICS_IMPL_H

#include "lang/lang_impl.h"

/* A constraint g = 0 of either kind, g = left - right: one member of a family, one element of an
 * array. */
typedef struct ritti_held {
  uint32_t clause; /* which statement it comes from */
  size_t ordinal;  /* which one of that statement; without a label: of all that have none */
  ritti_expr left, right, g;
  ritti_gradient
      G; /* row of G: by the coordinates, or by their velocities where it is nonholonomic */
  ritti_expr drift;    /* dg/dt; of a nonholonomic one what is left of g without velocities */
  int multiplier;      /* variable */
  const char *label;   /* "rod", "rod[3]"; or NULL */
  const char *subject; /* "constraint 2" */
  const char *member;  /* "i = 3", "element 2"; or NULL */
} ritti_held;

/* A statement of `constraint` or `nonholonomic`. */
typedef struct ritti_clause {
  const ritti_statement *line;
  bool nonholonomic;
  int rank; /* indices of its multipliers: those of its families, and one for the elements of arrays
             */
  int64_t low[RITTI_RANK_LIMIT], high[RITTI_RANK_LIMIT];
  size_t count; /* of its multipliers */
  int first;    /* the first of them */
} ritti_clause;

/* A generalised force, or another term that belongs to the equation of one variable. */
typedef struct ritti_part {
  int variable;
  ritti_expr expr;
  uint32_t token;
} ritti_part;
typedef RITTI_ARRAY(ritti_part) ritti_parts;

typedef struct ritti_mechanics {
  const ritti_statement
      *head;     /* the lagrangian or hamiltonian; NULL: none, or it could not be read */
  bool known;    /* energy, and momenta and reactions where there are some */
  bool whole;    /* all could be resolved */
  int variables; /* of the user: those from here on are multipliers */
  RITTI_ARRAY(ritti_clause) clauses; /* in the order of the file */
  RITTI_ARRAY(ritti_held) held;
  bool multipliers; /* the constraints are resolved and their multipliers are there */
  ritti_expr energy;
  bool values; /* those of the parameters are in resolver->value */

  /* Lagrangian mechanics; arrays have an entry for every variable */
  ritti_expr lagrangian; /* with the strong potential */
  ritti_parts forces;
  ritti_parts losses;     /* the lines of `dissipation` */
  ritti_expr dissipation; /* their sum; RITTI_NIL: none */
  bool *coordinate;
  ritti_expr *slope, *momentum; /* dL/dq, dL/dq' */
  ritti_expr *drag;             /* dR/dq' */
  ritti_expr *force, *reaction; /* Q, G^T lambda */
  ritti_expr lagrangian_by_time;

  /* Hamiltonian mechanics: the canonical variables in their order, the partner of each in expr
   * (RITTI_NIL: none) */
  ritti_parts canonical;
  uint32_t *canonical_token; /* where each variable stands in the list; 0: nowhere */
  ritti_expr *partial;       /* dH/dz, an entry for every variable */
  ritti_expr hamiltonian_by_time;
  ritti_expr *bracket; /* as many rows and columns as there are canonical variables; NULL: pairs */
} ritti_mechanics;

/* A statement of these sections, that of the lagrangian or hamiltonian where there is one; NULL:
 * none. */
const ritti_statement *ritti_mechanics_first(const ritti_resolver *resolver);
/* May these sections stand together? false: a mistake was reported. */
bool ritti_mechanics_check_sections(ritti_resolver *resolver);
/* "line 8", "line 8 of 'parts.ritt'" */
const char *ritti_where_is(ritti_resolver *resolver, uint32_t token);
/* Do the jets of an expression go up to an order at most, and is none a multiplier (unless they
 * may)? false: a mistake was reported, as what the subject ("the lagrangian") depends on. */
bool ritti_mechanics_check_jets(ritti_resolver *resolver, ritti_expr e, uint32_t token,
                                const char *subject, int most);
/* Derivatives of e by the variables, by their first derivatives and by the independent variable; 0
 * where e does not depend on it. */
ritt_status ritti_mechanics_partials(ritti_resolver *resolver, ritti_expr e, ritti_expr *by_value,
                                     ritti_expr *by_velocity, ritti_expr *by_time) RITT_USE;
ritt_status ritti_mechanics_push(ritti_resolver *resolver,
                                 const ritti_equation_def *equation) RITT_USE;

/* ---- constraint.c */
/* Adds the names of multipliers. */
ritt_status ritti_multipliers_declare(ritti_resolver *resolver) RITT_USE;
/* The constraints, and their multipliers as variables of the model. */
ritt_status ritti_constraints_resolve(ritti_resolver *resolver) RITT_USE;
/* The names of multipliers, one after the other: those of `lambda` and of the labels. *symbol:
 * where it stands in resolver->names. false: there is none of that number. */
bool ritti_multiplier_symbol(const ritti_resolver *resolver, size_t number, size_t *symbol);

/* ---- hamilton.c */
/* The hamiltonian; then the canonical variables and the bracket; then the equations. */
ritt_status ritti_hamilton_resolve(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_structure(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_add(ritti_resolver *resolver) RITT_USE;

/* ---- conserve.c */
/* Is the sum of the terms 0 whatever the values of the variables are? Decided at points that are
 * not special.
 */
ritt_status ritti_vanishes(ritti_resolver *resolver, const ritti_expr *terms, size_t count,
                           bool *yes) RITT_USE;
/* h = sum q' L_q' - L */
ritt_status ritti_lagrange_energy(ritti_resolver *resolver, ritti_expr *out) RITT_USE;
ritt_status ritti_lagrange_conserved(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_conserved(ritti_resolver *resolver) RITT_USE;

#endif
