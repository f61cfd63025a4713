// The spans of OpenTelemetry's JSON encoding (OTLP), as collectors write it to files: one document, or one on each line.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/otlp/otlp_ids.hpp"
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

// What the spans of one process have in common; empty: not given.
struct OtlpResource {
  std::string service, instance, host;

  friend auto operator<=>(const OtlpResource&, const OtlpResource&) = default;
};

struct OtlpSpan {
  OtlpSpanId id;      // unique in the file
  OtlpSpanId parent;  // may be none
  std::string name;
  std::uint32_t resource = 0;  // in OtlpSpans::resources
  SpanKind kind = SpanKind::unspecified;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t request_bytes = 0, response_bytes = 0;  // 0: not given
};

struct OtlpSpans {
  std::vector<OtlpResource> resources;  // each once
  std::vector<OtlpSpan> spans;
  OtlpIds ids;
};

class OtlpReader {
 public:
  OtlpReader();
  ~OtlpReader();

  // Adds the spans of one document. The error says what is wrong with it; then some of its spans may have been added.
  Result<void> read(std::string_view document);

  OtlpSpans take() { return std::move(read_); }

 private:
  struct Parser;  // keeps its memory from document to document

  std::unique_ptr<Parser> parser_;
  OtlpSpans read_;
  std::map<OtlpResource, std::uint32_t> known_;
};

}  // namespace dpm
