#include "analysis/history/circles.hpp"

#include <algorithm>
#include <tuple>

#include "model/check.hpp"

namespace dpm {
namespace {

class Breaking {
 public:
  Breaking(History& history, const LateBy& late_by)
      : history_(history), late_by_(late_by), walked_(history.process_count(), 0) {
    cursors_.assign(history.first_event.begin(), history.first_event.end() - 1);
  }

  std::uint64_t run() {
    for (std::uint32_t p = 0; p < cursors_.size(); ++p) run_from(p);
    for (std::uint32_t p = 0; p < cursors_.size(); ++p) {
      while (!is_done(p)) {
        const std::uint32_t broken = break_one(p);
        run_from(broken);
      }
    }
    return arcs_;
  }

 private:
  bool is_done(std::uint32_t p) const { return cursors_[p] == history_.first_event[p + 1]; }
  bool is_ready(const HistoryEvent& event) const {
    return !needs_match(event.kind()) || event.match == kNoEvent || cursors_[event.peer] > event.match;
  }

  // Advances a process as far as it can go, and the processes that it unblocks.
  void run_from(std::uint32_t p) {
    ready_.push_back(p);
    while (!ready_.empty()) {
      const std::uint32_t next = ready_.back();
      ready_.pop_back();
      advance(next);
    }
  }

  void advance(std::uint32_t p) {
    for (; !is_done(p); ++cursors_[p]) {
      const HistoryEvent& event = history_.events[cursors_[p]];
      if (!is_ready(event)) return;
      const bool lets_go_on = !needs_match(event.kind()) && event.match != kNoEvent;
      if (lets_go_on && event.peer != p && cursors_[event.peer] == event.match) ready_.push_back(event.peer);
    }
  }

  // Every blocked process waits for a blocked process: following the waits leads into a circle. Returns the process
  // whose arc was removed.
  std::uint32_t break_one(std::uint32_t p) {
    ++round_;
    while (walked_[p] != round_) {
      walked_[p] = round_;
      p = history_.events[cursors_[p]].peer;
    }
    const std::uint32_t first = p;
    std::uint32_t worst = p;
    do {
      if (rank(worst) < rank(p)) worst = p;
      p = history_.events[cursors_[p]].peer;
    } while (p != first);
    take_out(cursors_[worst]);
    return worst;
  }

  // The arc with the greatest rank is removed.
  std::tuple<int, bool, std::int64_t, std::uint32_t> rank(std::uint32_t p) const {
    const HistoryEvent& event = history_.events[cursors_[p]];
    const int kind = event.kind() == HistoryKind::receive ? 2 : event.kind() == HistoryKind::wait ? 1 : 0;
    return {kind, event.arc() == ArcKind::inferred, late_by_(cursors_[p]), event.match - cursors_[event.peer]};
  }

  void take_out(std::uint32_t number) {
    HistoryEvent& event = history_.events[number];
    DPM_CHECK(event.match != kNoEvent);
    HistoryEvent& other = history_.events[event.match];
    event.match = other.match = kNoEvent;
    event.arc_bits = other.arc_bits = static_cast<std::uint32_t>(ArcKind::missing) & 7u;
    ++arcs_;
  }

  History& history_;
  const LateBy& late_by_;
  std::vector<std::uint32_t> cursors_, ready_;
  std::vector<std::uint32_t> walked_;  // by process: the round in which it was last visited
  std::uint32_t round_ = 0;
  std::uint64_t arcs_ = 0;
};

}  // namespace

std::uint64_t break_circles(History& history, const LateBy& late_by) { return Breaking(history, late_by).run(); }

}  // namespace dpm
