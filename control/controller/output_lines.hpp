// The output of processes for the user (metering report 3.5.2): line by line, each marked with its process.
//
//     A: 3 of 4 cities
//
// An incomplete line waits until it is flushed; then it is shown, and the rest begins a new line. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::control {

class OutputLines {
 public:
  // A longer line is cut: a program that prints no newline must not use up memory.
  static constexpr std::size_t kLineBytesMax = 16 * 1024;

  // The lines that are complete now, without mark and newline.
  std::vector<std::string> add(std::string_view bytes);
  // Returns the incomplete line.
  std::vector<std::string> flush();
  bool has_pending() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

}  // namespace dpm::control
