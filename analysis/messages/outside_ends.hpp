// Processes for the ends of connections that were not metered: one for each address, outside the computation.
//
// Only a channel's name tells what is there: "tcp 127.0.0.1:40000 > 127.0.0.1:6379" has its sender before the arrow and
// its receiver after it, so both directions of a connection, and all connections to one server, lead to the same
// process. A name without an arrow ("pipe 8:1234") stands for its end as a whole. Names that are local to a machine
// (loopback addresses, paths) are kept apart by machine where there are several; an address of a metered machine is on
// that machine. If one host, or one medium, has more than kEndsMax such ends, they become one process: a table of that
// many cannot be read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

enum class ChannelSide : std::uint8_t { sending, receiving };

// One end as its channel's name tells it. Ends with one name are the same one.
struct OutsideEnd {
  std::string name, group;
  MachineId machine;  // none: elsewhere
};
// `channel_name` may be empty; `metered` is the process at the other end.
OutsideEnd outside_end(ChannelId channel, const std::string& channel_name, ChannelSide end, ProcessId metered,
                       const TraceInfo& info);
// What its process is called, alone or as one of too many of its group.
std::string outside_name(const OutsideEnd& end, bool grouped);

class OutsideEnds {
 public:
  static constexpr std::size_t kEndsMax = 200;

  // Appends to `info`, which must outlive it.
  explicit OutsideEnds(TraceInfo& info) : info_(&info) {}

  // Requests a process for this end of the channel; `metered` is the process at the other end.
  void want(ChannelId channel, ChannelSide end, ProcessId metered);
  void make_processes();

  // ---- after make_processes() None if it was not requested.
  ProcessId at(ChannelId channel, ChannelSide end) const;
  // "517 ends at 10.0.0.7 are shown as one process", for each such group.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct End : OutsideEnd {
    ProcessId process;
  };

  TraceInfo* info_;
  std::map<std::pair<ChannelId, ChannelSide>, std::string> wanted_;  // by name
  std::map<std::string, End> ends_;                                  // by name
  std::vector<std::string> notes_;
};

}  // namespace dpm
