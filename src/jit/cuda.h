/* A GPU: sources are compiled by NVRTC and run by the driver's library. Both are found when they are
 * first asked for; building needs neither. */
#ifndef RITTI_CUDA_H
#define RITTI_CUDA_H

#include "base/base.h"

typedef struct ritti_cuda ritti_cuda;

/* Opens a device, counted from 0. Without one: RITT_SYSTEM and one message. */
ritt_status ritti_cuda_open(int device, ritt_error *error, ritti_cuda **out) RITT_USE;
/* All kernels must be freed before. */
void ritti_cuda_close(ritti_cuda *cuda);
const char *ritti_cuda_name(const ritti_cuda *cuda);

typedef struct ritti_cuda_kernel ritti_cuda_kernel;
/* Compiles the source of ritti_cuda_write and loads it. fast: products and sums may be contracted;
 * else the bits are those of the processor. */
ritt_status ritti_cuda_compile(ritti_cuda *cuda, const char *source, bool fast, ritt_error *error,
                               ritti_cuda_kernel **out) RITT_USE;
void ritti_cuda_kernel_free(ritti_cuda_kernel *kernel);

/* Memory on the device, for one launch at a time. NULL: no memory */
typedef struct ritti_cuda_room ritti_cuda_room;
ritti_cuda_room *ritti_cuda_room_new(ritti_cuda *cuda);
void ritti_cuda_room_free(ritti_cuda_room *room);
/* Copies the numbers into the room. Returns their address on the device in *at. */
ritt_status ritti_cuda_store(ritti_cuda_room *room, const double *numbers, size_t count,
                             uint64_t *at, ritt_error *error) RITT_USE;
/* Legs of `count` runs, with `size` numbers each: number i of run r is records[i * count + r]. Of each
 * at most `most` steps. *seconds, if not NULL: the time of the kernel alone. Threads with rooms of
 * their own may call this side by side. */
ritt_status ritti_cuda_legs(ritti_cuda_kernel *kernel, ritti_cuda_room *room, double *records,
                            size_t size, long count, long most, double *seconds,
                            ritt_error *error) RITT_USE;

#endif
