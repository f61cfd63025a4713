// Reports how far a long run or reading has come, while its events pass: at most four times a second.
//
//   simulating 'crowd': 12.4 s of 60 s (21 %), 1240000 events, 310000 a second
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "model/event_source.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

class EventProgress : public EventSink {
 public:
  // What is known of the end; 0: nothing.
  struct End {
    double time_s = 0;
    std::uint64_t events = 0;
  };
  using Clock = std::function<double()>;  // seconds since any instant
  static double steady_clock_s();

  EventProgress(EventSink& sink, Say say, std::string doing, End end, Clock clock = steady_clock_s);

  void on_begin(const TraceInfo& info) override { sink_.on_begin(info); }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override { sink_.on_end(losses); }

 private:
  void note_time(std::span<const Event> batch);
  std::string text(double elapsed_s) const;

  EventSink& sink_;
  const Say say_;
  const std::string doing_;
  const End end_;
  const Clock clock_;
  const double began_s_;
  double shown_s_;
  std::map<std::uint16_t, std::int64_t> first_ns_;  // by machine
  double time_s_ = 0;                               // of the latest event, since the first one of its machine
  std::uint64_t events_ = 0;
};

}  // namespace dpm::cli
