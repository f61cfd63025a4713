// Reports and output of processes that are to be shown as soon as the user's commands are served. No I/O.
//
// It is full at kBytesMax. Its owner then cuts output, and takes no more reports.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "control/controller/visible.hpp"

namespace dpm::control {

class Backlog {
 public:
  static constexpr std::size_t kBytesMax = 1024 * 1024;

  // Each line gets the mark when it is taken.
  void add(const std::string& mark, const Lines& lines);
  bool empty() const { return parts_.empty(); }
  bool is_full() const { return bytes_ >= kBytesMax; }
  std::size_t room() const { return is_full() ? 0 : kBytesMax - bytes_; }

  // The oldest lines, at least one if there is one, until they have `bytes` bytes.
  Lines take(std::size_t bytes);

 private:
  // The lines of a process that prints short ones would need many times their bytes as strings of their own.
  struct Part {
    std::string mark, text;  // lines, each with its newline
    std::size_t taken = 0;   // bytes of the text
  };
  static std::size_t bytes_of(const Part& part) { return sizeof part + part.mark.size() + part.text.size(); }

  std::deque<Part> parts_;
  std::size_t bytes_ = 0;
};

}  // namespace dpm::control
