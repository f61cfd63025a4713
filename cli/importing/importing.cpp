#include "cli/importing/importing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/results/ledger_results.hpp"
#include "filter/event_filter.hpp"
#include "formats/import/guess.hpp"
#include "text/printable.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

class MessageCount : public EventSink {
 public:
  explicit MessageCount(EventSink& next) : next_(next) {}

  void on_begin(const TraceInfo& info) override { next_.on_begin(info); }
  void on_events(std::span<const Event> batch) override {
    messages_ += static_cast<std::uint64_t>(std::count_if(batch.begin(), batch.end(), [](const Event& event) {
      return event.type == EventType::send || event.type == EventType::receive;
    }));
    next_.on_events(batch);
  }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

  std::uint64_t messages() const { return messages_; }

 private:
  EventSink& next_;
  std::uint64_t messages_ = 0;
};

}  // namespace

Result<OpenRecording> open_recording(const ImportRequest& request) {
  OpenRecording recording;
  if (request.from.empty()) {
    auto guess = guess_format(request.file);
    if (!guess) return guess.error();
    recording.format = guess->format;
    recording.what = std::move(guess->what);
  } else {
    const auto named = import_format_named(request.from);
    if (!named) return named.error();
    recording.format = *named;
  }
  auto source = recording.format->open(request.file, request.options);
  if (!source) return refused_as(*recording.format, request.file, source.error());
  recording.source = *std::move(source);
  return recording;
}

Result<Imported> write_recording(const OpenRecording& recording, const ImportRequest& request) {
  const auto layouts = recording.format->has_summaries ? event_layouts() : program_event_layouts();
  std::vector<RuleSet> rules = {RuleSet::keep_all(layouts)};
  for (const std::string_view field : recording.format->missing_fields) rules[0].discard(layouts, field);
  auto writer =
      TraceWriter::create(request.output, describe_events({"filter"}, rules), {.compressed = request.compressed});
  if (!writer) return writer.error();
  EventFilter filter(std::move(rules), **writer);
  MessageCount count(filter);
  auto done = recording.source->run(count);
  if (done) done = (*writer)->status();
  if (!done) return done.error();
  return Imported{recording.source->report(), (*writer)->ledger(), count.messages()};
}

void print_imported(const Imported& imported, Terminal& terminal) {
  const ImportReport& report = imported.report;
  const auto row = [&](std::string_view word, std::string_view text) {
    terminal.err << fmt::format("{:<9} {}\n", word, printable(std::string(text)));
  };
  const auto rows = [&](std::string_view word, const std::vector<ImportRow>& list) {
    for (const ImportRow& each : list) row(word, fmt::format("{} {}", each.count, each.what));
  };
  rows("read", report.read);
  rows("left out", report.left_out);
  for (const std::string& note : report.notes) row("inferred", note);
  for (const ImportUnknown unknown : report.unknown)
    row("not known", fmt::format("{}; not possible: {}", text_of(unknown).what, text_of(unknown).forbids));
  if (imported.messages == 0) row("", "no messages: " + report.no_messages);
  // The trace has the table as warnings.
  Ledger ledger = imported.ledger;
  const std::vector<std::string> shown = warnings_of(report);
  std::erase_if(ledger.warnings, [&](const std::string& warning) {
    return std::find(shown.begin(), shown.end(), warning) != shown.end();
  });
  print_ledger(ledger, terminal);
}

}  // namespace dpm::cli
