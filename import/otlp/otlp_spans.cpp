#include "import/otlp/otlp_spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace dpm {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kTimeEndNs = std::uint64_t{1} << 62;  // as of all events
constexpr std::array<std::string_view, 6> kKinds = {"UNSPECIFIED", "INTERNAL", "SERVER",
                                                    "CLIENT",      "PRODUCER", "CONSUMER"};

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const Json* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

// Whole numbers of 64 bits are strings in OTLP; some writers write numbers.
std::optional<std::uint64_t> number_of(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (!value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// The value of an attribute, whatever its type.
const Json* attribute(const Json& object, std::string_view key) {
  const Json* attributes = member(object, "attributes");
  if (attributes == nullptr || !attributes->is_array()) return nullptr;
  for (const Json& entry : *attributes) {
    const Json* value = member(entry, "value");
    if (text_of(member(entry, "key")) == key && value != nullptr && value->is_object() && !value->empty())
      return &*value->begin();
  }
  return nullptr;
}

std::string first_text(const Json& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const Json* value = attribute(object, key)) {
      if (value->is_string()) return value->get<std::string>();
      if (value->is_number_integer()) return std::to_string(value->get<std::int64_t>());
    }
  return "";
}

std::uint32_t first_number(const Json& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto number = number_of(attribute(object, key)))
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, UINT32_MAX));
  return 0;
}

SpanKind kind_of(const Json* value) {
  if (const auto number = number_of(value))
    return *number < kKinds.size() ? static_cast<SpanKind>(*number) : SpanKind::unspecified;
  const std::string text = text_of(value);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
    if (text.ends_with(kKinds[kind])) return static_cast<SpanKind>(kind);
  return SpanKind::unspecified;
}

Result<OtlpSpan> read_span(const Json& json, const OtlpSpan& resource) {
  OtlpSpan span = resource;
  span.name = text_of(member(json, "name"));
  const std::string trace = text_of(member(json, "traceId")), id = text_of(member(json, "spanId"));
  const std::string parent = text_of(member(json, "parentSpanId"));
  if (trace.empty() || id.empty()) return Error{fmt::format("the span '{}' has no traceId or no spanId", span.name)};
  const auto begin_ns = number_of(member(json, "startTimeUnixNano")),
             end_ns = number_of(member(json, "endTimeUnixNano"));
  if (!begin_ns || !end_ns || *begin_ns >= kTimeEndNs || *end_ns >= kTimeEndNs || *end_ns < *begin_ns)
    return Error{fmt::format("the span '{}' ({}) ends before it begins, or has no times", span.name, id)};
  span.id = trace + " " + id;
  if (!parent.empty() && parent.find_first_not_of('0') != std::string::npos) span.parent = trace + " " + parent;
  span.kind = kind_of(member(json, "kind"));
  span.begin_ns = static_cast<std::int64_t>(*begin_ns);
  span.end_ns = static_cast<std::int64_t>(*end_ns);
  span.request_bytes =
      first_number(json, {"http.request.body.size", "http.request_content_length", "messaging.message.body.size"});
  span.response_bytes = first_number(json, {"http.response.body.size", "http.response_content_length"});
  return span;
}

Result<void> read_resource(const Json& resource_spans, std::vector<OtlpSpan>& spans) {
  OtlpSpan resource;
  if (const Json* described = member(resource_spans, "resource")) {
    resource.service = first_text(*described, {"service.name"});
    resource.instance = first_text(*described, {"service.instance.id", "k8s.pod.name", "container.id", "process.pid"});
    resource.host = first_text(*described, {"host.name", "k8s.node.name"});
  }
  for (const char* scopes : {"scopeSpans", "instrumentationLibrarySpans"}) {  // the second: before OTLP 0.15
    const Json* list = member(resource_spans, scopes);
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& scope : *list) {
      const Json* of_scope = member(scope, "spans");
      if (of_scope == nullptr || !of_scope->is_array()) continue;
      for (const Json& json : *of_scope) {
        auto span = read_span(json, resource);
        if (!span) return span.error();
        spans.push_back(*std::move(span));
      }
    }
  }
  return {};
}

}  // namespace

Result<void> read_otlp_document(std::string_view text, std::vector<OtlpSpan>& spans) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) return Error{"not JSON"};
  const Json* resources = member(json, "resourceSpans");
  if (resources == nullptr || !resources->is_array())
    return Error{"no OpenTelemetry spans: it has no list 'resourceSpans'"};
  for (const Json& resource : *resources)
    if (auto done = read_resource(resource, spans); !done) return done;
  return {};
}

}  // namespace dpm
