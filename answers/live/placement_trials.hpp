// Predictions of placements that a viewer tries one after the other. What does not depend on the placement is found once:
// the order of receives, and how far a replay of the traced placement is off. So a placement costs one replay.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "analysis/behaviour/behaviour.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"
#include "analysis/prediction/what_if.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

class PlacementTrials {
 public:
  // Takes some replays. Refuses what predict() refuses. `info` is that of the trace, which says what is outside the
  // computation: predictions are of all processes.
  static Result<std::unique_ptr<PlacementTrials>> make(std::shared_ptr<const History> history, const TraceInfo& info);

  // A request `predict`, checked.
  struct Trial {
    Target target;
    WhatIf changes;  // that the target has
    std::vector<std::string> leaves_out;
    bool interval = false;
    std::shared_ptr<const History> history;  // with copies of servers, if the trial has some
    bool is_slow() const { return interval || !target.replicas.empty(); }
  };
  // The parameters of `predict`, as view::read_parameters() gives them.
  Result<Trial> read(const view::Json& params) const;
  // Without the copy of the history that reading may make.
  static bool is_slow(const view::Json& params);

  // One replay; with an interval or copies the whole of predict(), which any thread may do.
  Result<view::Json> predict(const Trial& trial) const;
  // The text of a file for `dpm predict --placement`.
  static std::string file_text(const Trial& trial);

  const History& history() const { return *history_; }
  const Prediction& traced() const { return traced_; }
  // As `dpm predict --search`: processes outside the computation, and those on devices, stay where they are.
  SearchOptions search_options() const;
  // Processes outside the computation are predicted too.
  bool has_outsiders() const { return has_outsiders_; }
  bool is_movable(std::uint32_t process) const { return is_movable_.at(process); }

 private:
  PlacementTrials(std::shared_ptr<const History> history, Prediction traced, InferredBehaviour choice)
      : history_(std::move(history)), traced_(std::move(traced)), choice_(std::move(choice)) {}
  void find_movable(const TraceInfo& info);

  std::shared_ptr<const History> history_;
  Prediction traced_;
  InferredBehaviour choice_;
  std::vector<bool> is_movable_;
  bool has_outsiders_ = false;  // by process
};

}  // namespace dpm::cli
