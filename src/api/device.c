/* The GPU of a batch: legs of many runs at a time.
 *
 * A run whose steps are ordinary waits until ritt_batch_step is called with it and others. Their
 * records go to the GPU, a kernel takes steps of each (geometry/leg_entry.h), and the drivers read the
 * records again. A driver takes the steps itself that its leg left to it. There is a kernel for each
 * form of the problem and its settings.
 */
#include <pthread.h>
#include <stdlib.h>
#include "jit/cuda.h"
#include "session.h"

enum {
  MOST_KERNELS = 8,
  MOST_ROOMS = 64,
  MOST_STEPS = 20000 /* of a leg */
};

struct ritti_device_kernel {
  ritti_device *device;
  uint64_t key[2];
  double *settings;       /* the record from which the settings in the source were taken */
  size_t size;            /* numbers of a record */
  ritti_cuda_kernel *run; /* NULL: it cannot be compiled */
};

struct ritti_device {
  pthread_mutex_t lock; /* of the kernels and rooms */
  ritti_cuda *cuda;
  bool fast;
  int count;
  ritti_device_kernel kernel[MOST_KERNELS];
  int rooms; /* memory on the GPU that no thread uses at the moment */
  ritti_cuda_room *room[MOST_ROOMS];
};

/* "cuda" or "cuda:N" as a number; -1: neither */
static int read_number(const char *name) {
  if (!strcmp(name, "cuda")) return 0;
  if (strncmp(name, "cuda:", 5) || !name[5]) return -1;
  char *end;
  long number = strtol(name + 5, &end, 10);
  return *end || number < 0 || number > 1000 ? -1 : (int)number;
}

ritt_status ritti_device_open(const char *name, bool fast, ritt_error *error, ritti_device **out) {
  const int number = read_number(name);
  if (number < 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "devices are cpu, cuda and cuda:N",
                      "'%.40s' is not a device", name);
  ritti_device *D = ritti_malloc(sizeof *D);
  if (!D) return ritti_no_memory(error);
  *D = (ritti_device){.fast = fast};
  pthread_mutex_init(&D->lock, NULL);
  ritt_status status = ritti_cuda_open(number, error, &D->cuda);
  if (status == RITT_OK) *out = D;
  else ritti_device_close(D);
  return status;
}

void ritti_device_close(ritti_device *D) {
  if (!D) return;
  for (int i = 0; i < D->count; i++) {
    ritti_cuda_kernel_free(D->kernel[i].run);
    ritti_free(D->kernel[i].settings);
  }
  for (int i = 0; i < D->rooms; i++) ritti_cuda_room_free(D->room[i]);
  ritti_cuda_close(D->cuda);
  pthread_mutex_destroy(&D->lock);
  ritti_free(D);
}

const char *ritti_device_name(const ritti_device *D) { return ritti_cuda_name(D->cuda); }

/* ---- kernels ---- */

/* Are the settings, which are constants of the source, the same? */
static bool has_settings(const double *a, const double *b, int m) {
  const size_t first = RITTI_LEG_HEAD + RITTI_LEG_SHARED * (size_t)m;
  for (int i = RITTI_LEG_LONGEST; i < RITTI_LEG_WHY; i++)
    if (i != RITTI_LEG_NOISY && a[i] != b[i]) return false;
  return !memcmp(a + first, b + first, (RITTI_LEG_VECTORS - RITTI_LEG_SHARED) * (size_t)m * 8);
}

static void compile_kernel(ritti_device *D, ritti_device_kernel *K, const ritti_problem *p,
                           const ritti_step_method *method) {
  ritti_text source = {0};
  ritt_error *error = ritt_error_new();
  if (error && ritti_cuda_write(p, method, K->settings, &source) == RITT_OK &&
      ritti_cuda_compile(D->cuda, source.at, D->fast, error, &K->run) != RITT_OK)
    K->run = NULL; /* these runs stay on the processor */
  ritt_error_free(error);
  ritti_text_free(&source);
}

/* The kernel for this problem, method and settings; a new one is compiled. NULL: too many. */
static ritti_device_kernel *find_kernel(ritti_device *D, ritti_session *S, const uint64_t key[2],
                                        const ritti_step_method *method) {
  const ritti_problem *p = S->driver->problem;
  for (int i = 0; i < D->count; i++) {
    ritti_device_kernel *K = &D->kernel[i];
    bool same = K->key[0] == key[0] && K->key[1] == key[1];
    if (same && has_settings(K->settings, S->batch.record, p->m)) return K;
  }
  if (D->count == MOST_KERNELS) return NULL;

  ritti_device_kernel *K = &D->kernel[D->count];
  *K = (ritti_device_kernel){.device = D, .key = {key[0], key[1]}};
  K->size = ritti_leg_size(p, S->batch.reads);
  K->settings = ritti_malloc(K->size * sizeof *K->settings);
  if (!K->settings) return NULL;
  memcpy(K->settings, S->batch.record, K->size * sizeof *K->settings);
  compile_kernel(D, K, p, method);
  D->count++;
  return K;
}

ritti_device_kernel *ritti_device_find(ritti_device *D, ritti_session *S) {
  ritti_step_method room;
  uint64_t key[2];
  const ritti_problem *p = S->driver->problem;
  const ritti_step_method *method = ritti_session_method(S, &room);
  bool fits = method && ritti_problem_slot(p) &&
              ritti_problem_sum(p, &(ritti_native_aim){.method = method}, key) &&
              ritti_batch_fits(p, method) && ritti_batch_make_record(S);
  if (!fits) return NULL;
  ritti_leg_save(S->driver, S->batch.read, S->batch.reads, S->batch.record, 1);
  pthread_mutex_lock(&D->lock);
  ritti_device_kernel *K = find_kernel(D, S, key, method);
  pthread_mutex_unlock(&D->lock);
  return K && K->run ? K : NULL;
}

/* ---- legs ---- */

static ritti_cuda_room *take_room(ritti_device *D) {
  pthread_mutex_lock(&D->lock);
  ritti_cuda_room *room = D->rooms ? D->room[--D->rooms] : NULL;
  pthread_mutex_unlock(&D->lock);
  return room ? room : ritti_cuda_room_new(D->cuda);
}

static void return_room(ritti_device *D, ritti_cuda_room *room) {
  pthread_mutex_lock(&D->lock);
  bool kept = room && D->rooms < MOST_ROOMS;
  if (kept) D->room[D->rooms++] = room;
  pthread_mutex_unlock(&D->lock);
  if (!kept) ritti_cuda_room_free(room);
}

/* The driver goes to where its leg has ended, and takes the step that the leg left to it. */
static void finish_leg(ritti_session *S, const double *record, size_t stride) {
  ritti_driver *d = S->driver;
  const long tried = ritti_leg_tried(record, stride);
  S->batch.steps += tried;
  if (tried > 0) ritti_leg_load(d, record, stride);
  bool left = record[RITTI_LEG_WHY * stride] == 1;
  if (left && ritti_driver_next(d) == RITTI_NEED_STEP) ritti_driver_take(d);
}

void ritti_device_step(ritti_device_kernel *K, ritti_session *const *S, int count) {
  const size_t size = K->size, stride = (size_t)count;
  double *records = ritti_malloc(size * stride * sizeof *records);
  ritt_error *error = ritt_error_new();
  for (int i = 0; records && i < count; i++)
    ritti_leg_save(S[i]->driver, S[i]->batch.read, S[i]->batch.reads, records + i, stride);
  ritti_cuda_room *room = take_room(K->device);
  bool done =
      records && error && room &&
      ritti_cuda_legs(K->run, room, records, size, count, MOST_STEPS, NULL, error) == RITT_OK;
  return_room(K->device, room);

  for (int i = 0; i < count; i++) {
    S[i]->batch.waits = false;
    if (done) finish_leg(S[i], records + i, stride);
    else S[i]->batch.kernel = NULL; /* the processor takes over */
  }
  ritti_free(records);
  ritt_error_free(error);
}

/* ---- numbers on the device ---- */

struct ritt_device_array {
  ritti_device *device;
  ritti_cuda_room *room;
};

ritt_status ritt_device_array_new(const char *device, const double *numbers, size_t count,
                                  void **at, int *number, ritt_error *error,
                                  ritt_device_array **out) {
  *out = NULL;
  ritt_device_array *array = ritti_malloc(sizeof *array);
  if (!array) return ritti_no_memory(error);
  *array = (ritt_device_array){0};

  uint64_t address = 0;
  ritt_status status = ritti_device_open(device, false, error, &array->device);
  if (status == RITT_OK) array->room = ritti_cuda_room_new(array->device->cuda);
  if (status == RITT_OK && !array->room) status = ritti_no_memory(error);
  if (status == RITT_OK) status = ritti_cuda_store(array->room, numbers, count, &address, error);
  if (status != RITT_OK) {
    ritt_device_array_free(array);
    return status;
  }
  *at = (void *)(uintptr_t)address;
  *number = read_number(device);
  *out = array;
  return RITT_OK;
}

void ritt_device_array_free(ritt_device_array *array) {
  if (!array) return;
  ritti_cuda_room_free(array->room);
  ritti_device_close(array->device);
  ritti_free(array);
}
