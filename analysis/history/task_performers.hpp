// Which process performs which task (tasks.hpp) in a replay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/tasks.hpp"

namespace dpm {

class TaskPerformers {
 public:
  TaskPerformers(const History& history, const Roles& roles)
      : task_of_(tasks_of_receives(history, roles)), performer_(task_of_.size(), Roles::kNone) {}

  void begin() { std::fill(performer_.begin(), performer_.end(), Roles::kNone); }

  // Process `p` performs what begins with this RECEIVE.
  void begins(std::uint32_t p, std::uint32_t receive) {
    if (!performer_.empty()) performer_[receive] = p;
  }
  // The RECEIVE of the task that this one belongs to; itself if it belongs to none.
  std::uint32_t task_of(std::uint32_t receive) const { return is_in_task(receive) ? task_of_[receive] : receive; }
  // The process that performs the task of a RECEIVE. Roles::kNone if it belongs to none, or to one that has not begun: the trace
  // may answer what was not asked yet.
  std::uint32_t performer_of(std::uint32_t receive) const {
    return is_in_task(receive) ? performer_[task_of_[receive]] : Roles::kNone;
  }

 private:
  bool is_in_task(std::uint32_t receive) const { return !task_of_.empty() && task_of_[receive] != kNoEvent; }

  const std::vector<std::uint32_t> task_of_;
  std::vector<std::uint32_t> performer_;  // by RECEIVE
};

}  // namespace dpm
