// A location in a program, in words: the function, and the line of its source where that is known.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dpm {

struct CodeLocation {
  std::string function;             // demangled; of the nearest symbol before it; empty if none is known
  std::string source_file;          // empty without debug information
  int line = 0;                     // 0 without debug information
  std::string module;               // the program or library; empty if it is not known which
  std::uint64_t module_offset = 0;  // in that file; the pc itself if there is no module

  friend bool operator==(const CodeLocation&, const CodeLocation&) = default;
  friend auto operator<=>(const CodeLocation&, const CodeLocation&) = default;
};

// "handle_request", "server+0x12f0", "0x7f12345678".
std::string function_text(const CodeLocation& location);
// "server.c:42", "libc.so.6", "".
std::string source_text(const CodeLocation& location);

}  // namespace dpm
