#include "formats/import/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

namespace dpm {
namespace {

// Recordings that are often there and are not read: what they are, and what to do.
struct Unread {
  std::string_view what, way;
  bool (*is_it)(const RecordingHead& recording);
};

bool has_file(const RecordingHead& recording, std::string_view name) {
  return std::find(recording.files.begin(), recording.files.end(), name) != recording.files.end();
}

// Whether a line near the beginning is of this form.
bool has_line(const RecordingHead& recording, const char* form) {
  constexpr std::size_t kLinesTried = 50, kLineMax = 500;
  const std::regex pattern(form, std::regex::optimize);
  std::string_view rest = recording.head;
  for (std::size_t n = 0; n < kLinesTried && !rest.empty(); ++n) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, std::min(end, kLineMax));
    if (std::regex_search(line.begin(), line.end(), pattern)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// A member of a document, or of each in a list.
bool has_member(const RecordingHead& recording, std::string_view name) {
  return recording.has(name) || recording.has("[]." + std::string(name));
}

// Packets of field 1 that hold a time (field 8, a number), as all but the first do: spans of OTLP have none there.
bool begins_perfetto(std::string_view head) {
  constexpr char kPacket = 0x0a, kTime = 0x40;
  constexpr std::size_t kPacketsTried = 20, kShort = 0x80;
  for (std::size_t n = 0; n < kPacketsTried && head.size() > 2 && head[0] == kPacket; ++n) {
    const auto size = static_cast<unsigned char>(head[1]);
    if (size >= kShort || head.size() < size + std::size_t{2}) return false;
    if (size > 1 && head[2] == kTime) return true;
    head.remove_prefix(size + std::size_t{2});
  }
  return false;
}

constexpr std::string_view kCollector = "the OpenTelemetry collector receives them and writes OTLP: --from otlp";
constexpr std::string_view kExporter = "let an exporter of OpenTelemetry in the program write OTLP: --from otlp";
constexpr std::string_view kMeter =
    "dpm meter records the program with its messages, strace -f -ttt -yy -T -o LOG COMMAND a log of it";

const std::array kUnread = {
    Unread{"a trace of DPM", "it needs no import: dpm statistics reads it",
           [](const RecordingHead& r) { return has_file(r, "trace.json"); }},
    Unread{"a CTF trace of another tool (LTTng, barectf)",
           "DPM reads only its own; to have the messages of a program, dpm meter records them, and strace -f -ttt -yy "
           "-T -o LOG COMMAND a log "
           "of it",
           [](const RecordingHead& r) {
             return has_file(r, "metadata") || has_file(r, "kernel") || has_file(r, "ust") ||
                    r.head.starts_with("\xd1\x1d\xd1\x75") || r.head.starts_with("\x57\x1d\xd1\x75") ||
                    r.head.starts_with("/* CTF 1");
           }},
    Unread{"data of perf", kMeter,
           [](const RecordingHead& r) { return r.head.starts_with("PERFILE2") || r.head.starts_with("PERFFILE"); }},
    Unread{"captured packets", kMeter,
           [](const RecordingHead& r) {
             return r.head.starts_with("\xd4\xc3\xb2\xa1") || r.head.starts_with("\xa1\xb2\xc3\xd4") ||
                    r.head.starts_with("\x4d\x3c\xb2\xa1") || r.head.starts_with("\x0a\x0d\x0d\x0a");
           }},
    Unread{"spans of Jaeger as Thrift or Cassandra stores them",
           "Jaeger's page exports a trace that is read: Trace JSON",
           [](const RecordingHead& r) {
             return has_member(r, "span_hash") || has_member(r, "tags[].vStr") || has_member(r, "traceIdLow");
           }},
    Unread{"segments of AWS X-Ray", kExporter,
           [](const RecordingHead& r) { return has_member(r, "subsegments") || has_member(r, "Segments[].Document"); }},
    Unread{"a trace of Google Cloud Trace", kExporter,
           [](const RecordingHead& r) { return has_member(r, "projectId") && has_member(r, "spans[].spanId"); }},
    Unread{"events of Elastic APM", kExporter,
           [](const RecordingHead& r) {
             return has_member(r, "transaction.trace_id") || has_member(r, "span.trace_id") ||
                    has_member(r, "transaction.id");
           }},
    Unread{"a transaction of Sentry", kExporter,
           [](const RecordingHead& r) { return has_member(r, "contexts.trace.trace_id"); }},
    Unread{"captured packets as JSON", kMeter, [](const RecordingHead& r) { return has_member(r, "_source.layers"); }},
    Unread{"captured packets as text", kMeter,
           [](const RecordingHead& r) { return has_line(r, "^([0-9-]+ )?[0-9:.]+ IP6? [^ ]+ > [^ ]+: "); }},
    Unread{"a trace of Perfetto in its binary form", "Perfetto's traceconv json makes Chrome trace JSON of it",
           [](const RecordingHead& r) { return begins_perfetto(r.head); }},
    Unread{"a text of ftrace", kMeter, [](const RecordingHead& r) { return r.head.starts_with("# tracer: "); }},
    Unread{"a text of perf script", kMeter,
           [](const RecordingHead& r) {
             return has_line(r, "^ *[^ ]+ +[0-9/]+ +(\\[[0-9]+\\] +)?[0-9]+\\.[0-9]+: +[a-z_]+:");
           }},
    Unread{"metrics of OpenTelemetry, without spans", "let the exporter write traces (resourceSpans)",
           [](const RecordingHead& r) { return r.has("resourceMetrics") || r.has("resource_metrics"); }},
    Unread{"logs of OpenTelemetry, without spans", "let the exporter write traces (resourceSpans)",
           [](const RecordingHead& r) { return r.has("resourceLogs") || r.has("resource_logs"); }},
    Unread{"spans as a console or debug exporter of OpenTelemetry prints them",
           "let an exporter of OTLP write them: --from otlp",
           [](const RecordingHead& r) {
             return has_member(r, "SpanContext") || has_member(r, "context.trace_id") ||
                    has_line(r, "^( +Trace ID +: [0-9a-f]|Activity\\.TraceId: | +traceId: '[0-9a-f])");
           }},
    Unread{"segments of SkyWalking", kCollector,
           [](const RecordingHead& r) {
             return r.has("traceSegmentId") || r.has("[].traceSegmentId") || r.has("segments");
           }},
    Unread{
        "spans of Datadog", kCollector,
        [](const RecordingHead& r) { return r.has("[][].trace_id") || (r.has("[].trace_id") && r.has("[].span_id")); }},
    Unread{"the summary of strace -c, without calls", "record them with strace -f -ttt -yy -T -o LOG COMMAND",
           [](const RecordingHead& r) { return has_line(r, "^% time +seconds"); }},
    Unread{"a text of perf trace", kMeter,
           [](const RecordingHead& r) { return has_line(r, "^ *[0-9.]+ \\( *([0-9.]+ ms| *)\\): "); }},
    Unread{"a text of sysdig", kMeter,
           [](const RecordingHead& r) { return has_line(r, "^[0-9]+ [0-9:.]+ [0-9]+ .+ \\([0-9.]+\\) [<>] [a-z]"); }},
    Unread{"a log of truss, ltrace or dtruss", kMeter,
           [](const RecordingHead& r) {
             return has_line(r, "^(SYSCALL\\(args\\)|[0-9]+(/[0-9]+)?:.*\\) *= |.*->[a-z_]+\\(.*\\) += )");
           }},
};

std::string readable() {
  std::string names;
  for (const ImportFormat& format : import_formats())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

const Unread* unread(const RecordingHead& recording) {
  const auto found =
      std::find_if(kUnread.begin(), kUnread.end(), [&](const Unread& known) { return known.is_it(recording); });
  return found == kUnread.end() ? nullptr : found;
}

Guess guess(const RecordingHead& recording) {
  for (const ImportFormat& format : import_formats())
    if (auto what = format.recognize(recording)) return {&format, *std::move(what)};
  return {};
}

}  // namespace

Result<Guess> guess_format(const std::string& path) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  Guess found = guess(*recording);
  if (found.format != nullptr) return found;
  if (const Unread* known = unread(*recording))
    return Error{fmt::format("{}: this is {}: {}", path, known->what, known->way)};
  const std::string_view what = recording->is_folder      ? "a folder without a recording"
                                : recording->head.empty() ? "an empty file"
                                : !recording->members.empty()
                                    ? "JSON of no known form"
                                    : "not a recording of a known form, nor the folder of a trace";
  return Error{fmt::format("{}: this is {}; dpm import reads: {}", path, what, readable())};
}

Error refused_as(const ImportFormat& format, const std::string& path, const Error& error) {
  const auto recording = look_at(path);
  if (!recording) return error;
  const Guess found = guess(*recording);
  if (found.format == &format) return error;
  if (found.format != nullptr)
    return Error{fmt::format("{}; this is {}: --from {}", error.what, found.what, found.format->name)};
  if (const Unread* known = unread(*recording))
    return Error{fmt::format("{}; this is {}: {}", error.what, known->what, known->way)};
  return error;
}

}  // namespace dpm
