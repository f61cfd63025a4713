// The longest path through a history whose events come in pieces, of some processes at a time: as longest_path.hpp finds it in a whole
// history. A process goes on until it needs something that has not arrived. Only the events of processes that wait are kept, so
// memory depends on how far the pieces of one process are ahead of those of others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/history/pair_clocks.hpp"
#include "analysis/parallelism/arrivals.hpp"
#include "analysis/parallelism/longest_path.hpp"
#include "analysis/parallelism/pass_event.hpp"

namespace dpm {

class StreamedPass {
 public:
  StreamedPass(std::uint32_t processes, MessageDelays delays) : delays_(delays), processes_(processes) {}

  // Passes the next events of a process. Returns false if an event names a process that does not exist, or is of no known kind; path()
  // is then meaningless, and all later calls return false.
  bool add(std::uint32_t process, std::span<const PassEvent> events);

  // Of what was added; `not_reached` counts what processes still wait with.
  LongestPath path() const;

 private:
  struct Process {
    std::int64_t time_ns = 0;
    std::uint32_t place = 0;
    bool waits = false;
    std::vector<PassEvent> left;  // from `next` on
    std::size_t next = 0;
    Arrivals arrivals;
  };

  std::size_t run(std::uint32_t process, std::span<const PassEvent> events);
  void run_ready();
  void let_go(const PassEvent& event, std::int64_t arrival_ns);

  const MessageDelays delays_;
  std::vector<Process> processes_;
  std::vector<std::uint32_t> ready_;
  ArrivalPages pages_;
  PairClocks pairs_;
  std::int64_t cpu_ns_ = 0;
  bool is_well_ = true;
};

}  // namespace dpm
