#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/history_build.hpp"
#include "analysis/history/history_layout.hpp"
#include "analysis/history/history_parts.hpp"
#include "analysis/history/history_share.hpp"
#include "analysis/history/part_facts.hpp"
#include "model/check.hpp"
#include "model/process_names.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kStretchEvents = 16'384;  // read by a part, from mark to mark
constexpr int kPartsRounds = 2;

void add_warnings(HistoryBuild& build, const LossReport& losses) {
  History& history = build.history;
  auto& warnings = history.warnings;
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  if (losses.lost() > 0)
    warnings.push_back(count(losses.lost()) + " events were lost: the results do not include them");
  if (history.receives_without_send > 0) {
    warnings.push_back(
        count(history.receives_without_send) +
        " messages were received whose SEND is not in the trace: their receivers are assumed not to have waited");
  }
  if (history.circles > 0) {
    warnings.push_back(fmt::format(
        "the trace contradicts itself: {} messages are received before they are sent, and left out, so that nothing "
        "waits for them. Was it put together from different runs, or are message numbers wrong?",
        count(history.circles)));
  }
  if (history.waits_without_waker > 0) {
    warnings.push_back(count(history.waits_without_waker) +
                       " waits are for processes that are not in the trace: these waits are left out");
  }
  if (build.end_waits.without_end() > 0) {
    warnings.push_back(
        count(build.end_waits.without_end()) +
        " waits are for processes whose end is not in the trace: CPU time after their last event is missing");
  }
  if (build.duplicates > 0)
    warnings.push_back(count(build.duplicates) + " events came twice; the second copy was left out");
  if (build.backward_clocks > 0) {
    warnings.push_back(count(build.backward_clocks) +
                       " events have an earlier PROCTIME than the one before; no time was counted");
  }
  if (build.moved > 0) {
    warnings.push_back(
        fmt::format("processes changed machines {} times; each is analysed as if it had stayed where it started",
                    count(build.moved)));
  }
  if (!build.any_proc_time) {
    warnings.push_back("no event carries PROCTIME, so no CPU time is known: let the filter keep the field procTime");
  }
}

}  // namespace

HistoryBuilder::HistoryBuilder(Computation computation, PartsOfHistory parts)
    : state_(std::make_unique<HistoryBuild>()),
      parts_(std::make_unique<HistoryParts>(*state_)),
      kept_(parts == PartsOfHistory::kept ? std::make_unique<PartFacts>(*state_, *parts_) : nullptr) {
  state_->computation = std::move(computation);
}

HistoryBuilder::~HistoryBuilder() = default;

void HistoryBuilder::on_begin(const TraceInfo& info) { state_->info = &info; }

void HistoryBuilder::on_events(std::span<const Event> batch) {
  DPM_CHECK(state_->info != nullptr);
  for (const auto& event : batch) {
    if (!state_->refused.empty()) return;
    state_->add(event);
  }
  if (kept_ == nullptr) return;
  unmarked_events_ += batch.size();
  // A mark looks at every process.
  if (unmarked_events_ < std::max<std::uint64_t>(kStretchEvents, 4 * state_->processes.size())) return;
  state_->mark();
  unmarked_events_ = 0;
}

void HistoryBuilder::on_end(const LossReport& losses) {
  HistoryBuild& state = *state_;
  DPM_CHECK(state.info != nullptr && !state.ended);
  state.ended = true;
  state.matcher = MessageMatcher();  // ends that still wait are found again as events without `match`
  state.history.info = *state.info;
  state.processes.resize(std::max(state.processes.size(), state.info->processes.size()));
  if (!state.refused.empty()) return;
  HistoryLayout layout(state);
  if (kept_ == nullptr ? !layout.run() : !layout.run_without_events()) return;
  add_warnings(state, losses);
  auto& described = state.history.info.processes;
  for (std::uint32_t p = 0; p < described.size(); ++p) described[p].in_computation = state.is_included(ProcessId{p});
  state.info = nullptr;
}

Result<History> HistoryBuilder::take() {
  HistoryBuild& state = *state_;
  DPM_CHECK(state.ended);
  if (!state.refused.empty()) return Error{state.refused};
  if (auto names = check_process_names(state.history.info, state.computation.only); !names) return names.error();
  if (state.sends == 0 && state.end_waits.count() > 0) return std::move(state.history);
  if (state.sends == 0 && state.receives == 0) {
    return Error{"the trace has no SEND and no RECEIVE of the computation: meter them (flags send,receive)"};
  }
  if (state.sends == 0) {
    return Error{fmt::format(
        "the trace has {} RECEIVEs of the computation but no SEND: meter send as well, and let the rules keep it",
        state.receives)};
  }
  return std::move(state.history);
}

HistoryShare HistoryBuilder::take_share() {
  DPM_CHECK(kept_ != nullptr && state_->ended);
  return HistoryShare(std::move(state_));
}

// ---- parts of a trace

void HistoryBuilder::divide(const Shares& shares) { state_->crossing.divide(shares); }

int HistoryBuilder::rounds() const { return kPartsRounds + (kept_ == nullptr ? 0 : PartFacts::kRounds); }

void HistoryBuilder::put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) {
  state_->processes.resize(std::max(state_->processes.size(), state_->info->processes.size()));
  if (round >= kPartsRounds) return kept_->put_for(shares, round - kPartsRounds, for_part);
  round == 0 ? parts_->put_crossing_sends(shares, for_part) : parts_->put_answers(for_part);
}

void HistoryBuilder::take_from(const Shares& /*shares*/, int round, std::uint32_t part, ByteReader& in) {
  if (round >= kPartsRounds) return kept_->take_from(round - kPartsRounds, part, in);
  round == 0 ? parts_->take_crossing_sends(part, in) : parts_->take_answers(part, in);
}

void HistoryBuilder::give(ByteWriter& out) { parts_->give(out); }
void HistoryBuilder::take(ByteReader& in) { parts_->take(in); }

bool HistoryBuilder::is_divisible() const {
  const HistoryBuild& build = *state_;
  return build.is_divisible && build.moved == 0 && build.duplicates == 0 && build.history.circles == 0 &&
         build.refused.empty();
}

}  // namespace dpm
