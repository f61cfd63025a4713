// What all that reads recordings of other tools must keep to: ids are in their tables, times are possible ones, a thread belongs to a
// process, and the books balance.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "formats/import/import_formats.hpp"
#include "model/check.hpp"
#include "trace/sound_event.hpp"

namespace dpm {

class SoundSink : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      DPM_CHECK(event.process.value < info_->processes.size());
      DPM_CHECK(event.peer.is_none() || event.peer.value < info_->processes.size());
      DPM_CHECK(event.channel.is_none() || event.channel.value < info_->channels.size());
      DPM_CHECK(values_are_possible(event));
    }
    seen_ += batch.size();
  }
  void on_end(const LossReport& losses) override {
    DPM_CHECK(losses.seen == seen_ + losses.lost());
    for (const auto& process : info_->processes) {
      DPM_CHECK(process.group.is_none() || process.group.value < info_->processes.size());
      DPM_CHECK(process.group.is_none() || (*info_)[process.group].group.is_none());
    }
  }

 private:
  const TraceInfo* info_ = nullptr;
  std::uint64_t seen_ = 0;
};

inline void import_path(const char* format, const std::string& path) {
  if (auto source = import_format_named(format).value()->open(path, {"machine"})) {
    SoundSink sink;
    DPM_CHECK((*source)->run(sink));
  }
}

// Calls `act` with the path of a file of these bytes.
template <typename Act>
void with_file(const std::uint8_t* data, std::size_t size, const Act& act) {
  std::string path = (std::filesystem::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  const int file = ::mkstemp(path.data());
  DPM_CHECK(file >= 0);
  DPM_CHECK(::write(file, data, size) == static_cast<ssize_t>(size));
  ::close(file);
  act(path);
  std::filesystem::remove(path);
}

// Imports the bytes as a file of this format.
inline void import_bytes(const char* format, const std::uint8_t* data, std::size_t size) {
  with_file(data, size, [&](const std::string& path) { import_path(format, path); });
}

}  // namespace dpm
