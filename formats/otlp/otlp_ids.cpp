#include "formats/otlp/otlp_ids.hpp"

#include <fmt/format.h>

#include <optional>

namespace dpm {
namespace {

// Of 16 digits as OTLP demands them. Capital letters would be another text.
std::optional<std::uint64_t> value_of(std::string_view digits) {
  if (digits.size() != 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9')
      value = value << 4 | static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | static_cast<std::uint64_t>(c - 'a' + 10);
    else
      return std::nullopt;
  }
  return value;
}

}  // namespace

std::uint32_t OtlpIds::Texts::number_of(std::string_view text) {
  if (const auto known = numbers.find(text); known != numbers.end()) return known->second;
  const auto added = numbers.emplace(text, static_cast<std::uint32_t>(texts.size())).first;
  texts.push_back(added->first);
  return added->second;
}

OtlpSpanId OtlpIds::add(std::string_view trace, std::string_view span) {
  // The spans of a trace mostly follow each other.
  if (last_trace_ >= traces_.texts.size() || traces_.texts[last_trace_] != trace)
    last_trace_ = traces_.number_of(trace);
  if (const auto value = value_of(span)) return {last_trace_, true, *value};
  return {last_trace_, false, spans_.number_of(span)};
}

std::string OtlpIds::text(const OtlpSpanId& id) const {
  const std::string_view trace = traces_.texts.at(id.trace);
  if (id.is_hex) return fmt::format("{} {:016x}", trace, id.span);
  return fmt::format("{} {}", trace, spans_.texts.at(id.span));
}

}  // namespace dpm
