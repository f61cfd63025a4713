// The spans of OpenTelemetry's JSON encoding (OTLP), as collectors write it to files: one document, or one on each line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

enum class SpanKind : std::uint8_t {
  unspecified = 0,
  internal = 1,
  server = 2,
  client = 3,
  producer = 4,
  consumer = 5
};

struct OtlpSpan {
  std::string id;      // trace and span: unique in the file
  std::string parent;  // the same form; empty: none
  std::string name;
  std::string service, instance, host;  // of its resource; empty: not given
  SpanKind kind = SpanKind::unspecified;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t request_bytes = 0, response_bytes = 0;  // 0: not given
};

// Appends the spans of one document. The error says what is wrong with it.
Result<void> read_otlp_document(std::string_view text, std::vector<OtlpSpan>& spans);

}  // namespace dpm
