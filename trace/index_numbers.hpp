// How numbers stand in the index of a trace (docs/trace-format.md).
#pragma once

#include <cstdint>
#include <string>

namespace dpm::index_numbers {

// Numbers are written with seven bits in each byte, the lowest first; the eighth bit says that more follow.
inline void put(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Neighbours differ little, in either direction: 0, -1, 1, -2 become 0, 1, 2, 3.
inline std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
inline std::int64_t unfolded(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

// Of damaged times, which must not overflow.
inline std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace dpm::index_numbers
