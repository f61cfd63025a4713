#include "answers/reading/trace_input.hpp"

#include "analysis/messages/message_resolver.hpp"
#include "answers/reading/await_recorder.hpp"
#include "answers/reading/event_progress.hpp"
#include "answers/reading/tee_sink.hpp"
#include "answers/reading/trace_reading.hpp"
#include "backends/replay/replay_source.hpp"
#include "text/printable.hpp"
#include "text/terminal.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::cli {
namespace {

// Passes a trace on unchanged if its messages are numbered; otherwise surveys what its streams carried.
class FirstReading : public EventSink {
 public:
  explicit FirstReading(EventSink& analyses) : sink_(&analyses) {}

  void on_begin(const TraceInfo& info) override {
    needs_second_ = has_live_channels(info);
    if (needs_second_) sink_ = &survey_;
    sink_->on_begin(info);
  }
  void on_events(std::span<const Event> batch) override { sink_->on_events(batch); }
  void on_end(const LossReport& losses) override { sink_->on_end(losses); }

  bool needs_second() const { return needs_second_; }
  MessageSurvey take_survey() { return std::move(survey_); }

 private:
  EventSink* sink_;
  MessageSurvey survey_;
  bool needs_second_ = false;
};

// A trace that cannot be opened has no end: reading it reports why.
EventProgress::End end_of(const std::string& directory) {
  const auto reader = TraceReader::open(directory);
  return {.events = reader ? reader->ledger().kept - reader->ledger().removed : 0};
}

}  // namespace

Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks, ReceiveLength length,
                              ProgressShown shown) {
  const std::string directory = trace_directory(path);
  await_recorder(directory);
  TeeSink tee(std::move(sinks));
  FirstReading first(tee);
  ReplaySource source(directory);
  const Terminal terminal = standard_terminal();
  ProgressLine progress(terminal);
  const bool is_shown = terminal.err_is_tty && shown == ProgressShown::on_terminal;
  const auto end = is_shown ? end_of(directory) : EventProgress::End();
  const auto say = [&](const std::string& what) {
    if (is_shown) progress.show(what);
  };
  EventProgress reading(first, say, "reading " + printable(directory), end);
  if (auto done = source.run(reading); !done) return done.error();
  if (!first.needs_second()) return TraceInput{directory, source.info(), source.ledger()};
  MessageResolver resolver(first.take_survey(), tee, length);
  EventProgress reading_again(resolver, say, "reading " + printable(directory) + " again", end);
  if (auto done = source.run(reading_again); !done) return done.error();
  TraceInput input{directory, resolver.info(), source.ledger()};
  for (const auto& warning : resolver.warnings()) input.ledger.warnings.push_back(warning);
  return input;
}

Result<TraceInput> read_trace(const std::string& path, std::vector<EventSink*> sinks, TraceReading* reading) {
  return reading == nullptr ? read_trace(path, std::move(sinks)) : reading->read(path, sinks);
}

}  // namespace dpm::cli
