/* What hdf5.c and hdf5_read.c share. */
#ifndef RITTI_HDF5_IMPL_H
#define RITTI_HDF5_IMPL_H

#include <hdf5.h>
#include "output_impl.h"

/* Keeps HDF5 from printing messages and from repeating a failed write when the program ends. */
void ritti_hdf5_calm(void);
/* The type of all texts; close it with H5Tclose. */
hid_t ritti_hdf5_text_type(void);
/* The number of rows of a chunk. */
hsize_t ritti_hdf5_chunk(size_t columns);
/* Writes or reads `count` rows, starting with row `first`. */
bool ritti_hdf5_move_rows(hid_t data, hsize_t first, hsize_t count, size_t columns, double *block,
                          bool write);
/* Writes the result of a log as an HDF5 file; see `make` in ritti_format_def. */
ritt_status ritti_hdf5_make(ritti_reader *log, const ritti_about *about, const char *path,
                            const char *part, ritt_error *error);

#endif
