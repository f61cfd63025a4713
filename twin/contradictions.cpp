#include "twin/contradictions.hpp"

#include <unordered_map>

namespace dpm::twin {
namespace {

// Performs the operations of all processes, each as soon as the message it takes has been sent.
class Performance {
 public:
  explicit Performance(Recording& recording)
      : recording_(recording), at_(recording.records.size(), 0), awaited_(recording.records.size()) {
    for (std::uint32_t p = 0; p < at_.size(); ++p) ready_.push_back(p);
  }

  std::uint64_t run() {
    std::uint64_t count = 0;
    for (;;) {
      while (!ready_.empty()) {
        const std::uint32_t p = ready_.back();
        ready_.pop_back();
        advance(p);
      }
      const std::uint32_t stuck = earliest_stuck();
      if (stuck == kNone) return count;
      Operation& receive = recording_.records[stuck].operations[at_[stuck]];
      recording_.records[receive.peer].operations[receive.match].match = kNone;
      awaited_[receive.peer].erase(receive.match);
      receive.match = kNone;
      --recording_.messages;
      ++count;
      ready_.push_back(stuck);
    }
  }

 private:
  void advance(std::uint32_t p) {
    const auto& operations = recording_.records[p].operations;
    for (; at_[p] < operations.size(); ++at_[p]) {
      const Operation& operation = operations[at_[p]];
      if (operation.kind == OperationKind::receive && operation.match != kNone &&
          at_[operation.peer] <= operation.match) {
        awaited_[operation.peer][operation.match] = p;
        return;
      }
      if (operation.kind != OperationKind::send) continue;
      const auto waiter = awaited_[p].find(at_[p]);
      if (waiter == awaited_[p].end()) continue;
      ready_.push_back(waiter->second);
      awaited_[p].erase(waiter);
    }
  }

  // The earliest by the processes' clocks. Clocks of several machines differ, but one process must be chosen.
  std::uint32_t earliest_stuck() const {
    std::uint32_t stuck = kNone;
    for (std::uint32_t p = 0; p < at_.size(); ++p) {
      const auto& operations = recording_.records[p].operations;
      if (at_[p] == operations.size()) continue;
      if (stuck == kNone || operations[at_[p]].time_ns < recording_.records[stuck].operations[at_[stuck]].time_ns)
        stuck = p;
    }
    return stuck;
  }

  Recording& recording_;
  std::vector<std::size_t> at_;  // by process: its next operation
  std::vector<std::unordered_map<std::size_t, std::uint32_t>>
      awaited_;  // by sender and operation: the process that waits for it
  std::vector<std::uint32_t> ready_;
};

}  // namespace

std::uint64_t split_contradictions(Recording& recording) { return Performance(recording).run(); }

}  // namespace dpm::twin
