#include "view/answers/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include "model/check.hpp"
#include "model/utf8.hpp"

namespace dpm::view {
namespace {

bool is_metric_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name.front())) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

// A value that is not UTF-8 would make Prometheus refuse the whole page: each byte outside ASCII is then replaced.
std::string escaped(std::string_view text, bool escapes_quotes) {
  const bool keeps = is_utf8(text);
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '"' && escapes_quotes) {
      result += "\\\"";
    } else {
      result += keeps || static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
  }
  return result;
}

std::string_view name_of(MetricFamily::Type type) {
  switch (type) {
    case MetricFamily::Type::counter:
      return "counter";
    case MetricFamily::Type::gauge:
      return "gauge";
    case MetricFamily::Type::histogram:
      return "histogram";
  }
  return "untyped";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

void append_sample(std::string& text, const std::string& name, const MetricSample& sample) {
  text += name + sample.part;
  char separator = '{';
  for (const auto& [label, value] : sample.labels) {
    DPM_CHECK(is_metric_name(label));
    fmt::format_to(std::back_inserter(text), "{}{}=\"{}\"", separator, label, escaped(value, true));
    separator = ',';
  }
  fmt::format_to(std::back_inserter(text), "{} {}\n", sample.labels.empty() ? "" : "}", number(sample.value));
}

}  // namespace

std::string prometheus_text(std::span<const MetricFamily> families) {
  std::string text;
  for (const auto& family : families) {
    DPM_CHECK(is_metric_name(family.name));
    fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", family.name, escaped(family.help, false),
                   family.name, name_of(family.type));
    for (const auto& sample : family.samples) append_sample(text, family.name, sample);
  }
  return text;
}

}  // namespace dpm::view
