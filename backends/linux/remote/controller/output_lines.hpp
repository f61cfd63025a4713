// What processes print, as the user sees it (metering report 3.5.2): line by line, each marked with its process.
//
//     A: 3 of 4 cities
//
// A line that has not ended is kept back, until flushed: then it is shown as it is, and what follows begins a new line.
// Control characters are shown as ^X, so that no program can change the user's terminal. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::control {

class OutputLines {
 public:
  // A line is cut here, so that a program that prints none costs no memory.
  static constexpr std::size_t kLineBytesMax = 16 * 1024;

  // The lines that are whole now, without mark and newline.
  std::vector<std::string> add(std::string_view bytes);
  // What waits for its newline; nothing waits afterwards.
  std::vector<std::string> flush();
  bool has_pending() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

// Control characters but the tab become ^X.
std::string visible(std::string_view text);

}  // namespace dpm::control
