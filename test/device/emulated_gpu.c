/* A GPU for tests: the functions of libcuda and of NVRTC that jit/cuda.c calls, on the processor.
 *
 * The source is compiled as C++ by the system's compiler, and the threads of a kernel run one after
 * the other. Built as libcuda.so.1 and libnvrtc.so.13, found through LD_LIBRARY_PATH. With
 * RITT_TEST_GPU=none there is no device. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { FAILED = 999 };

/* ---- the driver ---- */

EXPORT int cuInit(unsigned flags) { return (int)flags; }
EXPORT int cuDeviceGetCount(int *count) {
  const char *word = getenv("RITT_TEST_GPU");
  *count = !(word && !strcmp(word, "none"));
  return 0;
}
EXPORT int cuDeviceGet(int *device, int number) { return *device = number, 0; }
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, (size_t)size, "emulated GPU %d", device);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int what, int device) {
  *value = what == 75 ? 9 : 0;
  return device;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  static int one;
  *context = &one;
  return device;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
EXPORT int cuCtxSetCurrent(void *context) { return context ? 0 : FAILED; }
EXPORT int cuStreamSynchronize_ptsz(void *stream) { return stream ? FAILED : 0; }
EXPORT int cuMemAlloc_v2(uint64_t *memory, size_t size) {
  void *at = malloc(size);
  *memory = (uint64_t)(uintptr_t)at;
  return at ? 0 : 2;
}
EXPORT int cuMemFree_v2(uint64_t memory) { return free((void *)(uintptr_t)memory), 0; }
EXPORT int cuMemcpyHtoD_v2_ptds(uint64_t to, const void *from, size_t size) {
  return memcpy((void *)(uintptr_t)to, from, size), 0;
}
EXPORT int cuMemcpyDtoH_v2_ptds(void *to, uint64_t from, size_t size) {
  return memcpy(to, (const void *)(uintptr_t)from, size), 0;
}
EXPORT int cuModuleLoadData(void **module, const void *path) {
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return *module ? 0 : FAILED;
}
EXPORT int cuModuleUnload(void *module) { return dlclose(module); }
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)name;
  *function = dlsym(module, "emulated_launch");
  return *function ? 0 : FAILED;
}
EXPORT int cuLaunchKernel_ptsz(void *function, unsigned blocks, unsigned blocks_y,
                               unsigned blocks_z, unsigned threads, unsigned threads_y,
                               unsigned threads_z, unsigned shared, void *stream, void **arguments,
                               void **more) {
  void (*launch)(unsigned, unsigned, void **);
  (void)blocks_y, (void)blocks_z, (void)threads_y, (void)threads_z, (void)shared;
  (void)stream, (void)more;
  memcpy(&launch, &function, sizeof launch);
  launch(blocks, threads, arguments);
  return 0;
}

/* ---- the compiler ---- */

typedef struct program {
  char *source, path[64], library[64];
} program;

static const char before[] =
    "static thread_local struct place { unsigned x; } blockIdx, blockDim, threadIdx;\n"
    "#define __global__\n#define __launch_bounds__(...)\n#define __constant__\n"
    "#define RITTI_EMULATED\n#define __shared__ static thread_local\n"
    "#define __dsqrt_rn(x) __builtin_sqrt(x)\n#define fabs(x) __builtin_fabs(x)\n";
static const char after[] =
    "extern \"C\" void emulated_launch(unsigned blocks, unsigned threads, void **a) {\n"
    "  blockDim.x = threads;\n"
    "  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)\n"
    "      ritt_legs(*(double **)a[0], *(long *)a[1], *(long *)a[2], *(long *)a[3]);\n}\n";

EXPORT int nvrtcCreateProgram(void **out, const char *source, const char *name, int headers,
                              const char *const *text, const char *const *names) {
  static int number;
  program *p = calloc(1, sizeof *p);
  (void)name, (void)headers, (void)text, (void)names;
  p->source = strdup(source);
  snprintf(p->path, sizeof p->path, "./gpu_%d_%d.cpp", (int)getpid(), number);
  snprintf(p->library, sizeof p->library, "./gpu_%d_%d.so", (int)getpid(), number++);
  *out = p;
  return 0;
}
EXPORT int nvrtcCompileProgram(void *handle, int count, const char *const *options) {
  program *p = handle;
  const char *contract = "off";
  char command[400];
  for (int i = 0; i < count; i++)
    if (!strcmp(options[i], "--fmad=true")) contract = "fast -DRITTI_FAST";
  FILE *file = fopen(p->path, "w");
  if (!file) return FAILED;
  fprintf(file, "%s%s%s", before, p->source, after);
  fclose(file);
  snprintf(command, sizeof command,
           "c++ -x c++ -std=c++20 -O1 -w -fPIC -shared -fpermissive -Wno-unknown-pragmas "
           "-ffp-contract=%s -o %s %s",
           contract, p->library, p->path);
  return system(command);
}
EXPORT int nvrtcGetCUBINSize(void *handle, size_t *size) {
  return *size = strlen(((program *)handle)->library) + 1, 0;
}
EXPORT int nvrtcGetCUBIN(void *handle, char *code) {
  return strcpy(code, ((program *)handle)->library), 0;
}
EXPORT int nvrtcGetProgramLogSize(void *handle, size_t *size) { return *size = !handle, 0; }
EXPORT int nvrtcGetProgramLog(void *handle, char *log) { return *log = '\0', !handle; }
EXPORT int nvrtcDestroyProgram(void **handle) {
  program *p = *handle;
  free(p->source);
  free(p);
  *handle = NULL;
  return 0;
}
