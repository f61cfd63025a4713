// The events of one part's processes, of a history that parts keep divided: as HistoryBuild has them, in stretches of time that the
// part read one after another.
//
// Events have places in their process, as all parts count them:
//
//   place   0        1 ...          then              last
//           start    those of the   nodes for waits   end
//                    trace          (end_waits.hpp)
//
// Place 0 is there only for a process that was created and has no STARTPROCESS in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/history/history_build.hpp"

namespace dpm {

class HistoryShare {
 public:
  static constexpr std::uint32_t kFirstPlace = 1;

  // Some events of a process, counted within those of the trace.
  struct Stretch {
    std::uint32_t process = 0;
    std::uint32_t from = 0, end = 0;
    bool begins = false;  // the start, if it has place 0, comes before them
    bool ends = false;    // what is after those of the trace comes after them
  };

  // `build` is complete, and what the other parts had to tell is in it.
  explicit HistoryShare(std::unique_ptr<HistoryBuild> build);

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(build_->processes.size()); }
  // All stretches in the order in which they were read; those of a process in its order.
  const std::vector<Stretch>& stretches() const { return stretches_; }
  std::uint64_t event_count() const { return event_count_; }

  // Calls use(index, event) for the events of a stretch that are in the trace. A `match` is kNoEvent or counts within those of the peer.
  template <typename Use>
  void for_each_event(const Stretch& stretch, Use use) const {
    std::uint32_t index = stretch.from;
    build_->processes[stretch.process].events.for_each_block(stretch.from, stretch.end,
                                                             [&](std::span<const HistoryEvent> block) {
                                                               for (const HistoryEvent& event : block)
                                                                 use(index++, event);
                                                             });
  }

  bool has_events(std::uint32_t process) const {
    return build_->processes[process].included && build_->processes[process].seen;
  }
  // It has place 0.
  bool needs_start(std::uint32_t process) const {
    const ProcessBuild& build = build_->processes[process];
    return build.created_at != kNoEvent && !build.starts_with_start;
  }
  // A process of the trace created it, and it has events.
  bool is_created(std::uint32_t process) const {
    return process < build_->processes.size() && build_->processes[process].created_at != kNoEvent &&
           build_->processes[process].seen;
  }
  bool is_created_by(std::uint32_t process, std::uint32_t creator, std::uint32_t index) const {
    return is_created(process) && build_->processes[process].created_by == creator &&
           build_->processes[process].created_at == index;
  }
  std::uint32_t traced_events(std::uint32_t process) const {
    return static_cast<std::uint32_t>(build_->processes[process].event_count());
  }
  // CPU time after the last event of the trace.
  std::uint64_t left_ns(std::uint32_t process) const {
    return build_->processes[process].proc_time_ns - build_->processes[process].at_last_node_ns;
  }
  const EndWaits& end_waits() const { return build_->end_waits; }

  // Of an own process: that begins at this SEND to outside, or ends at this RECEIVE; counted within the process. Null: none does.
  const ExternalArc* external_from(std::uint32_t process, std::uint32_t index) const;
  bool is_external_end(std::uint32_t process, std::uint32_t index) const;

 private:
  void lay_out_stretches();

  std::unique_ptr<HistoryBuild> build_;
  std::vector<Stretch> stretches_;
  std::uint64_t event_count_ = 0;
  std::unordered_map<std::uint64_t, ExternalArc> external_from_;  // by process and index
  std::unordered_map<std::uint64_t, bool> external_ends_;
};

}  // namespace dpm
