// The spans of OpenTelemetry (OTLP) as JSON, under every name that exporters give its parts, and as protobuf.
#pragma once

#include <string_view>

#include "formats/json/json_value.hpp"
#include "formats/spans/span_set.hpp"

namespace dpm {

// Adds the spans of one document: resourceSpans, resource_spans, batches, also inside "trace", "result" or "data" and in lists. What has
// metrics or logs instead, or none of these, counts as left out.
void read_otlp_json(Json document, SpanSet& spans);

// Adds the spans of a message TracesData or ExportTraceServiceRequest; false: the bytes are not one, or end in its middle. Then the spans
// before that have been added.
bool read_otlp_protobuf(std::string_view message, SpanSet& spans);

// Whether bytes can begin a message with spans: its first field is a ResourceSpans that holds what one holds.
bool begins_otlp_protobuf(std::string_view bytes);

// An attribute that says what a client or a producer talks to, and how well: 0 is best. None: another attribute.
std::optional<std::size_t> peer_rank(std::string_view key);
// An attribute with the size of a request or of a response.
bool is_request_size(std::string_view key);
bool is_response_size(std::string_view key);

}  // namespace dpm
