/* Private to the two files of HDF5. */
#ifndef RITTI_HDF5_IMPL_H
#define RITTI_HDF5_IMPL_H

#include <hdf5.h>
#include "output_impl.h"

/* HDF5 neither prints nor, after a write that failed, tries again when the program ends. */
void ritti_hdf5_calm(void);
hid_t ritti_hdf5_text_type(void);
hsize_t ritti_hdf5_chunk(size_t columns); /* rows of a chunk */
/* `count` rows from row `first` on. */
bool ritti_hdf5_move_rows(hid_t data, hsize_t first, hsize_t count, size_t columns, double *block,
                          bool write);
ritt_status ritti_hdf5_make(ritti_reader *log, const ritti_about *about, const char *path,
                            const char *part, ritt_error *error);

#endif
