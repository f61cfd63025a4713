// Makes events of the records of all locations, which come in the order of time.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "formats/import/import_report.hpp"
#include "formats/otf2/otf2_places.hpp"
#include "model/event_source.hpp"

namespace dpm {

class Otf2Translator {
 public:
  Otf2Translator(TraceInfo& info, Otf2Places& places) : info_(info), places_(places) {}

  void set_clock(std::uint64_t ticks_per_second, std::uint64_t offset);
  void set_sink(EventSink& sink) { sink_ = &sink; }

  void enter(std::uint64_t location, std::uint64_t ticks, std::uint32_t region);

  void leave(std::uint64_t location, std::uint64_t ticks, std::uint32_t region);

  struct Message {
    std::uint32_t rank = 0, communicator = 0, tag = 0;
    std::uint64_t bytes = 0;
  };

  void message(EventType type, std::uint64_t location, std::uint64_t ticks, const Message& message);

  void collective() { ++collectives_; }

  void pass();

  ImportReport report() const;
  LossReport losses() const;

 private:
  struct Place {
    ProcessId process;
    std::int64_t now_ns = 0, computed_since_ns = 0, entered_ns = 0, last_event_ns = 0;
    std::int64_t cpu_ns = 0;
    std::uint32_t waits = 0;  // regions of MPI that it is in
    bool asked = false, seen = false;
  };
  struct Numbers {
    ChannelId channel;
    std::uint64_t sent = 0, received = 0;
  };
  std::int64_t ns_of(std::uint64_t ticks) const;
  Place* place(std::uint64_t location, std::uint64_t ticks);
  Event& add(EventType type, Place& at, std::int64_t time_ns);
  Numbers& channel(ProcessId from, ProcessId to, const Message& message);

  TraceInfo& info_;
  Otf2Places& places_;
  EventSink* sink_ = nullptr;
  std::uint64_t ticks_per_second_ = 1, offset_ = 0;
  std::map<std::uint64_t, Place> by_location_;
  std::map<std::tuple<ProcessId, ProcessId, std::uint32_t, std::uint32_t>, Numbers> channels_;
  std::vector<Event> events_;
  std::uint64_t seen_ = 0, messages_ = 0, unknown_ = 0, collectives_ = 0;
};

}  // namespace dpm
