// Makes the events of a share of a history ready for passes: with their costs, in the order in which they were read, in pieces that
// several workers exchange.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history_share.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/parallelism/pass_event.hpp"
#include "model/bytes.hpp"

namespace dpm {

class PassWriter {
 public:
  // Both must outlive it.
  PassWriter(const HistoryShare& share, MessageCosts& costs) : share_(share), costs_(costs) {}

  // The next stretches, until that number of events of the share has been written, or all, with what has no events. Each is the number of
  // its process and a list of PassEvents.
  void write_until(std::uint64_t events, ByteWriter& out);
  bool is_done() const { return next_ == share_.stretches().size(); }

  // The CPU time of all events written, on the machines they were traced on.
  std::uint64_t traced_cpu_ns() const { return traced_cpu_ns_; }

 private:
  void write(const HistoryShare::Stretch& stretch);
  void begin(std::uint32_t process);
  void end(std::uint32_t process);
  void add(std::uint32_t process, std::uint32_t index, const HistoryEvent& event);
  void add_send(std::uint32_t process, std::uint32_t index, const HistoryEvent& event, std::int64_t work_ns);
  void add_work(std::int64_t work_ns, std::uint32_t events = 1);
  void put(PassKind kind, std::int64_t work_ns, std::int64_t later_ns, std::uint32_t peer = kNoPeer,
           std::uint32_t place = kNoEvent);

  const HistoryShare& share_;
  MessageCosts& costs_;
  std::size_t next_ = 0;  // in the stretches
  std::uint64_t written_ = 0, traced_cpu_ns_ = 0;
  std::vector<PassEvent> events_;  // of the stretch that is written
};

}  // namespace dpm
