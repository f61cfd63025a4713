// Where in a program something happened, in words: the function, and the line of its source where that is known.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dpm {

struct Place {
  std::string function;             // demangled; of the nearest symbol before it; empty if none is known
  std::string source_file;          // empty without debug information
  int line = 0;                     // 0 without debug information
  std::string module;               // the program or library; empty if nobody knows what lay there
  std::uint64_t module_offset = 0;  // in that file; the pc itself if there is no module

  friend bool operator==(const Place&, const Place&) = default;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// "handle_request", "server+0x12f0", "0x7f12345678".
std::string function_text(const Place& place);
// "server.c:42", "libc.so.6", "".
std::string source_text(const Place& place);

}  // namespace dpm
