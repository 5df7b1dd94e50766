/* gradus_tiny MODEL: translates greedily with an int8 Bahdanau model. Needs only C11 and this file.
 *
 * Reads one sentence per line from standard input, as tokens separated by spaces. Writes the tokens of each
 * translation on a line. `gradus export` writes MODEL. Products round their inputs to int8 as gradus/compress/int8.hpp
 * does, and sum integers exactly. The tokens therefore equal those of `gradus translate`, unless two tokens are almost
 * equally likely, so that rounding decides. Memory is allocated once, for a sentence of LONGEST tokens.
 *
 * The file is little-endian: MAGIC, an FNV-1a checksum of the bytes after it, eight sizes, both vocabularies as lines
 * of text from id 4, and the parts of struct model in their order. A matrix (N, K) is N scales in f32, then N·K
 * integers in int8. Each vocabulary and the integers of each matrix are padded to a multiple of 4 bytes. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD, BOS, EOS, UNK, FIRST_WORD, LONGEST = 256, MAX_LINE = 16384 };
static const char MAGIC[8] = "gradus1";

struct matrix { int rows, columns; const float *scales; const int8_t *values; };
struct gru { struct matrix input, hidden; const float *input_bias, *hidden_bias; };

static struct model {
  uint32_t source_words, target_words, E, H, A, M, source_bytes, target_bytes;  /* M: size of the maxout, or 0 */
  const char **source, **target;  /* the words, from id 4 on */
  struct matrix source_embedding;
  struct gru forward, backward;
  struct matrix target_embedding, bridge;
  struct gru decoder;
  struct matrix query, key;  /* W_a, U_a */
  const float *energy;       /* v_a */
  struct matrix maxout;
  const float *maxout_bias;
  struct matrix output;
  const float *output_bias;
} m;

/* Prints the quoted path and the fault of the file. `what` states the fault, and begins with the closing quote. */
static _Noreturn void refuse(const char *what, const char *path) {
  fputs("gradus_tiny: '", stderr);
  fputs(path, stderr);
  fputs(what, stderr);
  fputs("; write it again with gradus export\n", stderr);
  exit(1);
}

static _Noreturn void refuse_to_read(const char *path) {
  const char *reason = strerror(errno);
  fputs("gradus_tiny: cannot read '", stderr);
  fputs(path, stderr);
  fputs("': ", stderr);
  fputs(reason, stderr);
  fputs("; give a file of gradus export\n", stderr);
  exit(1);
}

static void *allocate(size_t bytes) {
  void *memory = calloc(bytes ? bytes : 1, 1);
  if (memory) return memory;
  fputs("gradus_tiny: out of memory; use a smaller model\n", stderr);
  exit(1);
}

/* ---- The file ---- */

static struct { const char *path; const uint8_t *at, *end; } in;

static const void *take(uint64_t bytes) {
  const uint8_t *from = in.at;
  bytes = (bytes + 3) / 4 * 4;
  if (bytes > (uint64_t)(in.end - in.at)) refuse("' is shorter than its sizes say", in.path);
  in.at += bytes;
  return from;
}

static struct matrix take_matrix(uint64_t rows, uint64_t columns) {
  struct matrix taken = {(int)rows, (int)columns, NULL, NULL};
  taken.scales = take(4 * rows);
  taken.values = take(rows * columns);
  return taken;
}

static struct gru take_gru(uint64_t inputs) {
  struct gru taken;
  taken.input = take_matrix(3 * m.H, inputs);
  taken.hidden = take_matrix(3 * m.H, m.H);
  taken.input_bias = take(12 * m.H);
  taken.hidden_bias = take(12 * m.H);
  return taken;
}

/* Takes the lines of a text as words. `count` includes the ids before FIRST_WORD. */
static const char **take_words(uint32_t bytes, uint32_t count) {
  char *text = allocate((size_t)bytes + 1), *at = text;
  const char **words = allocate(count * sizeof *words);
  uint32_t id = FIRST_WORD;
  memcpy(text, take(bytes), bytes);
  for (; *at && id < count; ++id) {
    char *end = strchr(at, '\n');
    if (!end) break;
    *end = 0;
    words[id] = at;
    at = end + 1;
  }
  if (id != count || at != text + bytes) refuse("' has a vocabulary of another size", in.path);
  return words;
}

static void load(const char *path) {
  FILE *file = fopen(path, "rb");
  long size;
  uint8_t *bytes;
  uint32_t sum = 2166136261U, *sizes[] = {&m.source_words, &m.target_words, &m.E, &m.H, &m.A, &m.M,
                                          &m.source_bytes, &m.target_bytes};
  in.path = path;
  if (!file || (getc(file) == EOF && ferror(file))) refuse_to_read(path);  /* a folder opens, but cannot be read */
  if (fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) refuse_to_read(path);
  bytes = allocate((size_t)size);
  if (fread(bytes, 1, (size_t)size, file) != (size_t)size) refuse_to_read(path);
  fclose(file);
  in.at = bytes;
  in.end = bytes + size;
  if (size < 44 || memcmp(take(sizeof MAGIC), MAGIC, sizeof MAGIC)) refuse("' is not a model for gradus_tiny", path);
  for (const uint8_t *at = bytes + 12; at < in.end; ++at) sum = (sum ^ *at) * 16777619U;
  if (memcmp(take(4), &sum, 4)) refuse("' is damaged", path);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memcpy(sizes[i], take(4), 4);
    if (*sizes[i] > 1U << 24) refuse("' has a size above 2^24", path);
  }
  if (m.source_words <= FIRST_WORD || m.target_words <= FIRST_WORD || !m.E || !m.H || !m.A) refuse("' has a size that is too small", path);
  m.source = take_words(m.source_bytes, m.source_words);
  m.target = take_words(m.target_bytes, m.target_words);
  const uint64_t E = m.E, H = m.H, features = 3 * H + E;
  m.source_embedding = take_matrix(m.source_words, E);
  m.forward = take_gru(E);
  m.backward = take_gru(E);
  m.target_embedding = take_matrix(m.target_words, E);
  m.bridge = take_matrix(H, H);
  m.decoder = take_gru(E + 2 * H);
  m.query = take_matrix(m.A, H);
  m.key = take_matrix(m.A, 2 * H);
  m.energy = take(4 * m.A);
  if (m.M) {
    m.maxout = take_matrix(2 * m.M, features);
    m.maxout_bias = take(8 * m.M);
  }
  m.output = take_matrix(m.target_words, m.M ? m.M : features);
  m.output_bias = take(4 * m.target_words);
  if (in.at != in.end) refuse("' is longer than its sizes say", path);
}

/* ---- The arithmetic ---- */

static int8_t *rounded;  /* the int8 input of a product */

/* y ← x·Pᵀ + d, where P is the columns [first, first + columns) of W. d may be NULL (no d) or equal y. */
static void multiply(const struct matrix *W, int first, int columns, const float *x, const float *d, float *y) {
  float most = 0, factor, scale;
  for (int l = 0; l < columns; ++l) most = fmaxf(most, fabsf(x[l]));
  factor = most < 0x1p-100F ? 0 : 127 / most;
  scale = most < 0x1p-100F ? 0 : most / 127;
  for (int l = 0; l < columns; ++l) rounded[l] = (int8_t)lrintf(x[l] * factor);
  for (int i = 0; i < W->rows; ++i) {
    const int8_t *q = W->values + (size_t)i * (size_t)W->columns + first;
    int32_t sum = 0;
    for (int l = 0; l < columns; ++l) sum += rounded[l] * q[l];
    y[i] = (float)sum * (scale * W->scales[i]) + (d ? d[i] : 0);
  }
}

static void embed(const struct matrix *E, int id, float *y) {
  for (int l = 0; l < E->columns; ++l) y[l] = E->scales[id] * E->values[(size_t)id * (size_t)E->columns + (size_t)l];
}

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

static float *spare;  /* (3H) */

/* Updates the state h. x is the part of the gates that comes from the input: W_ih · input + b_ih. */
static void step(const struct gru *cell, const float *x, float *h) {
  const int H = (int)m.H;
  multiply(&cell->hidden, 0, H, h, cell->hidden_bias, spare);
  for (int i = 0; i < H; ++i) {
    const float r = sigmoid(x[i] + spare[i]), z = sigmoid(x[H + i] + spare[H + i]);
    const float n = tanhf(x[2 * H + i] + r * spare[2 * H + i]);
    h[i] = (1 - z) * n + z * h[i];
  }
}

/* ---- A sentence ---- */

static float *annotations, *keys, *weights, *part, *features, *hidden, *logits, *state;

static void encode(const int *source, int length) {
  const int H = (int)m.H, E = (int)m.E;
  float *y = features;
  for (int reverse = 0; reverse < 2; ++reverse) {
    const struct gru *cell = reverse ? &m.backward : &m.forward;
    memset(state, 0, (size_t)H * sizeof *state);
    for (int i = 0; i < length; ++i) {
      const int j = reverse ? length - 1 - i : i;
      embed(&m.source_embedding, source[j], y);
      multiply(&cell->input, 0, E, y, cell->input_bias, part);
      step(cell, part, state);
      memcpy(annotations + (size_t)j * 2 * m.H + (reverse ? m.H : 0), state, m.H * sizeof *state);
    }
  }
  for (int j = 0; j < length; ++j) multiply(&m.key, 0, 2 * H, annotations + (size_t)j * 2 * m.H, NULL, keys + (size_t)j * m.A);
  multiply(&m.bridge, 0, H, annotations + m.H, NULL, state);  /* the backward state of the first token */
  for (int i = 0; i < H; ++i) state[i] = tanhf(state[i]);
}

/* Writes the context for the current state to c. */
static void attend(int length, float *c) {
  float most = -INFINITY, sum = 0;
  multiply(&m.query, 0, (int)m.H, state, NULL, hidden);
  for (int j = 0; j < length; ++j) {
    weights[j] = 0;
    for (uint32_t a = 0; a < m.A; ++a) weights[j] += m.energy[a] * tanhf(hidden[a] + keys[(size_t)j * m.A + a]);
    most = fmaxf(most, weights[j]);
  }
  for (int j = 0; j < length; ++j) sum += weights[j] = expf(weights[j] - most);
  memset(c, 0, 2 * m.H * sizeof *c);
  for (int j = 0; j < length; ++j) {
    for (uint32_t i = 0; i < 2 * m.H; ++i) c[i] += weights[j] / sum * annotations[(size_t)j * 2 * m.H + i];
  }
}

/* Returns the likeliest token after `previous`. */
static int next(int previous, int length) {
  const int H = (int)m.H, E = (int)m.E;
  float *c = features + H, *y = features + 3 * H;  /* features are [s; c; y] */
  const float *t = features;
  int best = EOS;
  embed(&m.target_embedding, previous, y);
  multiply(&m.decoder.input, 0, E, y, m.decoder.input_bias, part);
  attend(length, c);
  multiply(&m.decoder.input, E, 2 * H, c, part, part);
  step(&m.decoder, part, state);
  memcpy(features, state, m.H * sizeof *state);
  if (m.M) {
    multiply(&m.maxout, 0, 3 * H + E, features, m.maxout_bias, hidden);
    for (uint32_t i = 0; i < m.M; ++i) hidden[i] = fmaxf(hidden[2 * i], hidden[2 * i + 1]);
    t = hidden;
  }
  multiply(&m.output, 0, m.output.columns, t, m.output_bias, logits);
  for (int id = EOS + 1; id < m.output.rows; ++id) {
    if (logits[id] > logits[best]) best = id;
  }
  return best;
}

static void prepare(void) {
  const size_t H = m.H, wide = 3 * H + m.E, f = sizeof(float);
  rounded = allocate(wide > m.M ? wide : m.M);
  spare = allocate(3 * H * f);
  part = allocate(3 * H * f);
  features = allocate(wide * f);
  hidden = allocate((m.A + 2 * (size_t)m.M) * f);
  logits = allocate(m.target_words * f);
  state = allocate(H * f);
  weights = allocate(LONGEST * f);
  annotations = allocate(LONGEST * 2 * H * f);
  keys = allocate(LONGEST * (size_t)m.A * f);
}

static int id_of(const char *word) {
  for (uint32_t id = FIRST_WORD; id < m.source_words; ++id) {
    if (!strcmp(m.source[id], word)) return (int)id;
  }
  return UNK;
}

/* Prints the number of the line, and its fault. Does not use printf, which would make the program larger. */
static _Noreturn void refuse_line(unsigned long number, const char *what) {
  static char digits[3 * sizeof number + 1];
  char *first = digits + sizeof digits - 1;
  for (; number; number /= 10) *--first = (char)('0' + number % 10);
  fputs("gradus_tiny: line ", stderr);
  fputs(first, stderr);
  fputs(what, stderr);
  exit(1);
}

/* Ends the program because a stream failed. `what` and `advice` stand before and after the system's reason. */
static _Noreturn void refuse_stream(const char *what, const char *advice) {
  const char *reason = strerror(errno);
  fputs("gradus_tiny: cannot ", stderr);
  fputs(what, stderr);
  fputs(reason, stderr);
  fputs(advice, stderr);
  exit(1);
}

/* Also asks ferror(): after a failed putchar(), the buffer may be empty, and then fflush() of musl succeeds. */
static void flush(void) {
  if (fflush(stdout) || ferror(stdout))
    refuse_stream("write to standard output: ", "; free space, or write to another place\n");
}

/* Reads a line without its end. Returns 0 at the end of the input. */
static int read_line(char *line, unsigned long number) {
  size_t length = 0;
  int c;
  while ((c = getc(stdin)) != EOF && c != '\n') {
    if (!c) refuse_line(number, " has a zero byte; remove it\n");
    if (length == MAX_LINE - 2) refuse_line(number, " has more than 16382 bytes; split it\n");
    line[length++] = (char)c;
  }
  if (ferror(stdin)) refuse_stream("read standard input: ", "; give a file or a pipe\n");
  line[length] = 0;
  return c != EOF || length > 0;
}

int main(int argc, char **argv) {
  static const char usage[] = "usage: gradus_tiny MODEL < sentences\n";
  static char line[MAX_LINE];
  if (argc == 2 && !strcmp(argv[1], "--help")) return fputs(usage, stdout), flush(), 0;
  if (argc != 2) return fputs(usage, stderr), 2;
  load(argv[1]);
  prepare();
  for (unsigned long number = 1; read_line(line, number); ++number) {
    int source[LONGEST], length = 0, id = BOS;
    for (char *word = strtok(line, " \t\r"); word; word = strtok(NULL, " \t\r")) {
      if (length == LONGEST) refuse_line(number, " has more than 256 tokens; split it\n");
      source[length++] = id_of(word);
    }
    if (length) encode(source, length);
    for (int t = 0; length && t < 2 * length + 10 && (id = next(id, length)) != EOS; ++t) {
      if (t) putchar(' ');
      fputs(id == UNK ? "<unk>" : m.target[id], stdout);
    }
    putchar('\n');
    flush();
  }
  return 0;
}
