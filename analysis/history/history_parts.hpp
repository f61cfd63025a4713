// A history from parts of a trace.
//
// Each part has built the events of its processes, with all messages between them joined. What is open then goes to the part
// of its receiver, which joins it and answers:
//
//   part 0   S ....... open SENDs of messages to B ──►   part 1 joins them to its RECEIVEs
//            S ◄────── which RECEIVE took each     ◄──
//
// So the work on messages is divided too, and the part that takes the others only copies their events. Ends whose receiver
// is not known stay open, and that part joins them.
#pragma once

#include <vector>

#include "analysis/history/history_build.hpp"
#include "model/divided_sink.hpp"

namespace dpm {

// An end of a message whose other end is in another part.
struct OpenEnd {
  MessageKey key;
  std::int64_t time_ns = 0;
  std::uint32_t process = 0, index = 0;
  MachineId machine;
  bool receives = false, inferred = false;
};

// Two ends that one part has found to be of one message, for the part of the first.
struct JoinedEnds {
  MessageKey key;
  std::uint32_t process = 0, index = 0;
  std::uint32_t other = 0, match = 0;
  bool inferred = false;
};

class HistoryParts {
 public:
  explicit HistoryParts(HistoryBuild& build) : build_(build) {}

  void put_open_sends(const Shares& shares, std::vector<ByteWriter>& for_part);
  void take_open_sends(std::uint32_t part, ByteReader& in);
  void put_answers(std::vector<ByteWriter>& for_part);
  void take_answers(ByteReader& in);

  void give(ByteWriter& out) const;
  void take(ByteReader& in);

 private:
  bool join(const OpenEnd& end, JoinedEnds& joined);
  void take_processes(ByteReader& in);
  void take_creations(ByteReader& in);
  void take_open_ends(ByteReader& in);

  HistoryBuild& build_;
  std::vector<std::vector<JoinedEnds>> answers_;  // by part
};

}  // namespace dpm
