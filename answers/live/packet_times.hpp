// Which packets of a trace have events of which time, so that those of a window can be read again. A place is some
// neighbouring packets of a stream: when there are too many places, two neighbours become one, so memory is bounded and a
// window costs at most some more packets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/levels/machine_offsets.hpp"
#include "trace/trace_follower.hpp"

namespace dpm::cli {

class PacketTimes {
 public:
  explicit PacketTimes(std::size_t places_max = std::size_t{1} << 17) : places_max_(places_max) {}

  // The events of one packet. Those of a stream come in its order.
  void add(const PacketPlace& place, std::span<const Event> batch);

  struct Found {
    std::vector<PacketPlace> places;
    std::uint64_t events = 0;  // in them: more than in the window
  };
  Found find(RunTime from, RunTime to, const MachineOffsets& offsets) const;
  std::size_t places() const { return places_; }

 private:
  struct Entry {
    PacketPlace place;
    MachineId machine;  // all packets of a stream are of one
    LocalTime begin, end;
    std::uint64_t events = 0;
  };
  void halve();

  std::size_t places_max_;
  std::vector<std::vector<Entry>> streams_;
  std::size_t places_ = 0;
};

}  // namespace dpm::cli
