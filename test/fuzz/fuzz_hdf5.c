/* Fuzz target: HDF5 files of many shapes, good and not ours, made by the HDF5 library as the bytes
 * choose, are read or refused with one message. */
#include <hdf5.h>
#include <unistd.h>
#include "choices.h"
#include "output/output.h"

static choices bytes;

static hid_t choose_type(void) {
  hid_t text = H5Tcopy(H5T_C_S1), fixed = H5Tcopy(H5T_C_S1), type;
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_size(fixed, 5);
  switch (choose(&bytes, 6)) {
  case 0: type = H5Tcopy(H5T_IEEE_F64LE); break;
  case 1: type = H5Tcopy(text); break;
  case 2: type = H5Tcopy(fixed); break;
  case 3: type = H5Tcopy(H5T_STD_I32BE); break;
  case 4: type = H5Tcopy(H5T_IEEE_F32BE); break;
  default:
    type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "a", 0, H5T_IEEE_F64LE);
    break;
  }
  H5Tclose(text), H5Tclose(fixed);
  return type;
}

static hid_t choose_space(void) {
  hsize_t size[3] = {(hsize_t)choose(&bytes, 5), (hsize_t)choose(&bytes, 5), 2};
  int dimensions = choose(&bytes, 5);
  if (dimensions == 4) return H5Screate(H5S_NULL);
  return dimensions == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(dimensions, size, NULL);
}

/* Room for values of any of the types: zeros are empty texts, too. */
static const char zeros[4096];
static const char *const words[4 * 4 * 2] = {
    "t", "x", "y'", "t", "",  "lambda", "E", "z", "q", "w", "a", "b", "c", "d", "e", "f",
    "g", "h", "i",  "j", "k", "l",      "m", "n", "o", "p", "r", "s", "u", "v", "A", "B"};

static void add_attribute(hid_t to, const char *name) {
  hid_t type = choose_type(), space = choose_space();
  hid_t attribute = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) {
    H5Awrite(attribute, type,
             H5Tis_variable_str(type) > 0 && choose(&bytes, 4) ? (const void *)words : zeros);
    H5Aclose(attribute);
  }
  H5Sclose(space), H5Tclose(type);
}

static void add_dataset(hid_t to, const char *name, bool good) {
  hsize_t size[2] = {3, 2};
  hid_t type = good ? H5Tcopy(H5T_IEEE_F64LE) : choose_type();
  hid_t space = good ? H5Screate_simple(2, size, NULL) : choose_space();
  hid_t data = H5Dcreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (data >= 0) {
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
    static const char *const names[] = {"columns", "units"};
    for (int i = 0; i < 2; i++)
      if (choose(&bytes, 3)) add_attribute(data, names[i]);
    H5Dclose(data);
  }
  H5Sclose(space), H5Tclose(type);
}

static void add_group(hid_t file, const char *name) {
  hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  static const char *const parts[] = {"settings", "statistics"}, *const attributes[] = {"version",
                                                                                        "title"};
  if (group < 0) return;
  if (choose(&bytes, 4)) add_dataset(group, "data", choose(&bytes, 3) > 0);
  if (choose(&bytes, 3)) add_dataset(group, "model", false);
  for (int i = 0; i < 2; i++) {
    if (choose(&bytes, 3)) add_attribute(group, attributes[i]);
    hid_t part =
        choose(&bytes, 3) ? H5Gcreate2(group, parts[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (part < 0) continue;
    for (int k = choose(&bytes, 4); k > 0; k--) add_attribute(part, words[choose(&bytes, 10)]);
    H5Gclose(part);
  }
  H5Gclose(group);
}

static void make(const char *path) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return;
  static const char *const names[] = {"run", "run000001", "other"};
  for (int i = choose(&bytes, 4); i >= 0; i--) add_group(file, names[i % 3]);
  if (choose(&bytes, 3) == 0) add_dataset(file, "data", false);
  if (choose(&bytes, 3) == 0) H5Lcreate_soft("/nowhere", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  ritti_result result;
  ritt_error *error = ritt_error_new();
  bytes = (choices){data, size};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  snprintf(path, sizeof path, "/tmp/ritt-fuzz_hdf5-%ld.h5", (long)getpid());
  make(path);
  ritt_status status = ritti_result_read(path, error, &result);
  must((status == RITT_OK) == (ritt_error_count(error) == 0));
  if (status == RITT_OK) {
    for (size_t i = 0; i < result.about->columns; i++) must(result.about->name[i] != NULL);
    ritti_result_free(&result);
  }
  unlink(path);
  ritt_error_free(error);
  return 0;
}
