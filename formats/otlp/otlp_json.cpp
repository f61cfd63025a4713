#include <algorithm>

#include "formats/otlp/otlp_spans.hpp"

namespace dpm {
namespace {

constexpr int kDepthMax = 4;

// A member under either of its two names.
std::optional<Json> either(const std::optional<Json>& a, const std::optional<Json>& b) { return a ? a : b; }

// The value of {"stringValue": "x"}, whatever its type is called; of Jaeger's and others' plain values, itself.
std::optional<Json> value_of(std::optional<Json> value) {
  simdjson::dom::object typed;
  if (!value || value->get(typed) != simdjson::SUCCESS) return value;
  if (typed.begin() == typed.end()) return std::nullopt;
  return (*typed.begin()).value;
}

// Calls `take(key, value)` for each attribute: a list of keys and values, or an object.
template <typename Take>
void for_each_attribute(std::optional<Json> attributes, const Take& take) {
  simdjson::dom::object object;
  if (attributes && attributes->get(object) == simdjson::SUCCESS) {
    for (const auto& [key, value] : object) take(key, std::optional<Json>(value));
    return;
  }
  for_each_in(attributes, [&](Json entry) {
    const auto& [key, value] = members<2>(entry, {"key", "value"});
    take(text_of(key), value_of(value));
  });
}

SpanKind kind_of(std::optional<Json> value) {
  if (const auto number = number_of(value))
    return *number <= 5 ? static_cast<SpanKind>(*number) : SpanKind::unspecified;
  return span_kind_named(text_of(value));
}

void read_attributes(std::optional<Json> attributes, Span& span, SpanSet& spans) {
  std::size_t best = SIZE_MAX;
  std::string peer;
  for_each_attribute(attributes, [&](std::string_view key, std::optional<Json> value) {
    const auto rank = peer_rank(key);
    if (rank && *rank < best) {
      std::string name = any_text_of(value);
      if (!name.empty()) best = *rank, peer = std::move(name);
    }
    const bool is_request = is_request_size(key), is_response = is_response_size(key);
    if (!is_request && !is_response) return;
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(number_of(value).value_or(0), UINT32_MAX));
    std::uint32_t& size = is_request ? span.request_bytes : span.response_bytes;
    if (size == 0) size = bytes;
  });
  const bool asks = span.kind == SpanKind::client || span.kind == SpanKind::producer;
  if (asks) span.peer = spans.peer(peer);
}

void read_span(Json json, std::uint32_t resource, SpanSet& spans) {
  const auto found = members<14>(
      json, {"traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "kind", "attributes", "links",
             "trace_id", "span_id", "parent_span_id", "start_time_unix_nano", "end_time_unix_nano", "parentId"});
  const std::string_view trace = text_of(either(found[0], found[8])), id = text_of(either(found[1], found[9]));
  const std::string_view parent = text_of(either(either(found[2], found[10]), found[13]));
  if (!is_span_id(trace) || !is_span_id(id)) return spans.leave_out("spans without ids");
  Span span;
  span.id = spans.ids.add(trace, id);
  if (is_span_id(parent)) span.parent = spans.ids.add(trace, parent);
  span.resource = resource;
  span.kind = kind_of(found[5]);
  if (found[6]) read_attributes(found[6], span, spans);
  spans.add(span, number_of(either(found[3], found[11])).value_or(0),
            number_of(either(found[4], found[12])).value_or(0));
  for_each_in(found[7], [&](Json link) {
    const auto& ids = members<4>(link, {"traceId", "spanId", "trace_id", "span_id"});
    const std::string_view linked_trace = text_of(either(ids[0], ids[2])), linked = text_of(either(ids[1], ids[3]));
    if (is_span_id(linked_trace) && is_span_id(linked)) spans.link(spans.ids.add(linked_trace, linked));
  });
}

void read_resource_spans(Json json, SpanSet& spans) {
  const auto found = members<4>(
      json, {"resource", "scopeSpans", "scope_spans", "instrumentationLibrarySpans"});  // the last: before OTLP 0.15
  SpanResourceBuilder resource;
  if (found[0])
    for_each_attribute(member(*found[0], "attributes"), [&](std::string_view key, std::optional<Json> value) {
      resource.take(key, any_text_of(value));
    });
  const std::uint32_t number = spans.resource(resource.finish());
  for (std::size_t scopes = 1; scopes < found.size(); ++scopes)
    for_each_in(found[scopes], [&](Json scope) {
      for_each_in(member(scope, "spans"), [&](Json span) { read_span(span, number, spans); });
    });
}

struct Found {
  bool spans = false, metrics = false, logs = false;
};

void search(Json json, int depth, SpanSet& spans, Found& found) {
  if (depth > kDepthMax) return;
  if (json.is_array()) return for_each_in(json, [&](Json element) { search(element, depth + 1, spans, found); });
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return;
  for (const auto& [name, value] : object) {
    if (name == "resourceSpans" || name == "resource_spans" || name == "batches") {
      found.spans = true;
      for_each_in(std::optional<Json>(value), [&](Json each) { read_resource_spans(each, spans); });
    } else if (name == "scopeSpans" || name == "scope_spans") {
      found.spans = true;
      return read_resource_spans(json, spans);
    } else if (name == "resourceMetrics" || name == "resource_metrics") {
      found.metrics = true;
    } else if (name == "resourceLogs" || name == "resource_logs") {
      found.logs = true;
    } else if (name == "trace" || name == "traces" || name == "result" || name == "data" || name == "body") {
      search(value, depth + 1, spans, found);
    }
  }
}

}  // namespace

void read_otlp_json(Json document, SpanSet& spans) {
  Found found;
  search(document, 0, spans, found);
  if (found.spans) return;
  spans.leave_out(found.metrics ? "documents of metrics"
                  : found.logs  ? "documents of logs"
                                : "documents without spans");
}

}  // namespace dpm
