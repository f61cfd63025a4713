#include "formats/otlp/otlp_spans.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "text/json_mistake.hpp"

namespace dpm {
namespace {

using Json = simdjson::dom::element;

constexpr std::uint64_t kTimeEndNs = std::uint64_t{1} << 62;  // as of all events
constexpr std::array<std::string_view, 6> kKinds = {"UNSPECIFIED", "INTERNAL", "SERVER",
                                                    "CLIENT",      "PRODUCER", "CONSUMER"};

// Nothing where `object` is not an object, or does not have it.
std::optional<Json> member(Json object, std::string_view name) {
  Json found;
  if (object[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

// Nothing is done where it is not a list.
template <typename Act>
void for_each_in(std::optional<Json> value, Act&& act) {
  simdjson::dom::array list;
  if (!value || value->get(list) != simdjson::SUCCESS) return;
  for (const Json element : list) act(element);
}

std::string_view text_of(std::optional<Json> value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  return text;
}

// Whole numbers of 64 bits are strings in OTLP; some writers write numbers.
std::optional<std::uint64_t> number_of(std::optional<Json> value) {
  std::uint64_t number = 0;
  if (!value || value->get(number) == simdjson::SUCCESS) return value ? std::optional(number) : std::nullopt;
  const std::string_view text = text_of(value);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

template <std::size_t N>
using Names = std::array<std::string_view, N>;
template <std::size_t N>
using Values = std::array<std::optional<Json>, N>;

// The members of these names, in one pass: an object has no index of its members. Of several with one name, the first.
template <std::size_t N>
Values<N> members(Json json, const Names<N>& names) {
  Values<N> found;
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return found;
  for (const auto& [name, value] : object) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at < N && !found[at]) found[at] = value;
  }
  return found;
}

// The values of these attributes, whatever their types.
template <std::size_t N>
Values<N> attributes_of(std::optional<Json> attributes, const Names<N>& keys) {
  Values<N> found;
  for_each_in(attributes, [&](Json entry) {
    const auto& [key, value] = members<2>(entry, {"key", "value"});
    const auto at = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), text_of(key)) - keys.begin());
    simdjson::dom::object typed;
    if (at == N || found[at] || !value || value->get(typed) != simdjson::SUCCESS) return;
    if (typed.begin() != typed.end()) found[at] = (*typed.begin()).value;
  });
  return found;
}

std::string first_text(std::span<const std::optional<Json>> values) {
  for (const auto& value : values) {
    if (!value) continue;
    if (value->is_string()) return std::string(text_of(value));
    std::int64_t number = 0;
    if (value->get(number) == simdjson::SUCCESS) return std::to_string(number);
  }
  return "";
}

std::uint32_t first_number(std::span<const std::optional<Json>> values) {
  for (const auto& value : values)
    if (const auto number = number_of(value))
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, UINT32_MAX));
  return 0;
}

SpanKind kind_of(std::optional<Json> value) {
  if (const auto number = number_of(value))
    return *number < kKinds.size() ? static_cast<SpanKind>(*number) : SpanKind::unspecified;
  const std::string_view text = text_of(value);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
    if (text.ends_with(kKinds[kind])) return static_cast<SpanKind>(kind);
  return SpanKind::unspecified;
}

Result<OtlpSpan> read_span(Json json, std::uint32_t resource, OtlpIds& ids) {
  const auto& [name, trace_id, span_id, parent_id, begin, end, kind, attributes] = members<8>(
      json,
      {"name", "traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "kind", "attributes"});
  OtlpSpan span;
  span.resource = resource;
  span.name = text_of(name);
  const std::string_view trace = text_of(trace_id), id = text_of(span_id), parent = text_of(parent_id);
  if (trace.empty() || id.empty()) return Error{fmt::format("the span '{}' has no traceId or no spanId", span.name)};
  const auto begin_ns = number_of(begin), end_ns = number_of(end);
  if (!begin_ns || !end_ns || *begin_ns >= kTimeEndNs || *end_ns >= kTimeEndNs || *end_ns < *begin_ns)
    return Error{fmt::format("the span '{}' ({}) ends before it begins, or has no times", span.name, id)};
  span.id = ids.add(trace, id);
  if (parent.find_first_not_of('0') != std::string_view::npos) span.parent = ids.add(trace, parent);
  span.kind = kind_of(kind);
  span.begin_ns = static_cast<std::int64_t>(*begin_ns);
  span.end_ns = static_cast<std::int64_t>(*end_ns);
  if (!attributes) return span;
  const auto bytes = attributes_of<5>(
      attributes, {"http.request.body.size", "http.request_content_length", "messaging.message.body.size",
                   "http.response.body.size", "http.response_content_length"});
  span.request_bytes = first_number(std::span(bytes).first(3));
  span.response_bytes = first_number(std::span(bytes).last(2));
  return span;
}

OtlpResource resource_of(Json resource_spans) {
  OtlpResource resource;
  if (const auto described = member(resource_spans, "resource")) {
    const auto texts = attributes_of<7>(member(*described, "attributes"),
                                        {"service.name", "service.instance.id", "k8s.pod.name", "container.id",
                                         "process.pid", "host.name", "k8s.node.name"});
    resource.service = first_text(std::span(texts).first(1));
    resource.instance = first_text(std::span(texts).subspan(1, 4));
    resource.host = first_text(std::span(texts).last(2));
  }
  return resource;
}

Result<void> read_spans(Json resource_spans, std::uint32_t resource, OtlpSpans& read) {
  Result<void> status;
  const auto add = [&](Json json) {
    if (!status) return;
    auto span = read_span(json, resource, read.ids);
    if (span) {
      read.spans.push_back(*std::move(span));
    } else {
      status = span.error();
    }
  };
  for (const std::string_view scopes : {"scopeSpans", "instrumentationLibrarySpans"})  // the second: before OTLP 0.15
    for_each_in(member(resource_spans, scopes), [&](Json scope) { for_each_in(member(scope, "spans"), add); });
  return status;
}

}  // namespace

struct OtlpReader::Parser {
  simdjson::dom::parser json;
};

OtlpReader::OtlpReader() : parser_(std::make_unique<Parser>()) {}
OtlpReader::~OtlpReader() = default;

Result<void> OtlpReader::read(std::string_view document) {
  Json json;
  if (const auto wrong = parser_->json.parse(document.data(), document.size()).get(json); wrong != simdjson::SUCCESS)
    return Error{why_not_json(document)};
  const auto list = member(json, "resourceSpans");
  if (!list || !list->is_array()) return Error{"no OpenTelemetry spans: it has no list 'resourceSpans'"};
  Result<void> status;
  for_each_in(list, [&](Json resource_spans) {
    if (!status) return;
    const auto [known, is_new] =
        known_.try_emplace(resource_of(resource_spans), static_cast<std::uint32_t>(read_.resources.size()));
    if (is_new) read_.resources.push_back(known->first);
    status = read_spans(resource_spans, known->second, read_);
  });
  return status;
}

}  // namespace dpm
