// The text that other programs put around the lines of a log on its way: a journal, a container's or a CI system's log, grep, a diff, line
// numbers, a page of the web.
//
//   May 17 21:36:42 host strace[1499]: [pid  1500] read(3, "x", 1) = 1
//   app_1  | [pid  1500] read(3, "x", 1) = 1
//   100 &lt;... read resumed&gt;"x", 1) = 1
//
// No list of such prefixes is complete. Those of one log have one shape, which is learned from its beginning: words, blanks and marks, before
// text that is a line of strace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/strace/strace_line.hpp"

namespace dpm {

// A line that text of another kind cannot be taken for.
bool is_certain(const StraceLine& line);

class StraceQuoting {
 public:
  // From the beginning of a file.
  static StraceQuoting learn(std::string_view head);

  // The line as strace printed it; without the prefix of the others, as it is. Valid until the next call.
  std::string_view plain(std::string_view line);

  const std::string& example() const { return example_; }  // a prefix as it stands in the log
  std::uint64_t removed() const { return removed_; }       // of how many lines it was taken off

 private:
  std::string_view without_decoration(std::string_view line);

  bool is_html_ = false;
  std::string shape_;  // 'w': a word, ' ': blanks, and marks as they are; empty: lines have no prefix
  std::string example_, decoded_;
  std::uint64_t removed_ = 0;
};

}  // namespace dpm
