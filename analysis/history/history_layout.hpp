// Lays out the events that a build has collected as one graph: those of a process beside each other, with a `start` and an `end`
// where the trace has none, and all numbers counted in the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history_build.hpp"

namespace dpm {

class HistoryLayout {
 public:
  // Moves into build.history what the build has. `build` must outlive it.
  explicit HistoryLayout(HistoryBuild& build) : build_(build), history_(build.history), processes_(build.processes) {}

  // False: build.refused says why the graph cannot be made.
  bool run();
  // The same without the events, which other parts have, and without what is found in them.
  bool run_without_events();

 private:
  bool lay_out();
  void describe_processes();
  void copy_events();
  void join_created();
  void join_waits();
  void place_external_arcs();
  void classify_open_ends();
  std::uint32_t first_traced(std::uint32_t process) const;
  std::int64_t late_by(std::uint32_t event) const;

  HistoryBuild& build_;
  History& history_;
  std::vector<ProcessBuild>& processes_;
};

}  // namespace dpm
