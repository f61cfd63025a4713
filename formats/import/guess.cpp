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
    Unread{"metrics of OpenTelemetry, without spans", "let the exporter write traces (resourceSpans)",
           [](const RecordingHead& r) { return r.has("resourceMetrics") || r.has("resource_metrics"); }},
    Unread{"logs of OpenTelemetry, without spans", "let the exporter write traces (resourceSpans)",
           [](const RecordingHead& r) { return r.has("resourceLogs") || r.has("resource_logs"); }},
    Unread{"spans as the console exporter of OpenTelemetry prints them",
           "let an exporter of OTLP write them: --from otlp",
           [](const RecordingHead& r) {
             return r.has("SpanContext") || r.has("[].SpanContext") || r.has("context.trace_id") ||
                    r.has("[].context.trace_id");
           }},
    Unread{"segments of SkyWalking", "the OpenTelemetry collector receives them and writes OTLP: --from otlp",
           [](const RecordingHead& r) {
             return r.has("traceSegmentId") || r.has("[].traceSegmentId") || r.has("segments");
           }},
    Unread{
        "spans of Datadog", "the OpenTelemetry collector receives them and writes OTLP: --from otlp",
        [](const RecordingHead& r) { return r.has("[][].trace_id") || (r.has("[].trace_id") && r.has("[].span_id")); }},
    Unread{"the summary of strace -c, without calls", "record them with strace -f -ttt -yy -T -o LOG COMMAND",
           [](const RecordingHead& r) { return has_line(r, "^% time +seconds"); }},
    Unread{"a text of perf trace", kMeter,
           [](const RecordingHead& r) { return has_line(r, "^ *[0-9.]+ \\( *([0-9.]+ ms| *)\\): "); }},
    Unread{"a text of sysdig", kMeter,
           [](const RecordingHead& r) { return has_line(r, "^[0-9]+ [0-9:.]+ [0-9]+ .+ \\([0-9.]+\\) [<>] [a-z]"); }},
    Unread{"a log of truss, ltrace or dtruss", kMeter,
           [](const RecordingHead& r) {
             return has_line(r, "^(SYSCALL\\(args\\)|[0-9]+/[0-9]+:.*\\) *= |.*->[a-z_]+\\(.*\\) += )");
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
