/* Private to src/output: files that say why they could not be written, and gnuplot as a child process. */
#ifndef RITTI_OUTPUT_IMPL_H
#define RITTI_OUTPUT_IMPL_H

#include "output.h"

/* Each of these gives 0, or the errno that tells why not. */
int ritti_file_open(const char *path, int *file); /* emptied if it is there; path "-": stdout */
int ritti_file_write(int file, const char *bytes, size_t count, size_t *written);
int ritti_file_close(int file); /* leaves stdout open */

/* The message for such an errno. */
ritt_status ritti_file_failed(ritt_error *error, const char *path, int reason);

/* Gives the script to gnuplot's stdin and takes the picture from its stdout; RITT_OK only if gnuplot ended
 * well. */
ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture, ritt_error *error) RITT_USE;

#endif
