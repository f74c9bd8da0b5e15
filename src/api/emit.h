/* What `ritt emit` writes its files from. Private to the files in src/. */
#ifndef RITTI_EMIT_H
#define RITTI_EMIT_H

/* The numeric tower as one C source, line by line, then NULL; made by tools/amalgamate.c while
 * building. */
extern const char *const ritti_amalgamation[];

#endif
