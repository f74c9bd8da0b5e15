/* A fuzz target without libFuzzer: runs the files and the files of the folders that are named, then
 * some hundred inputs of random bytes, the same every time. Ends with the target's abort where
 * something does not hold. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "check.h"
#include "choices.h"

enum { LARGEST = 1 << 20, RANDOM = 100 };

static void run_file(const char *path) {
  static uint8_t bytes[LARGEST];
  FILE *f = fopen(path, "rb");
  if (!f) printf("cannot open %s\n", path), exit(1);
  size_t size = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  printf("%s\n", path), fflush(stdout); /* the last one is to blame */
  uint8_t *copy = malloc(size + !size); /* so that reading past its end is seen */
  if (!copy) exit(1);
  memcpy(copy, bytes, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  checks_passed++;
}

static void run_path(const char *path) {
  DIR *d = opendir(path);
  struct dirent *e;
  char name[2048];
  if (!d) {
    run_file(path);
    return;
  }
  while ((e = readdir(d))) {
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    run_path(name);
  }
  closedir(d);
}

int main(int count, char **path) {
  uint8_t bytes[256];
  for (int i = 1; i < count; i++) run_path(path[i]);
  for (int i = 0; i < RANDOM; i++) {
    size_t size = (size_t)(i * 7 % 256);
    for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)((check_random() + 1) * 128);
    printf("random input %d\n", i), fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    checks_passed++;
  }
  return CHECKS_DONE();
}
