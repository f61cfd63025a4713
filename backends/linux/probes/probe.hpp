// A place in a program file at which each passage is recorded, and the value that is recorded with it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "model/whole_number.hpp"

namespace dpm {

enum class ProbeKind : std::uint8_t { entry, exit, tracepoint };

struct Probe {
  static constexpr int kResult = 7;

  std::string path;
  ProbeKind kind = ProbeKind::entry;
  std::uint64_t file_offset = 0;  // of a function
  std::string tracepoint;         // "provider:name"
  int value = 0;                  // 0: none; 1 to 6: that argument; kResult
  unsigned bits = 64;             // of the value
  bool is_signed = true;

  friend auto operator<=>(const Probe&, const Probe&) = default;
};

// The value as the program means it: a register's upper bits are anything where the value is shorter.
WholeNumber probed_value(const Probe& probe, std::uint64_t in_register);

}  // namespace dpm
