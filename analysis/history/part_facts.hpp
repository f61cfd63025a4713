// A history of which each part keeps the events of its own processes: what the parts tell each other, so that each knows which
// processes have events, who created them and waits for them, and which of its messages were received by SENDs that did not know
// their receivers.
//
//   round 2   to all: the facts of the own processes. To the part of the sender: RECEIVEs whose SEND has not been found
//   round 3   to the part of the receiver: which SEND it was
//   round 4   to all: how many ends of messages stay open
#pragma once

#include <vector>

#include "analysis/history/history_build.hpp"
#include "analysis/history/history_parts.hpp"
#include "model/divided_sink.hpp"

namespace dpm {

class PartFacts {
 public:
  static constexpr int kRounds = 3;  // after those of HistoryParts

  PartFacts(HistoryBuild& build, HistoryParts& parts) : build_(build), parts_(parts) {}

  // `round` counts from 0 here.
  void put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part);
  void take_from(int round, std::uint32_t part, ByteReader& in);

 private:
  void put_facts(const Shares& shares, std::vector<ByteWriter>& for_part);
  void take_facts(ByteReader& in);
  void take_open_receives(std::uint32_t part, ByteReader& in);
  void take_answers(ByteReader& in);
  void count_open_ends();

  HistoryBuild& build_;
  HistoryParts& parts_;
  std::vector<std::vector<JoinedEnds>> answers_;  // by part
};

}  // namespace dpm
