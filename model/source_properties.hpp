// What the source of a trace promises about its events. Whatever reads a trace asks for a property, and never for the
// name of the source, so that a new source needs no change elsewhere.
#pragma once

namespace dpm {

struct SourceProperties {
  // TraceInfo::delays tells what the messages of the run took. Otherwise that has to be calibrated, or inferred.
  bool delays_known = false;
  // Where MESSAGEQUEUED is metered, every message has one. Otherwise an arrival is known only if its sender is metered.
  bool every_arrival_metered = false;
  // The programs of a scenario: a process runs until its work is done, its creator tells it by a message of the trace
  // to begin, and it takes messages one by one. A program of an operating system may be killed at any time, and may
  // take several messages before it answers the first.
  bool scripted = false;
  // Metering takes time that the times of the events include.
  bool metering_takes_time = false;

  // What holds for two traces together.
  SourceProperties joined_with(const SourceProperties& other) const {
    return {delays_known && other.delays_known, every_arrival_metered && other.every_arrival_metered,
            scripted && other.scripted, metering_takes_time || other.metering_takes_time};
  }

  friend bool operator==(const SourceProperties&, const SourceProperties&) = default;
};

}  // namespace dpm
