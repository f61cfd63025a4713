// Messages from processes outside the computation, in a replay. Their arrival is not known: one comes `elapsed` after the SEND
// that it answers, where an ExternalArc says so (figure 5.3); any other never lets its process wait, and in arrival order it comes
// when everything that the process received before it in the trace has been received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replayed_process.hpp"
#include "analysis/history/wanted_messages.hpp"

namespace dpm {

class OutsideMessages {
 public:
  // Both must outlive it.
  OutsideMessages(const History& history, const WantedMessages& wanted);

  // `in_order`: of the trace. Then next() is not asked.
  void begin(bool in_order);

  // The message that is sent because of this SEND to outside, or null.
  const ExternalArc* answer_to(std::uint32_t send) const;
  // The SEND that the message of this RECEIVE answers, or kNoEvent.
  std::uint32_t cause_of(std::uint32_t receive) const;

  // Whether process `p` receives messages of which nothing is known.
  bool come_to(std::uint32_t p) const { return first_unknown_[p] != first_unknown_[p + 1]; }
  // The RECEIVE of such a message that is due next, or kNoEvent.
  std::uint32_t next(std::uint32_t p, const ReplayedProcess& process);
  // Any RECEIVE that a process has performed.
  void received(std::uint32_t receive) {
    if (!received_.empty()) received_[receive] = 1;
  }

 private:
  bool is_open(std::uint32_t e) const { return history_.events[e].kind() == HistoryKind::receive && !received_[e]; }
  bool is_unknown(std::uint32_t e) const;
  std::uint32_t next_open_unknown(std::uint32_t p);

  const History& history_;
  const WantedMessages& wanted_;
  std::unordered_map<std::uint32_t, ExternalArc> from_, to_;
  std::vector<std::uint32_t> unknown_;           // RECEIVEs of which nothing is known, by process
  std::vector<std::size_t> first_unknown_;       // by process, in unknown_; and the end
  std::vector<std::uint8_t> received_;           // by RECEIVE; empty if it is not needed
  std::vector<std::uint32_t> first_open_;        // by process: its first RECEIVE not yet performed
  std::vector<std::size_t> first_open_unknown_;  // the same of unknown_
};

}  // namespace dpm
