/* NVRTC and libcuda by dlopen: see cuda.h. */
#include "jit/cuda.h"
#include <dlfcn.h>
#include "base/clock.h"

/* The functions that are used: X(library, name, arguments). Handles are pointers. Those that end in
 * _ptds and _ptsz work in a stream of the calling thread, so that launches of several threads run side
 * by side. */
#define FUNCTIONS(X)                                                                               \
  X(driver, cuInit, (unsigned))                                                                    \
  X(driver, cuDeviceGetCount, (int *))                                                             \
  X(driver, cuDeviceGet, (int *, int))                                                             \
  X(driver, cuDeviceGetName, (char *, int, int))                                                   \
  X(driver, cuDeviceGetAttribute, (int *, int, int))                                               \
  X(driver, cuDevicePrimaryCtxRetain, (void **, int))                                              \
  X(driver, cuDevicePrimaryCtxRelease_v2, (int))                                                   \
  X(driver, cuCtxSetCurrent, (void *))                                                             \
  X(driver, cuStreamSynchronize_ptsz, (void *))                                                    \
  X(driver, cuModuleLoadData, (void **, const void *))                                             \
  X(driver, cuModuleUnload, (void *))                                                              \
  X(driver, cuModuleGetFunction, (void **, void *, const char *))                                  \
  X(driver, cuMemAlloc_v2, (uint64_t *, size_t))                                                   \
  X(driver, cuMemFree_v2, (uint64_t))                                                              \
  X(driver, cuMemcpyHtoD_v2_ptds, (uint64_t, const void *, size_t))                                \
  X(driver, cuMemcpyDtoH_v2_ptds, (void *, uint64_t, size_t))                                      \
  X(driver, cuLaunchKernel_ptsz,                                                                   \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,         \
     void **, void **))                                                                            \
  X(compiler, nvrtcCreateProgram,                                                                  \
    (void **, const char *, const char *, int, const char *const *, const char *const *))          \
  X(compiler, nvrtcCompileProgram, (void *, int, const char *const *))                             \
  X(compiler, nvrtcGetCUBINSize, (void *, size_t *))                                               \
  X(compiler, nvrtcGetCUBIN, (void *, char *))                                                     \
  X(compiler, nvrtcGetProgramLogSize, (void *, size_t *))                                          \
  X(compiler, nvrtcGetProgramLog, (void *, char *))                                                \
  X(compiler, nvrtcDestroyProgram, (void **))

struct ritti_cuda {
  void *driver, *compiler; /* libraries */
  void *context;
  int device, number, major, minor; /* number: the driver's handle of the device */
  char title[128];
#define X(library, name, arguments) int(*name) arguments;
  FUNCTIONS(X)
#undef X
};

struct ritti_cuda_kernel {
  ritti_cuda *cuda;
  void *module, *function;
};

struct ritti_cuda_room {
  ritti_cuda *cuda;
  uint64_t memory; /* on the device, kept from launch to launch */
  size_t bytes;
};

const char *ritti_cuda_name(const ritti_cuda *C) { return C->title; }

static void *open_library(const char *const *names) {
  for (; *names; names++) {
    void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

static ritt_status report_failure(ritt_error *error, const char *what, int code) {
  return ritti_fail(error, RITT_SYSTEM, NULL, "run without --device cuda",
                    "the GPU cannot be used: %s (%d)", what, code);
}

static ritt_status find_functions(ritti_cuda *C, ritt_error *error) {
  static const char *const drivers[] = {"libcuda.so.1", "libcuda.so", NULL};
  static const char *const compilers[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so", NULL};
  C->driver = open_library(drivers);
  if (!C->driver)
    return ritti_fail(error, RITT_SYSTEM, NULL, "run without --device cuda",
                      "there is no GPU here: libcuda.so.1, the library of its driver, is missing");
  C->compiler = open_library(compilers);
  if (!C->compiler)
    return ritti_fail(error, RITT_SYSTEM, NULL, "install NVRTC, or run without --device cuda",
                      "libnvrtc.so, the compiler for the GPU, is missing");
#define X(library, name, arguments)                                                                \
  {                                                                                                \
    void *symbol = dlsym(C->library, #name);                                                       \
    if (!symbol) return report_failure(error, #name " is missing", 0);                             \
    memcpy(&C->name, &symbol, sizeof symbol);                                                      \
  }
  FUNCTIONS(X)
#undef X
  return RITT_OK;
}

static ritt_status open_device(ritti_cuda *C, ritt_error *error) {
  enum { MAJOR = 75, MINOR = 76 };
  int count = 0, code = C->cuInit(0);
  if (!code) code = C->cuDeviceGetCount(&count);
  if (code || count == 0)
    return ritti_fail(error, RITT_SYSTEM, NULL, "run without --device cuda",
                      "there is no GPU here that CUDA can use");
  if (C->device >= count)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "there is no GPU %d: the last one is %d",
                      C->device, count - 1);
  code = C->cuDeviceGet(&C->number, C->device);
  if (!code) code = C->cuDeviceGetName(C->title, sizeof C->title, C->number);
  if (!code) code = C->cuDeviceGetAttribute(&C->major, MAJOR, C->number);
  if (!code) code = C->cuDeviceGetAttribute(&C->minor, MINOR, C->number);
  if (!code) code = C->cuDevicePrimaryCtxRetain(&C->context, C->number);
  if (!code) code = C->cuCtxSetCurrent(C->context);
  return code ? report_failure(error, "its context cannot be made", code) : RITT_OK;
}

ritt_status ritti_cuda_open(int device, ritt_error *error, ritti_cuda **out) {
  ritti_cuda *C = ritti_malloc(sizeof *C);
  *out = C;
  if (!C) return ritti_no_memory(error);
  memset(C, 0, sizeof *C);
  C->device = device;
  RITT_TRY(find_functions(C, error));
  return open_device(C, error);
}

void ritti_cuda_close(ritti_cuda *C) {
  if (!C) return;
  if (C->context) C->cuDevicePrimaryCtxRelease_v2(C->number);
  ritti_free(C); /* libraries of drivers stay */
}

/* The messages of the compiler. */
static ritt_status report_log(ritti_cuda *C, void *program, ritt_error *error) {
  size_t size = 0;
  char *log = NULL;
  if (C->nvrtcGetProgramLogSize(program, &size) == 0) log = ritti_malloc(size + 1);
  bool known = log && C->nvrtcGetProgramLog(program, log) == 0;
  if (known) log[size] = '\0';
  ritt_status failed = ritti_fail(error, RITT_SYSTEM, NULL, "run without --device cuda",
                                  "NVRTC does not compile the model: %.400s", known ? log : "");
  ritti_free(log);
  return failed;
}

static ritt_status compile_program(ritti_cuda *C, void *program, bool fast, ritti_cuda_kernel *out,
                                   ritt_error *error) {
  char target[64], *code = NULL;
  size_t size = 0;
  ritti_format(target, sizeof target, "--gpu-architecture=sm_%d%d", C->major, C->minor);
  const char *const options[] = {target,
                                 "--std=c++20",
                                 "--device-as-default-execution-space",
                                 fast ? "--fmad=true" : "--fmad=false",
                                 "--disable-warnings",
                                 fast ? "--define-macro=RITTI_FAST"
                                      : "--define-macro=RITTI_STRICT"};
  if (C->nvrtcCompileProgram(program, 6, options)) return report_log(C, program, error);
  int status = C->nvrtcGetCUBINSize(program, &size);
  if (!status) code = ritti_malloc(size);
  if (!code) return report_failure(error, "NVRTC gives no code", status);
  status = C->nvrtcGetCUBIN(program, code);
  if (!status) status = C->cuCtxSetCurrent(C->context);
  if (!status) status = C->cuModuleLoadData(&out->module, code);
  ritti_free(code);
  if (!status) status = C->cuModuleGetFunction(&out->function, out->module, "ritt_legs");
  return status ? report_failure(error, "its code cannot be loaded", status) : RITT_OK;
}

ritt_status ritti_cuda_compile(ritti_cuda *C, const char *source, bool fast, ritt_error *error,
                               ritti_cuda_kernel **out) {
  void *program = NULL;
  *out = ritti_malloc(sizeof **out);
  if (!*out) return ritti_no_memory(error);
  **out = (ritti_cuda_kernel){.cuda = C};
  int code = C->nvrtcCreateProgram(&program, source, "model.cu", 0, NULL, NULL);
  ritt_status status = code ? report_failure(error, "NVRTC cannot begin", code)
                            : compile_program(C, program, fast, *out, error);
  if (!code) C->nvrtcDestroyProgram(&program);
  if (status == RITT_OK) return RITT_OK;
  ritti_cuda_kernel_free(*out);
  *out = NULL;
  return status;
}

void ritti_cuda_kernel_free(ritti_cuda_kernel *K) {
  if (!K) return;
  K->cuda->cuCtxSetCurrent(K->cuda->context);
  if (K->module) K->cuda->cuModuleUnload(K->module);
  ritti_free(K);
}

ritti_cuda_room *ritti_cuda_room_new(ritti_cuda *C) {
  ritti_cuda_room *room = ritti_malloc(sizeof *room);
  if (room) *room = (ritti_cuda_room){.cuda = C};
  return room;
}

void ritti_cuda_room_free(ritti_cuda_room *room) {
  if (!room) return;
  room->cuda->cuCtxSetCurrent(room->cuda->context);
  if (room->memory) room->cuda->cuMemFree_v2(room->memory);
  ritti_free(room);
}

/* Makes room on the device; what was there is lost. */
static int reserve_memory(ritti_cuda_room *room, size_t bytes) {
  if (bytes <= room->bytes) return 0;
  if (room->memory) room->cuda->cuMemFree_v2(room->memory);
  room->memory = 0;
  room->bytes = 0;
  int code = room->cuda->cuMemAlloc_v2(&room->memory, bytes);
  if (!code) room->bytes = bytes;
  return code;
}

ritt_status ritti_cuda_store(ritti_cuda_room *room, const double *numbers, size_t count,
                             uint64_t *at, ritt_error *error) {
  ritti_cuda *C = room->cuda;
  const size_t bytes = count * sizeof *numbers;
  int code = C->cuCtxSetCurrent(C->context);
  if (!code) code = reserve_memory(room, bytes ? bytes : 1);
  if (code) return report_failure(error, "its memory is too small", code);
  if (bytes) code = C->cuMemcpyHtoD_v2_ptds(room->memory, numbers, bytes);
  if (!code) code = C->cuStreamSynchronize_ptsz(NULL);
  *at = room->memory;
  return code ? report_failure(error, "numbers cannot be copied to it", code) : RITT_OK;
}

ritt_status ritti_cuda_legs(ritti_cuda_kernel *K, ritti_cuda_room *room, double *records,
                            size_t size, long count, long most, double *seconds,
                            ritt_error *error) {
  enum { THREADS = 64 };
  ritti_cuda *C = K->cuda;
  const size_t bytes = size * (size_t)count * sizeof *records;
  long stride = count;
  void *arguments[] = {&room->memory, &stride, &count, &most};
  int code = C->cuCtxSetCurrent(C->context);
  if (!code) code = reserve_memory(room, bytes);
  if (code) return report_failure(error, "its memory is too small", code);
  code = C->cuMemcpyHtoD_v2_ptds(room->memory, records, bytes);
  if (!code) code = C->cuStreamSynchronize_ptsz(NULL);
  double begin = ritti_clock();
  if (!code)
    code = C->cuLaunchKernel_ptsz(K->function, (unsigned)((count + THREADS - 1) / THREADS), 1, 1,
                                  THREADS, 1, 1, 0, NULL, arguments, NULL);
  if (!code) code = C->cuStreamSynchronize_ptsz(NULL);
  if (seconds) *seconds = ritti_clock() - begin;
  if (!code) code = C->cuMemcpyDtoH_v2_ptds(records, room->memory, bytes);
  return code ? report_failure(error, "a kernel failed", code) : RITT_OK;
}
