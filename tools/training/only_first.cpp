#include "training/only_first.hpp"

#include <chrono>
#include <ostream>
#include <string>
#include <thread>

namespace gradus::tools {

OnlyFirst::OnlyFirst(std::int64_t rank) : rank_(rank) {
  if (rank_ == 0) return;
  old_out_ = std::cout.rdbuf(out_.rdbuf());
  old_err_ = std::cerr.rdbuf(err_.rdbuf());
}

OnlyFirst::~OnlyFirst() {
  if (rank_ == 0) return;
  std::cout.rdbuf(old_out_);
  std::cerr.rdbuf(old_err_);
}

void OnlyFirst::report() const {
  if (rank_ == 0) return;
  std::this_thread::sleep_for(std::chrono::seconds(3));
  std::string text = err_.str();
  if (text.ends_with('\n')) text.pop_back();
  std::ostream(old_err_) << "process " << rank_ << ": " << text.substr(text.rfind('\n') + 1) << std::endl;
}

}  // namespace gradus::tools
