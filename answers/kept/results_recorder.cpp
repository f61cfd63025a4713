#include "answers/kept/results_recorder.hpp"

#include <fmt/format.h>

namespace dpm::cli {
namespace {

constexpr std::uint64_t kPlayEach = 16'384;  // events

}  // namespace

ResultsRecorder::ResultsRecorder() : levels_(LevelsOptions{.bytes_max = kLevelsBytes, .pairs_max = 16'384}) {}

void ResultsRecorder::on_begin(const TraceInfo& info) { messages_.on_begin(info); }

void ResultsRecorder::on_events(std::span<const Event> batch) {
  messages_.on_events(batch);
  events_ += batch.size();
  unplayed_ += batch.size();
  if (unplayed_ < kPlayEach) return;
  unplayed_ = 0;
  streamed_queues_.play();
}

void ResultsRecorder::on_end(const LossReport& losses) { messages_.on_end(losses); }

void ResultsRecorder::AsPerformed::on_begin(const TraceInfo& rows) {
  of.waits_.on_begin(rows);
  of.levels_.on_begin(rows);
  of.streamed_queues_.on_begin(rows);
}

void ResultsRecorder::AsPerformed::on_events(std::span<const Event> batch) {
  of.waits_.on_events(batch);
  of.levels_.on_events(batch);
  of.streamed_queues_.on_performed(batch);
}

// The analyses end behind the last message.
void ResultsRecorder::AsPerformed::on_end(const LossReport& /*losses*/) {}

void ResultsRecorder::Messages::on_begin(const TraceInfo& rows) { of.statistics_.on_begin(rows); }

void ResultsRecorder::Messages::on_events(std::span<const Event> batch) {
  of.statistics_.on_events(batch);
  of.streamed_queues_.on_messages(batch);
  for (const Event& event : batch)
    if (of.messages_.is_live(event.channel)) of.levels_.count_message(event);
}

void ResultsRecorder::Messages::on_end(const LossReport& losses) {
  of.streamed_queues_.on_end(losses);
  of.statistics_.on_end(losses);
  of.waits_.on_end(losses);
  of.levels_.on_end(losses);
}

TraceInfo ResultsRecorder::info() const {
  TraceInfo info = messages_.rows();
  for (const auto& [row, all] : messages_.slots().joined()) info.processes[row.value].group = all;
  return info;
}

std::vector<std::string> ResultsRecorder::notes() const {
  std::vector<std::string> notes = messages_.notes();
  if (streamed_queues_.late() > 0)
    notes.push_back(
        fmt::format("messages that became known after their queue's time had passed: {}", streamed_queues_.late()));
  return notes;
}

}  // namespace dpm::cli
