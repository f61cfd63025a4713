// make_meter_stream TRACE: the events of a trace as the stream of meter messages that a filter would have read, on
// standard output. One meter for each machine; what the trace lost, the first of them reports.
#include <unistd.h>

#include <iostream>

#include "backends/replay/replay_source.hpp"
#include "trace/meter_names.hpp"
#include "trace/meter_stream.hpp"

namespace {

using namespace dpm;

class StreamSink : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override {
    info_ = &info;
    tell();
    for (std::uint32_t i = 0; i < info.machines.size(); ++i)
      append_meter(stream_, i, {info.machines[i].name, 1000 + i, "case", "program"});
    accounts_.resize(info.machines.size());
  }
  void on_events(std::span<const Event> batch) override {
    tell();
    for (const Event& event : batch) {
      append_event(stream_, event);
      auto& account = accounts_.at(event.machine.value);
      account.seen = ++account.delivered;
    }
    write();
  }
  void on_end(const LossReport& losses) override {
    tell();
    if (!accounts_.empty()) {
      accounts_[0].seen += losses.lost();
      accounts_[0].losses = losses.losses;
      accounts_[0].warnings = losses.warnings;
    }
    for (std::uint32_t i = 0; i < accounts_.size(); ++i) append_meter_end(stream_, i, accounts_[i]);
    append_stream_end(stream_);
    write();
  }

 private:
  void tell() {
    for (const auto& text : to_names(TraceGrowth::since(told_, *info_), told_)) append_names(stream_, text);
  }
  void write() {
    std::cout << stream_;
    stream_.clear();
  }

  const TraceInfo* info_ = nullptr;
  TableSizes told_;
  std::vector<MeterAccount> accounts_;
  std::string stream_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: make_meter_stream TRACE\n";
    return 2;
  }
  ReplaySource source(arguments[1]);
  StreamSink sink;
  if (const auto done = source.run(sink); !done) {
    std::cerr << done.error().what << '\n';
    return 2;
  }
  return std::cout.flush() ? 0 : 1;
}
