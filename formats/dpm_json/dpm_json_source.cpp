#include "formats/dpm_json/dpm_json_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/dpm_json/dpm_json_events.hpp"
#include "formats/import/line_file.hpp"
#include "formats/import/whole_file.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

class DpmJsonSource : public ImportSource {
 public:
  explicit DpmJsonSource(std::unique_ptr<DpmJsonEvents> read) : read_(std::move(read)), info_(read_->info()) {
    info_.source = "dpm-json";
  }

  Result<void> run(EventSink& sink) override {
    constexpr std::size_t kBatch = 4096;
    const std::span<const Event> events = read_->events();
    sink.on_begin(info_);
    for (std::size_t at = 0; at < events.size(); at += kBatch)
      sink.on_events(events.subspan(at, std::min(kBatch, events.size() - at)));
    LossReport losses;
    losses.seen = events.size();
    losses.warnings = warnings_of(report());
    sink.on_end(losses);
    return {};
  }

  ImportReport report() const override {
    ImportReport report;
    report.read.push_back({"events", read_->events().size()});
    if (read_->any_inferred())
      report.notes.push_back(
          "messages without numbers are taken to be received in the order in which they were sent, by sender and "
          "channel");
    if (!read_->any_cpu_time()) report.unknown.push_back(ImportUnknown::cpu_times);
    report.unknown.push_back(ImportUnknown::cpu_waits);
    report.no_messages = "the file has no SEND and no RECEIVE";
    return report;
  }

 private:
  std::unique_ptr<DpmJsonEvents> read_;
  TraceInfo info_;
};

// As dpm events prints it: each event on a line, with the marks of a list around and between them. A list in another form is read
// as a whole.
Result<void> read_events(const std::string& path, DpmJsonEvents& events) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  std::string_view line;
  while (file->next(line)) {
    if (file->is_cut()) return Error{fmt::format("{}:{}: the line is too long", path, file->number())};
    const auto first = line.find_first_not_of(" \t\r[,"), last = line.find_last_not_of(" \t\r],");
    if (first == std::string_view::npos || last == std::string_view::npos || first > last) continue;
    if (const auto done = events.read(line.substr(first, last - first + 1)); !done)
      return Error{fmt::format("{}:{}: {}", path, file->number(), done.error().what)};
  }
  return file->status();
}

// Whether its first line with an event has all of it.
Result<bool> has_an_event_on_each_line(const std::string& path) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  std::string_view line;
  while (file->next(line)) {
    const auto first = line.find_first_not_of(" \t\r[,"), last = line.find_last_not_of(" \t\r],");
    if (first == std::string_view::npos || last == std::string_view::npos || first > last) continue;
    const std::string_view event = line.substr(first, last - first + 1);
    return event.front() == '{' && event.back() == '}' && event.find("},") == std::string_view::npos;
  }
  return true;
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& options) {
  auto events = std::make_unique<DpmJsonEvents>(options.machine);
  const auto by_line = has_an_event_on_each_line(path);
  if (!by_line) return by_line.error();
  if (*by_line) {
    if (const auto done = read_events(path, *events); !done) return done.error();
  } else {
    const auto text = read_whole_file(path, kFileBytesMax);
    if (!text) return text.error();
    if (const auto done = events->read(text->text); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  }
  if (events->events().empty()) return Error{path + ": it has no events"};
  if (const auto done = events->complete(); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  return std::unique_ptr<ImportSource>(std::make_unique<DpmJsonSource>(std::move(events)));
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  const bool has_events = (recording.has("[].event") && recording.has("[].process")) ||
                          (recording.has("event") && recording.has("process"));
  return has_events && !recording.is_folder ? std::optional<std::string>("events of DPM as JSON") : std::nullopt;
}

}  // namespace

ImportFormat make_dpm_json_import_format() {
  return {"dpm-json",
          "events as dpm events --json prints them, or as your own program writes them",
          {"readyTime", "diskTime"},
          recognize,
          open,
          true};
}

}  // namespace dpm
