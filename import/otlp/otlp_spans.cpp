#include "import/otlp/otlp_spans.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

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

// The value of one of `attributes`, whatever its type.
std::optional<Json> attribute(std::optional<Json> attributes, std::string_view key) {
  std::optional<Json> found;
  for_each_in(attributes, [&](Json entry) {
    if (found || text_of(member(entry, "key")) != key) return;
    const auto value = member(entry, "value");
    simdjson::dom::object typed;
    if (value && value->get(typed) == simdjson::SUCCESS && typed.begin() != typed.end()) found = (*typed.begin()).value;
  });
  return found;
}

std::string first_text(std::optional<Json> attributes, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto value = attribute(attributes, key);
    if (!value) continue;
    if (value->is_string()) return std::string(text_of(value));
    std::int64_t number = 0;
    if (value->get(number) == simdjson::SUCCESS) return std::to_string(number);
  }
  return "";
}

std::uint32_t first_number(std::optional<Json> attributes, std::initializer_list<std::string_view> keys) {
  if (!attributes) return 0;
  for (const std::string_view key : keys)
    if (const auto number = number_of(attribute(attributes, key)))
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

std::string joined_id(std::string_view trace, std::string_view id) {
  std::string joined;
  joined.reserve(trace.size() + 1 + id.size());
  return joined.append(trace).append(" ").append(id);
}

Result<OtlpSpan> read_span(Json json, std::uint32_t resource) {
  OtlpSpan span;
  span.resource = resource;
  span.name = text_of(member(json, "name"));
  const std::string_view trace = text_of(member(json, "traceId")), id = text_of(member(json, "spanId"));
  const std::string_view parent = text_of(member(json, "parentSpanId"));
  if (trace.empty() || id.empty()) return Error{fmt::format("the span '{}' has no traceId or no spanId", span.name)};
  const auto begin_ns = number_of(member(json, "startTimeUnixNano")),
             end_ns = number_of(member(json, "endTimeUnixNano"));
  if (!begin_ns || !end_ns || *begin_ns >= kTimeEndNs || *end_ns >= kTimeEndNs || *end_ns < *begin_ns)
    return Error{fmt::format("the span '{}' ({}) ends before it begins, or has no times", span.name, id)};
  span.id = joined_id(trace, id);
  if (parent.find_first_not_of('0') != std::string_view::npos) span.parent = joined_id(trace, parent);
  span.kind = kind_of(member(json, "kind"));
  span.begin_ns = static_cast<std::int64_t>(*begin_ns);
  span.end_ns = static_cast<std::int64_t>(*end_ns);
  const auto attributes = member(json, "attributes");
  span.request_bytes = first_number(
      attributes, {"http.request.body.size", "http.request_content_length", "messaging.message.body.size"});
  span.response_bytes = first_number(attributes, {"http.response.body.size", "http.response_content_length"});
  return span;
}

OtlpResource resource_of(Json resource_spans) {
  OtlpResource resource;
  if (const auto described = member(resource_spans, "resource")) {
    const auto attributes = member(*described, "attributes");
    resource.service = first_text(attributes, {"service.name"});
    resource.instance = first_text(attributes, {"service.instance.id", "k8s.pod.name", "container.id", "process.pid"});
    resource.host = first_text(attributes, {"host.name", "k8s.node.name"});
  }
  return resource;
}

Result<void> read_spans(Json resource_spans, std::uint32_t resource, std::vector<OtlpSpan>& spans) {
  Result<void> status;
  const auto add = [&](Json json) {
    if (!status) return;
    auto span = read_span(json, resource);
    if (span) {
      spans.push_back(*std::move(span));
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
    return Error{fmt::format("not JSON ({})", simdjson::error_message(wrong))};
  const auto list = member(json, "resourceSpans");
  if (!list || !list->is_array()) return Error{"no OpenTelemetry spans: it has no list 'resourceSpans'"};
  Result<void> status;
  for_each_in(list, [&](Json resource_spans) {
    if (!status) return;
    const auto [known, is_new] =
        known_.try_emplace(resource_of(resource_spans), static_cast<std::uint32_t>(read_.resources.size()));
    if (is_new) read_.resources.push_back(known->first);
    status = read_spans(resource_spans, known->second, read_.spans);
  });
  return status;
}

}  // namespace dpm
