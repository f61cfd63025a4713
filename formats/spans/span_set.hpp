// The spans of a file, whatever format they are written in.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/import/import_report.hpp"
#include "formats/spans/span_ids.hpp"

namespace dpm {

enum class SpanKind : std::uint8_t {
  unspecified = 0,
  internal = 1,
  server = 2,
  client = 3,
  producer = 4,
  consumer = 5
};
// "SERVER", "SPAN_KIND_SERVER", "server"; unspecified: another text.
SpanKind span_kind_named(std::string_view name);

// What the spans of one process have in common; empty: not given.
struct SpanResource {
  std::string service;
  std::string instance;  // all that tells instances of a service apart
  std::string host;

  friend auto operator<=>(const SpanResource&, const SpanResource&) = default;
};

// Attributes of a resource, by the names of OpenTelemetry's semantic conventions and those of Jaeger's clients.
class SpanResourceBuilder {
 public:
  void take(std::string_view key, std::string_view value);
  SpanResource finish();

 private:
  SpanResource resource_;
  std::string instance_, pod_, container_, pid_, host_, node_;
};

struct Span {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  SpanId id;
  SpanId parent;               // may be none
  std::uint32_t resource = 0;  // in SpanSet::resources
  std::uint32_t peer = kNone;  // in SpanSet::peers: what a client or producer talks to
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t request_bytes = 0, response_bytes = 0;  // 0: not given
  SpanKind kind = SpanKind::unspecified;
  bool has_ended = true;
};

struct SpanLink {
  std::uint32_t span = 0;  // that has the link
  SpanId to;
};

class SpanSet {
 public:
  std::vector<SpanResource> resources;  // each once
  std::vector<Span> spans;
  std::vector<SpanLink> links;  // in the order of their spans
  std::vector<std::string> peers;
  SpanIds ids;
  std::vector<ImportRow> left_out;  // what is not among the spans
  std::vector<std::string> notes;

  std::uint32_t resource(const SpanResource& resource);
  std::uint32_t peer(std::string_view name);
  // The span, where its times are possible; otherwise it counts as left out. An end of 0 means that the span has not ended.
  void add(Span span, std::uint64_t begin_ns, std::uint64_t end_ns);
  // Of the span that was added last, if it was.
  void link(SpanId to);
  void leave_out(std::string_view what, std::uint64_t count = 1);

 private:
  std::map<SpanResource, std::uint32_t> known_resources_;
  std::map<std::string, std::uint32_t, std::less<>> known_peers_;
  bool was_added_ = false;
};

}  // namespace dpm
