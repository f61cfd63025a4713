// What the user has typed, now and before: a file with a line a command, which several controllers may add to. It holds
// what anybody could type, secrets as well, so it is readable for its user alone.
#pragma once

#include <string>
#include <vector>

namespace dpm::cli {

class TypedHistory {
 public:
  static constexpr std::size_t kLinesMax = 1000;

  // Empty: nothing is kept. A file that cannot be read or written is no reason to refuse anything.
  explicit TypedHistory(std::string file) : file_(std::move(file)) {}

  // The last ones, oldest first; a file that has become much longer is cut.
  std::vector<std::string> read() const;
  void add(const std::string& line) const;

 private:
  std::string file_;
};

}  // namespace dpm::cli
