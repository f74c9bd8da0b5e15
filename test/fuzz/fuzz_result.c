/* Fuzz target: any bytes are either read as a result, twice the same, or refused with one message.
 * HDF5 is left out: its library reads the bytes there (see fuzz_hdf5). */
#include "choices.h"
#include "output/output.h"

static ritti_reader *open_bytes(const uint8_t *data, size_t size, ritt_error *error) {
  ritti_reader *reader;
  FILE *stream = fmemopen((void *)data, size, "rb");
  if (!stream) return NULL;
  ritt_status status = ritti_reader_open_stream(stream, "fuzz", error, &reader);
  must((status == RITT_OK) == (reader != NULL) &&
       (status == RITT_OK) == (ritt_error_count(error) == 0));
  return reader;
}

/* Reads to the end, or to what is wrong; a sum that depends on every bit. */
static uint64_t read_rows(ritti_reader *reader, size_t *rows, ritt_error *error) {
  size_t columns = ritti_reader_about(reader)->columns;
  uint64_t sum = 14695981039346656037u;
  const double *row;
  for (*rows = 0;; ++*rows) {
    ritt_status status = ritti_reader_row(reader, &row, error);
    must((status == RITT_OK) == (ritt_error_count(error) == 0));
    if (!row) return sum;
    for (size_t i = 0; i < columns; i++) {
      uint64_t bits;
      memcpy(&bits, &row[i], sizeof bits);
      sum = (sum ^ bits) * 1099511628211u;
    }
  }
}

/* What a result says about itself is there and ends. */
static void look_at_about(const ritti_about *about) {
  size_t letters = 0;
  must(about->columns > 0);
  for (size_t i = 0; i < about->columns; i++) {
    letters += strlen(about->name[i]);
    if (about->unit) letters += strlen(about->unit[i]);
    for (size_t k = 0; k < i && i < 50; k++) must(strcmp(about->name[i], about->name[k]));
  }
  for (int k = 0; k < 2; k++) {
    const ritti_facts *facts = k ? &about->settings : &about->statistics;
    for (size_t i = 0; i < facts->count; i++)
      letters += strlen(facts->at[i].key) +
                 (facts->at[i].kind == RITTI_FACT_TEXT ? strlen(facts->at[i].text) : 0);
  }
  letters += (about->title ? strlen(about->title) : 0) + (about->model ? strlen(about->model) : 0);
  must(letters < (size_t)1 << 40);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ritt_error *error = ritt_error_new();
  ritti_reader *reader = error && size > 0 ? open_bytes(data, size, error) : NULL;
  if (reader) {
    size_t rows, again;
    look_at_about(ritti_reader_about(reader));
    uint64_t sum = read_rows(reader, &rows, error);
    bool broken = ritt_error_count(error) > 0;
    ritt_error_clear(error);
    must(ritti_reader_rewind(reader, error) == RITT_OK);
    must(read_rows(reader, &again, error) == sum && again == rows &&
         broken == (ritt_error_count(error) > 0));
  }
  ritti_reader_close(reader);
  ritt_error_free(error);
  return 0;
}
