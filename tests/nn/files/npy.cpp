// .npy files: saved tensors load bit for bit, NumPy's files can be read, and invalid files are refused.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/npy.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;
using gradus::nn::load_npy;
using gradus::nn::save_npy;

namespace {

using Doubles = std::vector<double>;

std::string length_bytes(std::uint64_t length, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

std::string file_of(const std::string& header, const std::string& values = "") {
  return std::string("\x93NUMPY\x01\0", 8) + length_bytes(header.size(), 2) + header + values;
}

std::string header_of(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
}

// A temporary file with these bytes.
class File {
 public:
  explicit File(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
  fs::path path() const { return scratch_.path() / "x.npy"; }
  std::string named(const std::string& message) const {
    return "load_npy: '" + path().string() + "' " + message;
  }

 private:
  Scratch scratch_;
};

void check_refused(const std::string& bytes, const std::string& message) {
  const File file(bytes);
  CHECK_ERROR(load_npy(file.path()), file.named(message));
}

void check_bad_header(const std::string& header, const std::string& expected, std::size_t at) {
  CAPTURE(header);
  check_refused(file_of(header), "has an invalid header: expected " + expected + " at byte " +
                                     std::to_string(at) + "; write the file again with numpy.save");
}

Tensor golden(const std::string& name) { return load_npy(fs::path(GRADUS_GOLDEN) / "npy" / (name + ".npy")); }

Doubles counted(int n, double (*value)(int)) {
  Doubles values;
  for (int i = 0; i < n; ++i) values.push_back(value(i));
  return values;
}

}  // namespace

TEST_CASE("a tensor of any dtype and rank can be saved and loaded as .npy", "[nn][npy]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.npy";
  for (const Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::i64}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 3, 2}, Shape{2, 1, 3, 2},
                               Shape{1, 2, 1, 3, 2}, Shape{1, 2, 1, 3, 2, 1}, Shape{2, 1, 2, 1, 3, 2, 1},
                               Shape{2, 1, 2, 1, 3, 2, 1, 2}, Shape{0}, Shape{3, 0}, Shape{0, 2, 0}}) {
      CAPTURE(shape.text(), name(dtype));
      const Tensor x = (gradus::arange(shape.numel()).to(Dtype::f64) * 1.25).to(dtype).reshape(shape);
      save_npy(path, x);
      const Tensor y = load_npy(path);
      CHECK(y.shape() == shape);
      CHECK(y.dtype() == dtype);
      CHECK(y.to_vector<double>() == x.to_vector<double>());
    }
  }
}

TEST_CASE("every bit of a value survives .npy", "[nn][npy]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.npy";
  const std::vector<std::int64_t> large{INT64_MIN, -1, (std::int64_t{1} << 53) + 1, INT64_MAX};
  save_npy(path, tensor(large));
  CHECK(load_npy(path).to_vector<std::int64_t>() == large);
}

TEST_CASE("a view saves only its own elements, and loads as a leaf", "[nn][npy]") {
  const Scratch scratch;
  save_npy(scratch.path() / "x.npy", leaf(tensor({{1, 2}, {3, 4}, {5, 6}}))[1]);
  const Tensor y = load_npy(scratch.path() / "x.npy");
  CHECK(y.to_vector<double>() == Doubles{3, 4});
  CHECK_FALSE(y.requires_grad());
}

TEST_CASE("files written by NumPy are read", "[nn][npy]") {
  const Doubles eighths = counted(24, [](int i) { return i / 8.0; });
  CHECK(golden("f4").dtype() == Dtype::f32);
  CHECK(golden("f4").shape() == Shape{2, 3, 4});
  CHECK(golden("f4").to_vector<double>() == eighths);
  CHECK(golden("f8").dtype() == Dtype::f64);
  CHECK(golden("f8").to_vector<double>() == counted(24, [](int i) { return i / 10.0; }));
  CHECK(golden("i8").dtype() == Dtype::i64);
  CHECK(golden("i8").to_vector<std::int64_t>()[23] == (std::int64_t{1} << 60) + 11);
  CHECK(golden("fortran").shape() == Shape{2, 3, 4});
  CHECK(golden("fortran").to_vector<double>() == eighths);
  CHECK(golden("version_2").to_vector<double>() == Doubles{1.5, -2.5});
  CHECK(golden("version_3").to_vector<double>() == Doubles{1.5, -2.5});
  CHECK(golden("scalar").shape() == Shape{});
  CHECK(golden("scalar").item() == 2.5);
  CHECK(golden("empty").shape() == Shape{3, 0});
  CHECK(golden("empty").dtype() == Dtype::i64);
}

TEST_CASE("a file has the bytes that NumPy would write, up to padding", "[nn][npy]") {
  const Scratch scratch;
  for (const char* name : {"f4", "f8", "i8", "scalar", "empty"}) {
    save_npy(scratch.path() / "x.npy", golden(name));
    const std::string ours = content(scratch.path() / "x.npy");
    const std::string theirs = content(fs::path(GRADUS_GOLDEN) / "npy" / (std::string(name) + ".npy"));
    const auto end = [](const std::string& bytes) { return bytes.find('}') + 1; };
    CHECK(ours.find('\n') % 64 == 63);
    CHECK(ours.substr(10, end(ours) - 10) == theirs.substr(10, end(theirs) - 10));
    CHECK(ours.substr(ours.find('\n')) == theirs.substr(theirs.find('\n')));
  }
}

TEST_CASE("keys may be in any order, with any spaces and quotes", "[nn][npy]") {
  const std::string two_floats("\0\0\x80\x3f\0\0\0\x40", 8);
  for (const char* header : {"{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
                             "{ \"shape\":(2 , ) ,\"fortran_order\" : True,\n'descr':'<f4' , }  \n",
                             "{'descr':'<f4','shape':(2,),'fortran_order':False,}"}) {
    CAPTURE(header);
    const File file(file_of(header, two_floats));
    CHECK(load_npy(file.path()).to_vector<double>() == Doubles{1, 2});
  }
  const File column(file_of(header_of("'<f4'", "(2, 1,)"), two_floats));
  CHECK(load_npy(column.path()).shape() == Shape{2, 1});
}

TEST_CASE("an empty column-major array keeps its shape", "[nn][npy]") {
  const File file(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 0, 2), }"));
  CHECK(load_npy(file.path()).shape() == Shape{3, 0, 2});
}

TEST_CASE("a missing .npy path, a folder and a device are refused", "[nn][npy]") {
  const Scratch scratch;
  const fs::path missing = scratch.path() / "missing.npy", pipe = scratch.path() / "pipe.npy";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_ERROR(load_npy(missing), "load_npy: '" + missing.string() +
                                     "' cannot be opened: No such file or directory; check the path");
  for (const fs::path& path : {scratch.path(), pipe}) {
    CHECK_ERROR(load_npy(path),
                "load_npy: '" + path.string() + "' is not a regular file; give the path of a .npy file");
  }
}

TEST_CASE("a file that is not .npy, or has another version, is refused", "[nn][npy]") {
  for (const char* bytes : {"", "\x93NUM", "PK\x03\x04 a zip, which .npz is", "\x93numpy\x01"})
    check_refused(bytes, "is not a .npy file; write one with save_npy() or numpy.save");
  for (const auto& [bytes, version] :
       {std::pair{std::string("\0\0", 2), "0.0"}, std::pair{std::string("\1\1"), "1.1"},
        std::pair{std::string("\4\0", 2), "4.0"}}) {
    check_refused("\x93NUMPY" + bytes + file_of(header_of("'<f4'", "()")).substr(8),
                  std::string("has version ") + version +
                      ", but only 1.0, 2.0 and 3.0 are read; save it again with numpy.save");
  }
}

TEST_CASE("a file that ends within its header is refused", "[nn][npy]") {
  const std::string message = "ends within its header; it was cut short, so copy or save it again";
  const std::string whole = file_of(header_of("'<f4'", "()"));
  for (const std::size_t length : {6UL, 7UL, 8UL, 9UL, 10UL, whole.size() - 1}) {
    CAPTURE(length);
    check_refused(whole.substr(0, length), message);
  }
  check_refused(std::string("\x93NUMPY\x02\0\x05\0", 10), message);
}

TEST_CASE("a header longer than NumPy reads is refused before it is read", "[nn][npy]") {
  const auto message = [](const std::string& length) {
    return "declares a header of " + length +
           " bytes, and at most 10000 are allowed; save it again with numpy.save";
  };
  const std::string version_2("\x93NUMPY\x02\0", 8);
  check_refused(version_2 + "\xff\xff\xff\xff", message("4294967295"));
  check_refused(file_of(std::string(10001, ' ')), message("10001"));

  const std::string header = header_of("'<f4'", "()");
  const std::string longest = header + std::string(10000 - header.size(), ' ');
  const File file(version_2 + length_bytes(longest.size(), 4) + longest + std::string(4, '\0'));
  CHECK(load_npy(file.path()).item() == 0);
}

TEST_CASE("a header that is not NumPy's dictionary is refused", "[nn][npy]") {
  check_bad_header("", "'{'", 0);
  check_bad_header("descr", "'{'", 0);
  check_bad_header("{", "a string", 1);
  check_bad_header("{descr: '<f4'}", "a string", 1);
  check_bad_header("{'descr", "a string", 2);
  check_bad_header("{'descr' '<f4'}", "':'", 9);
  check_bad_header("{'descr': <f4}", "a string", 10);
  check_bad_header("{'descr': '<f4' 'shape': ()}", "'}'", 16);
  check_bad_header("{'fortran_order': false}", "True or False", 18);
  check_bad_header("{'shape': 3}", "'('", 10);
  check_bad_header("{'shape': (3)}", "','", 12);
  check_bad_header("{'shape': (3, 4}", "')'", 15);
  check_bad_header("{'shape': (,)}", "a size of 64 bits", 11);
  check_bad_header("{'shape': (2.5,)}", "','", 12);
  check_bad_header("{'shape': (3L,)}", "','", 12);
  check_bad_header("{'shape': (9223372036854775808,)}", "a size of 64 bits", 11);
  const std::string whole = header_of("'<f4'", "()");
  check_bad_header(whole + "x", "the end", whole.size());
}

TEST_CASE("missing, unknown and duplicate .npy keys are refused", "[nn][npy]") {
  check_bad_header("{}", "each of 'descr', 'fortran_order' and 'shape'", 2);
  check_bad_header("{'fortran_order': False, 'shape': ()}", "each of 'descr', 'fortran_order' and 'shape'",
                   37);
  check_bad_header("{'descr': '<f4', 'shape': ()}", "each of 'descr', 'fortran_order' and 'shape'", 29);
  check_bad_header("{'descr': '<f4', 'fortran_order': False}", "each of 'descr', 'fortran_order' and 'shape'",
                   40);
  const std::string once = "one each of 'descr', 'fortran_order' and 'shape'";
  check_bad_header("{'colour': 'red'}", once, 10);
  check_bad_header("{'descr': '<f4', 'descr': '<f4'}", once, 25);
  check_bad_header("{'fortran_order': False, 'fortran_order': False}", once, 41);
  check_bad_header("{'shape': (), 'shape': ()}", once, 22);
}

TEST_CASE("unsupported types are refused, and the message says how to convert them", "[nn][npy]") {
  const std::string rest =
      ", and only '<f4', '<f8' and '<i8' are read; convert it in NumPy, say with a.astype('<f4'), and save "
      "it "
      "again";
  for (const char* type :
       {"'<i4'", "'|i1'", "'|b1'", "'<u8'", "'<f2'", "'<c8'", "'>f4'", "'>i8'", "'f4'", "''"})
    check_refused(file_of(header_of(type, "()")), "holds " + std::string(type) + rest);
  check_refused(file_of(header_of("[('a', '<f4')]", "(2,)")), "holds records" + rest);

  const auto path = [](const char* name) { return fs::path(GRADUS_GOLDEN) / "npy" / name; };
  for (const auto& [name, what] : {std::pair{"i4.npy", "'<i4'"}, std::pair{"big_endian.npy", "'>f4'"},
                                   std::pair{"records.npy", "records"}}) {
    CHECK_ERROR(load_npy(path(name)), "load_npy: '" + path(name).string() + "' holds " + what + rest);
  }
}

TEST_CASE("an array with a shape that no tensor can have is refused", "[nn][npy]") {
  const auto refused = [](const std::string& shape, const std::string& why) {
    check_refused(file_of(header_of("'<f4'", shape)),
                  "has a shape that no tensor can have (" + why + "); reshape or split it in NumPy");
  };
  refused("(1, 1, 1, 1, 1, 1, 1, 1, 1)", "9 axes are too many: a tensor has at most 8");
  for (const char* shape : {"(2, -3)", "(-3, 2)", "(-3,)"}) {
    check_refused(file_of(header_of("'<f4'", shape)),
                  "has an axis of the negative size -3; it is damaged, so copy or save it again");
  }
  check_refused(file_of(header_of("'<f4'", "(-1, 8)")),
                "has an axis of the negative size -1; it is damaged, so copy or save it again");
  refused("(4294967296, 4294967296)",
          "(4294967296, 4294967296) is too large: its elements cannot be counted in 64 bits");
}

TEST_CASE("too few or too many values for the shape are refused before memory is allocated", "[nn][npy]") {
  const auto message = [](const std::string& has, const std::string& needs) {
    return "has " + has + " bytes of values, but " + needs + "; it is damaged, so copy or save it again";
  };
  check_refused(file_of(header_of("'<f4'", "(2, 3)"), std::string(23, 'x')),
                message("23", "f32 (2, 3) needs 24"));
  check_refused(file_of(header_of("'<i8'", "(2,)"), std::string(17, 'x')), message("17", "i64 (2) needs 16"));
  check_refused(file_of(header_of("'<f8'", "(0,)"), "x"), message("1", "f64 (0) needs 0"));

  const auto before = gradus::memory_stats();
  check_refused(file_of(header_of("'<f8'", "(1152921504606846975,)")),
                message("0", "f64 (1152921504606846975) needs 9223372036854775800"));
  CHECK(gradus::memory_stats().peak_bytes == before.peak_bytes);
}

TEST_CASE("a full disk keeps the old .npy file, and leaves no other file", "[nn][npy]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x.npy";
  save_npy(path, tensor({1, 2}));
  {
    const SizeLimit limit(4096);
    CHECK_ERROR(
        save_npy(path, gradus::zeros({2000})),
        "save_npy: cannot write to '" + path.string() +
            "': File too large; raise the limit of this shell, 'ulimit -f', or choose another file system");
  }
  CHECK(load_npy(path).to_vector<double>() == Doubles{1, 2});
  CHECK(names(scratch.path()) == std::vector<std::string>{"x.npy"});
}

TEST_CASE("a file that cannot be created is named", "[nn][npy]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "gone" / "x.npy";
  CHECK_ERROR(save_npy(path, tensor({1})),
              "save_npy: cannot write to '" + path.string() +
                  "': No such file or directory; the folder does not exist; create it, or choose "
                  "another");
  CHECK_ERROR(save_npy(scratch.path() / "x.npy", Tensor()), "tensor: used before it was given a value");
  CHECK(names(scratch.path()).empty());
}

TEST_CASE("a path without a folder is in the current one", "[nn][npy]") {
  const Scratch scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  save_npy("x.npy", tensor({1, 2}));
  const Tensor x = load_npy("x.npy");
  fs::current_path(before);
  CHECK(x.to_vector<double>() == Doubles{1, 2});
  CHECK(names(scratch.path()) == std::vector<std::string>{"x.npy"});
}
