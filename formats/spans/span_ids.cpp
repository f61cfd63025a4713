#include "formats/spans/span_ids.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace dpm {
namespace {

constexpr std::size_t kDigits = 16;  // of 8 bytes

int value_of_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Of up to 16 digits.
std::optional<std::uint64_t> value_of(std::string_view digits) {
  if (digits.empty() || digits.size() > kDigits) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = value_of_digit(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

std::uint64_t value_of_bytes(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// 16 bytes, which no other text of a trace is.
std::string trace_text(std::uint64_t high, std::uint64_t low) {
  std::string text(17, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    text[1 + i] = static_cast<char>(high >> (56 - 8 * i));
    text[9 + i] = static_cast<char>(low >> (56 - 8 * i));
  }
  return text;
}

}  // namespace

bool is_span_id(std::string_view text) {
  return text.find_first_not_of(std::string_view("0\0", 2)) != std::string_view::npos;
}

std::uint32_t SpanIds::Texts::number_of(std::string_view text) {
  if (const auto known = numbers.find(text); known != numbers.end()) return known->second;
  return numbers.emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second;
}

std::uint32_t SpanIds::number_of_trace(std::string_view trace) {
  // The spans of a trace mostly follow each other.
  if (!last_trace_.empty() && last_trace_ == trace) return last_number_;
  last_trace_ = trace;
  const std::size_t low_digits = std::min(trace.size(), kDigits);
  const auto high =
      trace.size() > kDigits ? value_of(trace.substr(0, trace.size() - kDigits)) : std::optional<std::uint64_t>(0);
  const auto low = value_of(trace.substr(trace.size() - low_digits));
  return last_number_ = traces_.number_of(high && low ? trace_text(*high, *low) : std::string(trace));
}

SpanId SpanIds::add(std::string_view trace, std::string_view span) {
  const std::uint32_t number = number_of_trace(trace);
  if (const auto value = value_of(span)) return {number, true, *value};
  return {number, false, spans_.number_of(span)};
}

SpanId SpanIds::add_bytes(std::string_view trace, std::string_view span) {
  const std::size_t low = std::min<std::size_t>(trace.size(), 8);
  const std::string text = trace.size() <= 16 ? trace_text(value_of_bytes(trace.substr(0, trace.size() - low)),
                                                           value_of_bytes(trace.substr(trace.size() - low)))
                                              : std::string(trace);
  last_trace_.clear();
  const std::uint32_t number = traces_.number_of(text);
  if (span.size() <= 8) return {number, true, value_of_bytes(span)};
  return {number, false, spans_.number_of(span)};
}

}  // namespace dpm
