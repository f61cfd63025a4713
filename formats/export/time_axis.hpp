// One axis of time for tools that know only one clock.
//
// The machines' clocks are joined by their messages (analysis/clocks/common_time.hpp), and the axis begins with the first
// event, at 0. Machines that no chain of messages joins have no common time: each such group begins at 0.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/clocks/common_time.hpp"
#include "model/event_source.hpp"

namespace dpm {

class TimeAxis {
 public:
  // `first` is each machine's first time, by machine.
  TimeAxis(const Clocks& clocks, const std::vector<LocalTime>& first);

  std::int64_t ns(const Event& event) const { return ns(event.machine, event.local_time); }
  std::int64_t ns(MachineId machine, LocalTime time) const;
  // How exactly the machines' clocks are known.
  const std::vector<ClockRelation>& relations() const { return relations_; }

 private:
  CommonTime common_;
  std::vector<ClockRelation> relations_;
  std::vector<std::int64_t> begin_ns_;  // by the number of the reference machine
};

// The first reading of a trace, from which the axis is made.
class TimeSurvey : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { clocks_.on_begin(info); }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override { clocks_.on_end(losses); }

  // After on_end().
  TimeAxis axis() const { return {clocks_.result(), first_}; }
  const Clocks& clocks() const { return clocks_.result(); }

 private:
  ClockAnalysis clocks_;
  std::vector<LocalTime> first_;  // by machine
};

}  // namespace dpm
