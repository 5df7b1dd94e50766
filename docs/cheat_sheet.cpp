// Prints the rows of docs/cheat-sheet.md. Runs each call on tensors in which no two sizes are equal, so that
// shapes can be printed as letters. A row has four columns, separated by tabs: the chapter, the call, the
// shapes of the arguments, and the shape of the result.
#include <gradus/gradus.hpp>

#include <cctype>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace gradus;

namespace {

constexpr std::int64_t B = 4, H = 3, I = 5, T = 8, O = 11, N = 26, V = 17, m = 19, k = 23, n = 29, A = 31,
                       Q = 37, D = 41;
const std::map<std::int64_t, std::string> letters = {
    {B, "B"}, {H, "H"},      {I, "I"},         {T, "T"},         {O, "O"},      {N, "N"},
    {V, "V"}, {m, "m"},      {k, "k"},         {n, "n"},         {A, "A"},      {Q, "Q"},
    {D, "D"}, {2 * H, "2H"}, {T + 1, "T + 1"}, {T - 1, "T − 1"}, {T * B, "T·B"}};

std::string text(const Tensor& x) {
  std::string sizes;
  for (const std::int64_t size : x.shape()) {
    const auto letter = letters.find(size);
    sizes += (sizes.empty() ? "" : ", ") + (letter == letters.end() ? std::to_string(size) : letter->second);
  }
  return "(" + sizes + ")" + (x.dtype() == Dtype::i64 ? " i64" : "");
}

std::string text(const std::vector<Tensor>& parts) {
  std::string all;
  for (const Tensor& part : parts) all += (all.empty() ? "" : ", ") + text(part);
  return all;
}

std::string text(const auto& output) { return text(output.tensors()); }

// The tensor that each name in a call stands for.
const std::map<std::string, Tensor>& tensors() {
  static const std::map<std::string, Tensor> all = {
      {"x", ones({T, B, H})},
      {"y", ones({T, B, H})},
      {"a", ones({T, B, H})},
      {"b", ones({H})},
      {"mask", zeros({T, B, 1}, Dtype::i64)},
      {"L", ones({m, k})},
      {"R", ones({k, n})},
      {"u", ones({m})},
      {"v", ones({n})},
      {"inputs", ones({T, B, I})},
      {"weight", ones({O, I})},
      {"bias", ones({O})},
      {"column", ones({T, 1})},
      {"table", ones({V, I})},
      {"ids", zeros({T, B}, Dtype::i64)},
      {"rows", zeros({N}, Dtype::i64)},
      {"index", zeros({T, 1, H}, Dtype::i64)},
      {"source", ones({T, 1, H})},
      {"e", ones({B, T})},
      {"lengths", tensor({8, 7, 6, 5}, Dtype::i64)},
      {"gain", ones({H})},
      {"logits", ones({T, B, V})},
      {"targets", zeros({T, B}, Dtype::i64)},
      {"query", ones({B, Q})},
      {"projected", ones({B, A})},
      {"keys", ones({T, B, A})},
      {"v_a", ones({A})},
      {"values", ones({T, B, D})},
      {"alpha", ones({B, T})},
      {"packed", ones({N, H})},
  };
  return all;
}

std::string named_in(const std::string& call) {
  std::string found, word;
  for (const char character : call + " ") {
    if (std::isalnum(static_cast<unsigned char>(character)) || character == '_') {
      word += character;
      continue;
    }
    const auto named = tensors().find(word);
    const std::string shown = named == tensors().end() ? "" : named->first + " " + text(named->second);
    if (!shown.empty() && found.find(shown) == std::string::npos)
      found += (found.empty() ? "" : ", ") + shown;
    word.clear();
  }
  return found;
}

void row(const char* chapter, const std::string& call, const auto& result) {
  std::cout << chapter << '\t' << call << '\t' << named_in(call) << '\t' << text(result) << '\n';
}

#define ROW(...) row(chapter, #__VA_ARGS__, __VA_ARGS__)

const Tensor& get(const char* name) { return tensors().at(name); }

void making() {
  const char* chapter = "Making tensors";
  Generator generator(1);
  ROW(tensor({{1, 2}, {3, 4}}));
  ROW(tensor({3, 2}, Dtype::i64));
  ROW(zeros({T, B}));
  ROW(ones({T, B}));
  ROW(full({T, B}, 7));
  ROW(uniform({T, B}, -1, 1, generator));
  ROW(normal({T, B}, 0, 1, generator));
  ROW(arange(T));
}

void elementwise() {
  const char* chapter = "Elementwise";
  const Tensor &x = get("x"), &y = get("y"), &a = get("a"), &b = get("b"), &mask = get("mask");
  Generator generator(1);
  const double p = 0.5;
  ROW(a + b);
  ROW(a - b);
  ROW(a * b);
  ROW(a / b);
  ROW(pow(a, b));
  ROW(maximum(a, b));
  ROW(minimum(a, b));
  ROW(-x);
  ROW(exp(x));
  ROW(log(x));
  ROW(sqrt(x));
  ROW(tanh(x));
  ROW(sigmoid(x));
  ROW(relu(x));
  ROW(softplus(x));
  ROW(abs(x));
  ROW(pow(x, 2));
  ROW(clamp(x, -1, 1));
  ROW(dropout(x, p, generator));
  chapter = "Comparing and choosing";
  ROW(less(a, b));
  ROW(less_equal(a, b));
  ROW(greater(a, b));
  ROW(greater_equal(a, b));
  ROW(equal(a, b));
  ROW(not_equal(a, b));
  ROW(where(mask, x, y));
  ROW(masked_fill(x, mask, 0));
}

void reductions() {
  const char* chapter = "Reductions";
  const Tensor& x = get("x");
  ROW(sum(x));
  ROW(mean(x));
  ROW(sum(x, -1));
  ROW(mean(x, -1));
  ROW(variance(x, -1));
  ROW(max(x, -1));
  ROW(min(x, -1));
  ROW(logsumexp(x, -1));
  ROW(sum(x, -1, true));
  ROW(sum(x, {0, 2}));
  ROW(argmax(x, -1));
  ROW(cumsum(x, 0));
}

void products() {
  const char* chapter = "Products";
  const Tensor &L = get("L"), &R = get("R"), &u = get("u"), &v = get("v"), &inputs = get("inputs"),
               &weight = get("weight"), &bias = get("bias");
  ROW(matmul(L, R));
  ROW(linear(inputs, weight, bias));
  ROW(outer(u, v));
}

void layout() {
  const char* chapter = "Layout";
  const Tensor &x = get("x"), &y = get("y"), &column = get("column");
  ROW(transpose(x, 0, 1));
  ROW(permute(x, {2, 0, 1}));
  ROW(unsqueeze(x, -1));
  ROW(squeeze(column, 1));
  ROW(expand(column, {T, B}));
  ROW(concat({x, y}, -1));
  ROW(stack({x, y}));
  ROW(split(x, {1, T - 1}, 0));
  ROW(flip(x, 0));
  ROW(pad(x, 0, 0, 1));
  chapter = "Members of Tensor";
  ROW(x[0]);
  ROW(x.slice(1, T));
  ROW(x.reshape({-1, H}));
  ROW(x.detach());
  ROW(x.clone());
  ROW(x.to(Dtype::f64));
}

void indexing() {
  const char* chapter = "Indexing";
  const Tensor &x = get("x"), &table = get("table"), &ids = get("ids"), &rows = get("rows"),
               &index = get("index"), &source = get("source");
  ROW(embedding(table, ids));
  ROW(index_select(x, rows));
  ROW(gather(x, 1, index));
  ROW(scatter_add(x, 1, index, source));
  ROW(one_hot(ids, V));
}

void probabilities() {
  const char* chapter = "Normalising";
  using nn::sparsemax, nn::top_k_softmax;
  const Tensor &x = get("x"), &y = get("y"), &e = get("e"), &lengths = get("lengths"), &gain = get("gain"),
               &b = get("b"), &logits = get("logits"), &targets = get("targets");
  ROW(softmax(x, -1));
  ROW(log_softmax(x, -1));
  ROW(masked_softmax(e, lengths));
  ROW(sparsemax(e, lengths));
  ROW(top_k_softmax(e, lengths, 2));
  ROW(layer_norm(x, gain, b));
  chapter = "Losses";
  ROW(cross_entropy(logits, targets));
  ROW(nll(log_softmax(logits), targets));
  ROW(mse(x, y));
  ROW(binary_cross_entropy(x, y));
}

void attention() {
  const char* chapter = "Attention and packing";
  const Tensor &projected = get("projected"), &keys = get("keys"), &v_a = get("v_a"),
               &lengths = get("lengths"), &alpha = get("alpha"), &values = get("values"), &x = get("x"),
               &packed = get("packed");
  const Packing packing(lengths);
  ROW(additive_energy(projected, keys, v_a, lengths));
  ROW(weighted_sum(alpha, values, lengths));
  ROW(pack(x, packing));
  ROW(unpack(packed, packing));
}

void modules() {
  const char* chapter = "Modules";
  const Tensor &inputs = get("inputs"), &ids = get("ids"), &lengths = get("lengths"), &query = get("query"),
               &values = get("values"), &x = get("x");
  using namespace nn;
  ROW(Linear(I, O).forward(inputs));
  ROW(Embedding(V, I).forward(ids));
  ROW(LayerNorm(H).forward(x));
  ROW(GRU(I, H).forward(inputs, lengths));
  ROW(GRU(I, H, {.bidirectional = true}).forward(inputs, lengths));
  ROW(LSTM(I, H).forward(inputs, lengths));
  const AdditiveAttention attention(Q, D, A);
  ROW(attention.attend(query, attention.prepare(values, lengths), 0, {}));
}

}  // namespace

int main() {
  making();
  elementwise();
  reductions();
  products();
  layout();
  indexing();
  probabilities();
  attention();
  modules();
}
