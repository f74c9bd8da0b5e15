/* Legs: ordinary steps of a run that are taken without its driver, by vectors of a processor or on a
 * GPU (geometry/leg_entry.h). The driver writes its state to a record of reals and reads it back; it
 * takes every other step itself, so that the run has the bits that it would have alone. */
#ifndef RITTI_DRIVE_LEG_H
#define RITTI_DRIVE_LEG_H

#include "drive/driver.h"
#include "geometry/leg.h"

/* May the driver, which needs a step, take a leg? */
bool ritti_leg_fits(const ritti_driver *driver);
/* The number of reals of a record; reads: slots of the work row that the functions read. */
size_t ritti_leg_size(const ritti_problem *problem, int reads);
/* Writes the record: number i to record[i * stride]. */
void ritti_leg_save(ritti_driver *driver, const int *read, int reads, double *record,
                    size_t stride);
/* The number of steps that the leg has tried */
long ritti_leg_tried(const double *record, size_t stride);
/* Goes to where the leg has ended. */
void ritti_leg_load(ritti_driver *driver, const double *record, size_t stride);

#endif
