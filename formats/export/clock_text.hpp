// The vector clock of one process as text, kept from event to event: between two events few entries change, and most of these
// only in their digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/vector_clocks/vector_clock.hpp"

namespace dpm {

class ClockText {
 public:
  // The entries as KEY:COUNT with commas between them; `keys` are by process, and always the same. The text lives until the next
  // call.
  std::string_view print(const VectorClock& clock, std::span<const std::string> keys);

  std::size_t memory_bytes() const { return text_.capacity() + entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t process = 0, count = 0;
    std::uint32_t digits = 0;
    std::uint32_t end = 0;  // of the digits, in text_
  };

  bool change(Entry& entry, std::uint32_t count);
  void print_all(const VectorClock& clock, std::span<const std::string> keys);

  std::vector<Entry> entries_;
  std::string text_;
};

}  // namespace dpm
