// The ids of spans. A file has two for most spans, each of 48 digits with that of its trace, so they are kept as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dpm {

// Equal where trace and span are: hexadecimal digits in any case, with or without zeros before them, or the same text.
struct SpanId {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t trace = kNone;
  bool is_hex = false;  // `span` is the value of the digits, otherwise the number of a text
  std::uint64_t span = 0;

  bool is_none() const { return trace == kNone; }
  friend bool operator==(const SpanId&, const SpanId&) = default;
};

// Whether a text or bytes are an id: not empty, and not zeros alone.
bool is_span_id(std::string_view text);

class SpanIds {
 public:
  SpanId add(std::string_view trace, std::string_view span);
  // As bytes, as protobuf has them.
  SpanId add_bytes(std::string_view trace, std::string_view span);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // Texts, numbered in the order in which they came.
  struct Texts {
    std::uint32_t number_of(std::string_view text);

    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers;
  };

  std::uint32_t number_of_trace(std::string_view trace);

  Texts traces_, spans_;  // traces: as 16 bytes, or a text of another length; spans: those that are not hexadecimal
  std::string last_trace_;
  std::uint32_t last_number_ = 0;
};

}  // namespace dpm
