// What became of a recording, as text that two recordings of the same run have in common, or that a case expects.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "formats/import/guess.hpp"

namespace dpm {

class ImportedEvents : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override { events_.insert(events_.end(), batch.begin(), batch.end()); }
  void on_end(const LossReport& losses) override {
    lost = losses.lost();
    // The source owns the names.
    for (const ProcessInfo& process : info_->processes) processes.push_back(process.name);
    for (const ChannelInfo& channel : info_->channels) channels.push_back(channel.name);
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.local_time < b.local_time; });
  }

  // Each event without its time, in the order of times.
  std::string text(bool with_channels = true) const {
    std::string text;
    for (const Event& event : events_) {
      text += fmt::format("{} {}", processes[event.process.value], name_of(event.type));
      if (!event.peer.is_none()) text += " " + processes[event.peer.value];
      if (event.type == EventType::send || event.type == EventType::receive)
        text += fmt::format(" {} bytes", event.length_bytes);
      if (with_channels && !event.channel.is_none()) text += fmt::format(" over {}", channels[event.channel.value]);
      if (event.type == EventType::destroy_process) text += fmt::format(" {}", event.code);
      text += '\n';
    }
    return text;
  }
  std::uint64_t count(EventType type) const {
    return static_cast<std::uint64_t>(
        std::count_if(events_.begin(), events_.end(), [&](const Event& event) { return event.type == type; }));
  }
  const std::vector<Event>& events() const { return events_; }

  std::vector<std::string> processes, channels;
  std::uint64_t lost = 0;

 private:
  const TraceInfo* info_ = nullptr;
  std::vector<Event> events_;
};

struct ImportedRecording {
  std::string refused;  // empty: it was read
  std::string what, format;
  ImportReport report;
  ImportedEvents events;
};

inline ImportedRecording import_recording_at(const std::string& path) {
  ImportedRecording result;
  const auto guess = guess_format(path);
  if (!guess) {
    result.refused = guess.error().what;
    return result;
  }
  result.what = guess->what;
  result.format = guess->format->name;
  const auto source = guess->format->open(path, {"machine"});
  if (!source) {
    result.refused = source.error().what;
    return result;
  }
  if (const auto done = (*source)->run(result.events); !done) result.refused = done.error().what;
  result.report = (*source)->report();
  return result;
}

// A file of this text in a folder that is there for the test.
inline std::string file_of(const std::string& folder, const std::string& name, const std::string& text) {
  std::string path = folder + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace dpm
