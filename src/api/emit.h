/* What `ritt emit` and `ritt export` write their sources from. Private to the files in src/. */
#ifndef RITTI_EMIT_H
#define RITTI_EMIT_H

#include "pipeline.h"

/* The numeric tower as one C source, line by line, then NULL; made by tools/amalgamate.c while
 * building: for emitted solvers, which have no heap, and for FMUs. */
extern const char *const ritti_amalgamation[], *const ritti_unit_amalgamation[];
/* The functions of FMI: codegen/fmu_*.h. */
extern const char *const ritti_fmu_text[];

/* A solver that is written as C. */
typedef struct ritti_emission {
  ritt_model *M;
  bool heap; /* for an FMU: memory is taken from the heap */
  const char *name;
  ritti_run_settings settings;
  ritti_run_settings stiff; /* of the method for stiff runs, if the run chooses its method */
  ritti_problem *problem;   /* with the outputs that are written */
  size_t columns, outputs;
  size_t memory; /* bytes */
  ritti_text out;
} ritti_emission;

/* Completes the model and makes the settings; E->M and E->heap are given. */
ritt_status ritti_emission_prepare(ritti_emission *E, const ritt_options *options,
                                   ritti_arena *arena, ritt_error *error) RITT_USE;
/* Writes the tower, the Problem and the settings. */
ritt_status ritti_emission_write(ritti_emission *E, const char *const *tower, ritti_arena *arena,
                                 ritt_error *error) RITT_USE;
/* On which coordinates, as they are given before the projection, and inputs expressions depend. */
typedef struct ritti_dependencies ritti_dependencies;
ritt_status ritti_dependencies_make(const ritti_reduced *reduced, ritti_arena *arena,
                                    ritti_dependencies **out) RITT_USE;
/* out: coordinates, then the values of inputs; the expression is in coordinates, tops and inputs. */
ritt_status ritti_dependencies_of(ritti_dependencies *dependencies, ritti_expr e,
                                  bool *out) RITT_USE;
/* A unit as a product of base units of the SI, kg m s A K mol cd rad, with a factor. */
enum { RITTI_BASE_UNITS = 8 };
typedef struct ritti_base_unit {
  int power[RITTI_BASE_UNITS];
  double factor;
} ritti_base_unit;
/* false: the text is not such a unit. */
bool ritti_base_unit_of(const char *unit, ritti_base_unit *out);
/* The icon of an FMU as a PNG file. */
void ritti_picture_write(ritti_text *out);

#endif
