// The ids of spans. A file has two for most spans, each of 48 digits with that of its trace, so they are kept as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dpm {

// Equal where the texts of trace and span are.
struct OtlpSpanId {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t trace = kNone;
  bool is_hex = false;  // `span` is the value of 16 digits, otherwise the number of a text
  std::uint64_t span = 0;

  bool is_none() const { return trace == kNone; }
  friend bool operator==(const OtlpSpanId&, const OtlpSpanId&) = default;
};

class OtlpIds {
 public:
  OtlpSpanId add(std::string_view trace, std::string_view span);
  // As in the file, with a space between them. The id is one of add().
  std::string text(const OtlpSpanId& id) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // Texts, numbered in the order in which they came.
  struct Texts {
    std::uint32_t number_of(std::string_view text);

    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers;
    std::vector<std::string_view> texts;  // the keys of `numbers`
  };

  Texts traces_, spans_;  // spans: those that are not 16 hexadecimal digits
  std::uint32_t last_trace_ = 0;
};

}  // namespace dpm
