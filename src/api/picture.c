/* The icon of an FMU, as a PNG file: a point that moves on a curve. The picture is grey, 64 by 64, and
 * not compressed. */
#include "emit.h"

enum { SIZE = 64, ROW = SIZE + 1, DATA = SIZE * ROW };

static void add_four(ritti_text *out, uint32_t x) {
  const unsigned char bytes[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16),
                                  (unsigned char)(x >> 8), (unsigned char)x};
  ritti_text_add_bytes(out, (const char *)bytes, sizeof bytes);
}

static uint32_t find_crc(const unsigned char *bytes, size_t count) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < count; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

static uint32_t find_adler(const unsigned char *bytes, size_t count) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < count; i++) a = (a + bytes[i]) % 65521, b = (b + a) % 65521;
  return b << 16 | a;
}

/* A chunk of the file: its length, its name and data, their sum. */
static void add_chunk(ritti_text *out, const ritti_text *named) {
  add_four(out, (uint32_t)named->count - 4);
  ritti_text_add_bytes(out, named->at, named->count);
  add_four(out, find_crc((const unsigned char *)named->at, named->count));
}

/* How dark the pixel is, from 0 to 1: a line of some width, its border smooth. */
static double shade_line(double distance, double width) {
  return fmin(1, fmax(0, width / 2 + 0.5 - fabs(distance)));
}

static unsigned char shade_pixel(double x, double y) {
  double circle = shade_line(hypot(x - 32, y - 32) - 22, 3);
  double angle = 0.9, px = 32 + 22 * cos(angle), py = 32 + 22 * sin(angle);
  double point = shade_line(hypot(x - px, y - py), 13);
  double along = -(x - px) * sin(angle) + (y - py) * cos(angle);
  double aside = (x - px) * cos(angle) + (y - py) * sin(angle);
  double way = along > 0 && along < 20 ? shade_line(aside, 2) : 0;
  return (unsigned char)(255 - 200 * fmax(fmax(0.6 * circle, point), way));
}

void ritti_picture_write(ritti_text *out) {
  static const char sign[] = "\x89PNG\r\n\x1a\n";
  unsigned char data[DATA];
  for (int y = 0; y < SIZE; y++) {
    data[y * ROW] = 0;
    for (int x = 0; x < SIZE; x++) data[y * ROW + 1 + x] = shade_pixel(x, y);
  }

  ritti_text chunk = {0};
  ritti_text_add_bytes(out, sign, sizeof sign - 1);
  ritti_text_add_bytes(&chunk, "IHDR", 4);
  add_four(&chunk, SIZE);
  add_four(&chunk, SIZE);
  ritti_text_add_bytes(&chunk, "\x08\0\0\0\0", 5);
  if (chunk.status == RITT_OK) add_chunk(out, &chunk);
  ritti_text_free(&chunk);

  /* one block that is stored as it is */
  const unsigned char head[7] = {
      0x78, 0x01, 1, DATA & 0xff, DATA >> 8, ~DATA & 0xff, ~DATA >> 8 & 0xff};
  chunk = (ritti_text){0};
  ritti_text_add_bytes(&chunk, "IDAT", 4);
  ritti_text_add_bytes(&chunk, (const char *)head, sizeof head);
  ritti_text_add_bytes(&chunk, (const char *)data, sizeof data);
  add_four(&chunk, find_adler(data, sizeof data));
  if (chunk.status == RITT_OK) add_chunk(out, &chunk);
  else out->status = chunk.status;
  ritti_text_free(&chunk);

  chunk = (ritti_text){0};
  ritti_text_add_bytes(&chunk, "IEND", 4);
  if (chunk.status == RITT_OK) add_chunk(out, &chunk);
  ritti_text_free(&chunk);
}
