#include "formats/export/clock_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace dpm {

std::string_view ClockText::print(const VectorClock& clock, std::span<const std::string> keys) {
  std::size_t next = 0;
  bool is_kept = true;
  clock.for_each([&](std::uint32_t process, std::uint32_t count) {
    is_kept = is_kept && next < entries_.size() && entries_[next].process == process &&
              (entries_[next].count == count || change(entries_[next], count));
    ++next;
  });
  if (!is_kept || next != entries_.size()) print_all(clock, keys);
  return text_;
}

// Returns false if the count has another number of digits. The text must then be printed again.
bool ClockText::change(Entry& entry, std::uint32_t count) {
  char* at = text_.data() + entry.end;
  std::uint32_t old = std::exchange(entry.count, count);
  for (std::uint32_t digit = 0; count != old; ++digit, count /= 10, old /= 10) {  // the digits before are the same
    if (digit == entry.digits || count == 0) return false;
    *--at = static_cast<char>('0' + count % 10);
  }
  return true;
}

void ClockText::print_all(const VectorClock& clock, std::span<const std::string> keys) {
  entries_.clear();
  text_.clear();
  clock.for_each([&](std::uint32_t process, std::uint32_t count) {
    if (!text_.empty()) text_ += ',';
    text_.append(keys[process]) += ':';
    const std::size_t begin = text_.size();
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), count);
    entries_.push_back(
        {process, count, static_cast<std::uint32_t>(text_.size() - begin), static_cast<std::uint32_t>(text_.size())});
  });
}

}  // namespace dpm
