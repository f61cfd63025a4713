#include "twin/contradictions.hpp"

#include <unordered_map>

namespace dpm::twin {
namespace {

// Performs the ops of all processes, each as soon as what it takes has been sent.
class Performance {
 public:
  explicit Performance(Recording& recording)
      : recording_(recording), at_(recording.lives.size(), 0), awaited_(recording.lives.size()) {
    for (std::uint32_t p = 0; p < at_.size(); ++p) ready_.push_back(p);
  }

  std::uint64_t run() {
    std::uint64_t apart = 0;
    for (;;) {
      while (!ready_.empty()) {
        const std::uint32_t p = ready_.back();
        ready_.pop_back();
        advance(p);
      }
      const std::uint32_t stuck = earliest_stuck();
      if (stuck == kNone) return apart;
      Op& receive = recording_.lives[stuck].ops[at_[stuck]];
      recording_.lives[receive.peer].ops[receive.match].match = kNone;
      awaited_[receive.peer].erase(receive.match);
      receive.match = kNone;
      --recording_.messages;
      ++apart;
      ready_.push_back(stuck);
    }
  }

 private:
  void advance(std::uint32_t p) {
    const auto& ops = recording_.lives[p].ops;
    for (; at_[p] < ops.size(); ++at_[p]) {
      const Op& op = ops[at_[p]];
      if (op.kind == OpKind::receive && op.match != kNone && at_[op.peer] <= op.match) {
        awaited_[op.peer][op.match] = p;
        return;
      }
      if (op.kind != OpKind::send) continue;
      const auto waiter = awaited_[p].find(at_[p]);
      if (waiter == awaited_[p].end()) continue;
      ready_.push_back(waiter->second);
      awaited_[p].erase(waiter);
    }
  }

  // By their clocks; those of several machines differ, but some choice must be made.
  std::uint32_t earliest_stuck() const {
    std::uint32_t stuck = kNone;
    for (std::uint32_t p = 0; p < at_.size(); ++p) {
      const auto& ops = recording_.lives[p].ops;
      if (at_[p] == ops.size()) continue;
      if (stuck == kNone || ops[at_[p]].time_ns < recording_.lives[stuck].ops[at_[stuck]].time_ns) stuck = p;
    }
    return stuck;
  }

  Recording& recording_;
  std::vector<std::size_t> at_;                                          // by process: its next op
  std::vector<std::unordered_map<std::size_t, std::uint32_t>> awaited_;  // by sender and op: which process waits for it
  std::vector<std::uint32_t> ready_;
};

}  // namespace

std::uint64_t take_contradictions_apart(Recording& recording) { return Performance(recording).run(); }

}  // namespace dpm::twin
