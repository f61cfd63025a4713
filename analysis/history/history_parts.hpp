// A history from parts of a trace.
//
// Each part has built the events of its processes, with all messages between them joined. What is open then goes to the part
// of its receiver, which joins it and answers:
//
//   part 0   S ....... open SENDs of messages to B ──►   part 1 joins them to its RECEIVEs
//            S ◄────── which RECEIVE took each     ◄──
//
// So the work on messages is divided too, and the part that takes the others only copies their events. Ends whose receiver
// is not known stay open, and that part joins them. Most messages between parts are in the lists of CrossingMessages, in which both
// ends stand in their order; those of SENDs that did not know their receivers are found one by one.
#pragma once

#include <vector>

#include "analysis/history/crossing_messages.hpp"
#include "analysis/history/history_build.hpp"
#include "model/divided_sink.hpp"

namespace dpm {

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
  void take_answers(std::uint32_t part, ByteReader& in);

  void give(ByteWriter& out) const;
  void take(ByteReader& in);

 private:
  // Where the ends of a message between parts are in the builds of both.
  struct Crossed {
    std::uint32_t sent = 0;  // place in the list of SENDs to this part
    std::uint32_t receiver = 0, receive = 0;
    bool inferred = false;
  };

  void join_crossing(std::uint32_t part, const std::vector<OpenEnd>& sends);
  void take_crossed(std::uint32_t part, const std::vector<Crossed>& crossed);
  void leave_open(const OpenEnd& end);
  bool join(const OpenEnd& end, JoinedEnds& joined);
  void take_processes(ByteReader& in);
  void take_creations(ByteReader& in);
  void take_open_ends(ByteReader& in);

  HistoryBuild& build_;
  std::vector<std::vector<JoinedEnds>> answers_;  // by part
  std::vector<std::vector<Crossed>> crossed_;     // by part
};

}  // namespace dpm
