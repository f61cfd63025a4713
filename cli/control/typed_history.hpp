// The commands that the user has typed: a file with one command per line, to which several controllers may append. A
// command may contain a secret, so only the user can read the file.
#pragma once

#include <string>
#include <vector>

namespace dpm::cli {

class TypedHistory {
 public:
  static constexpr std::size_t kLinesMax = 1000;

  // Empty: no history is kept. A file that cannot be read or written is ignored.
  explicit TypedHistory(std::string file) : file_(std::move(file)) {}

  // The most recent commands, oldest first. A file that has become much longer is cut.
  std::vector<std::string> read() const;
  void add(const std::string& line) const;

 private:
  std::string file_;
};

}  // namespace dpm::cli
