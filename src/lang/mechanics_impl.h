/* Private to mechanics.c, hamilton.c, constraint.c and conserve.c: the resolved content of the
 * sections of mechanics.
 */
#ifndef RITTI_MECHANICS_IMPL_H
#define RITTI_MECHANICS_IMPL_H

#include "lang/lang_impl.h"

/* A constraint g = 0 of either kind, g = left - right: one member of a family, or one element of an
 * array. */
typedef struct ritti_held {
  uint32_t clause; /* number of its statement */
  /* position among the constraints of its statement, or among all constraints without a label */
  size_t ordinal;
  ritti_expr left, right, g;
  /* row of G: derivatives by the coordinates; nonholonomic: by the velocities */
  ritti_gradient G;
  ritti_expr drift;    /* dg/dt; nonholonomic: g with all velocities 0 */
  int multiplier;      /* its variable */
  const char *label;   /* "rod", "rod[3]"; or NULL */
  const char *subject; /* "constraint 2" */
  const char *owner;   /* of its equation */
  const char *member;  /* "i = 3", "element 2"; or NULL */
} ritti_held;

/* A statement of `constraint` or `nonholonomic`. */
typedef struct ritti_clause {
  const ritti_statement *line;
  bool nonholonomic;
  /* number of indices of its multipliers: those of its families, and one for elements of arrays */
  int rank;
  int64_t low[RITTI_RANK_LIMIT], high[RITTI_RANK_LIMIT];
  size_t count; /* number of its multipliers */
  int first;    /* variable of the first multiplier */
} ritti_clause;

/* A generalised force, or another term that belongs to the equation of one variable. */
typedef struct ritti_part {
  int variable;
  ritti_expr expr;
  uint32_t token;
} ritti_part;
typedef RITTI_ARRAY(ritti_part) ritti_parts;

/* The resolved sections of mechanics. */
typedef struct ritti_mechanics {
  /* the lagrangian or hamiltonian; NULL: there is none, or it could not be read */
  const ritti_statement *head;
  bool known;    /* energy, momenta and reactions are computed */
  bool whole;    /* all statements could be resolved */
  int variables; /* number of the user's variables; variables from here on are multipliers */
  RITTI_ARRAY(ritti_clause) clauses; /* in the order of the file */
  RITTI_ARRAY(ritti_held) held;
  bool multipliers; /* the constraints are resolved and their multipliers are variables */
  ritti_expr energy;
  bool values; /* resolver->value holds the values of the parameters */

  /* Lagrangian mechanics; the arrays have an entry for each variable */
  ritti_expr lagrangian; /* including the strong potential */
  ritti_parts forces;
  ritti_parts losses;     /* the lines of `dissipation` */
  ritti_expr dissipation; /* their sum; RITTI_NIL: none */
  bool *coordinate;
  ritti_expr *slope, *momentum; /* dL/dq, dL/dq' */
  ritti_expr *drag;             /* dR/dq' */
  ritti_expr *force, *reaction; /* Q, G^T lambda */
  ritti_expr lagrangian_by_time;

  /* Hamiltonian mechanics: the canonical variables in their order; expr is the partner of each, or
   * RITTI_NIL */
  ritti_parts canonical;
  uint32_t *canonical_token; /* position of each variable in the list; 0: not in the list */
  ritti_expr *partial;       /* dH/dz, an entry for each variable */
  ritti_expr hamiltonian_by_time;
  ritti_expr *bracket; /* square matrix over the canonical variables; NULL: pairs */
} ritti_mechanics;

/* A statement of these sections: that of the lagrangian or hamiltonian if there is one. NULL: the
 * model has none of these sections. */
const ritti_statement *ritti_mechanics_first(const ritti_resolver *resolver);
/* Are these sections compatible? false: a mistake was reported. */
bool ritti_mechanics_check_sections(ritti_resolver *resolver);
/* "line 8", "line 8 of 'parts.ritt'" */
const char *ritti_where_is(ritti_resolver *resolver, uint32_t token);
/* Does an expression contain derivatives up to order `most` only, and no multipliers? false: a
 * mistake was reported; the message says what the subject ("the lagrangian") depends on. */
bool ritti_mechanics_check_jets(ritti_resolver *resolver, ritti_expr e, uint32_t token,
                                const char *subject, int most);
/* Derivatives of e by the variables, by their first derivatives and by the independent variable. */
ritt_status ritti_mechanics_partials(ritti_resolver *resolver, ritti_expr e, ritti_expr *by_value,
                                     ritti_expr *by_velocity, ritti_expr *by_time) RITT_USE;
/* Adds an equation to the model. */
ritt_status ritti_mechanics_push(ritti_resolver *resolver,
                                 const ritti_equation_def *equation) RITT_USE;

/* ---- constraint.c */

/* Declares the names of multipliers. */
ritt_status ritti_multipliers_declare(ritti_resolver *resolver) RITT_USE;
/* Resolves the constraints and makes their multipliers variables of the model. */
ritt_status ritti_constraints_resolve(ritti_resolver *resolver) RITT_USE;
/* Lists the names of multipliers: number 0 is `lambda`, then the name of each clause. *symbol: its
 * index in resolver->names, or SIZE_MAX. false: there is no clause of that number. */
bool ritti_multiplier_symbol(const ritti_resolver *resolver, size_t number, size_t *symbol);

/* ---- hamilton.c */

/* The passes: first the hamiltonian, then the canonical variables and the bracket, then the
 * equations. */
ritt_status ritti_hamilton_resolve(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_structure(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_add(ritti_resolver *resolver) RITT_USE;

/* ---- conserve.c */

/* Is the sum of the terms 0 for all values of the variables? Decided by evaluation at generic
 * points. */
ritt_status ritti_vanishes(ritti_resolver *resolver, const ritti_expr *terms, size_t count,
                           bool *yes) RITT_USE;
/* h = sum q' L_q' - L */
ritt_status ritti_lagrange_energy(ritti_resolver *resolver, ritti_expr *out) RITT_USE;
/* Lists the quantities that may be conserved, with the reasons why they are not. */
ritt_status ritti_lagrange_conserved(ritti_resolver *resolver) RITT_USE;
ritt_status ritti_hamilton_conserved(ritti_resolver *resolver) RITT_USE;

#endif
