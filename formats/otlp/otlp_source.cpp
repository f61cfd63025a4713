#include "formats/otlp/otlp_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "formats/import/whole_file.hpp"
#include "formats/otlp/otlp_spans.hpp"
#include "formats/spans/span_documents.hpp"
#include "formats/spans/span_source.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 31;

bool may_be_json(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

Result<SpanSet> read_json(const std::string& path) {
  SpanSet spans;
  if (auto done = read_span_documents(path, spans, [&](Json json) { read_otlp_json(json, spans); }); !done)
    return done.error();
  return spans;
}

// Each message of a file of the collector stands behind its size, as four bytes from the highest on.
constexpr std::size_t kSizeBytes = 4;

std::size_t size_before(std::string_view bytes) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
  return size;
}

bool begins_with_size(std::string_view bytes) {
  return bytes.size() > kSizeBytes && size_before(bytes) >= 2 &&
         begins_otlp_protobuf(bytes.substr(kSizeBytes, size_before(bytes)));
}

Result<SpanSet> read_protobuf(const std::string& path) {
  const auto file = read_whole_file(path, kFileBytesMax);
  if (!file) return file.error();
  SpanSet spans;
  std::string_view rest = file->text;
  bool is_cut = file->is_cut;
  if (begins_with_size(rest)) {
    while (!rest.empty()) {
      const std::size_t size = rest.size() >= kSizeBytes ? size_before(rest) : rest.size();
      rest.remove_prefix(std::min(kSizeBytes, rest.size()));
      is_cut |= size > rest.size();
      const std::string_view message = rest.substr(0, size);
      rest.remove_prefix(message.size());
      if (!read_otlp_protobuf(message, spans) && size <= message.size()) spans.leave_out("messages that are damaged");
    }
  } else {
    is_cut |= !read_otlp_protobuf(rest, spans);
  }
  if (is_cut) spans.notes.push_back("the file ends in the middle of a message: its last spans are missing");
  return spans;
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  if (recording.is_folder) return std::nullopt;
  for (const std::string_view name :
       {"resourceSpans", "resource_spans", "batches", "trace.resourceSpans", "trace.resource_spans", "trace.batches",
        "result.resourceSpans", "result.resource_spans", "[].resourceSpans", "[].resource_spans",
        "[].result.resourceSpans", "data.resourceSpans", "data[].resourceSpans", "data[].batches",
        "traces[].resourceSpans", "scopeSpans", "[].scopeSpans", "traces[].batches"})
    if (recording.has(name)) return "spans of OpenTelemetry (OTLP JSON)";
  if (begins_otlp_protobuf(recording.head) || begins_with_size(recording.head))
    return "spans of OpenTelemetry (OTLP protobuf)";
  return std::nullopt;
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  if (recording->is_folder) return Error{path + " is a directory, not a file"};
  const bool is_json = may_be_json(recording->head);
  if (!is_json && !recognize(*recording))
    return Error{path + ": no OpenTelemetry spans: neither JSON nor protobuf with a list 'resourceSpans'"};
  auto spans = is_json ? read_json(path) : read_protobuf(path);
  if (!spans) return spans.error();
  return make_span_source("otlp", path, *std::move(spans));
}

}  // namespace

ImportFormat make_otlp_import_format() {
  return {"otlp",
          "spans of OpenTelemetry (OTLP), JSON or protobuf, as collectors, SDKs, Tempo and Jaeger's API v3 write them",
          {"procTime", "readyTime", "diskTime"},
          recognize,
          open};
}

}  // namespace dpm
