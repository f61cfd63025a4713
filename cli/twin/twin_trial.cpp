#include "cli/twin/twin_trial.hpp"

#include <map>

#include "backends/sim/sim_source.hpp"
#include "scenarios/scenario_file.hpp"
#include "twin/activities.hpp"
#include "twin/scenario_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kRunsMost = 8;  // then all processes are written as recorded

// Counts the messages of a run.
class MessageCount : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }

  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      if (event.type != EventType::send || (event.flags & event_flags::kKernelMessage)) continue;
      if (event.code == twin::code_of(twin::Passes::beginning) || event.code == twin::code_of(twin::Passes::end))
        continue;
      if (!event.process.is_none() && !event.peer.is_none()) ++sent_[{event.process.value, event.peer.value}];
    }
  }

  void on_end(const LossReport&) override {
    for (const auto& [pair, count] : sent_)
      messages_[{info_->processes.at(pair.first).name, info_->processes.at(pair.second).name}] += count;
  }

  std::map<std::pair<std::string, std::string>, std::uint64_t> take() { return std::move(messages_); }

 private:
  const TraceInfo* info_ = nullptr;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> messages_;
};

bool is_better(const twin::Reproduction& a, const twin::Reproduction& b) {
  if (a.ended != b.ended) return a.ended;
  return a.share() - a.T_error() > b.share() - b.T_error();
}

// A member of a group is split off as a separate process, and a separate process is written as recorded; with `at_last`,
// all processes are.
void understand_less(const twin::Twin& made, const std::set<std::uint32_t>& processes, bool at_last,
                     twin::TwinOptions& options) {
  for (const auto& group : made.groups) {
    for (const std::uint32_t process : group.processes) {
      if (!at_last && processes.count(process) == 0) continue;
      (group.processes.size() > 1 && !at_last ? options.alone : options.as_recorded).insert(process);
    }
  }
}

}  // namespace

twin::TwinRun run_twin(const twin::Twin& twin) {
  twin::TwinRun run;
  const auto file = parse_scenario(twin::scenario_text(twin), "twin.json", shipped_programs());
  if (!file) {
    run.failure = "its scenario is refused: " + file.error().what;
    return run;
  }
  auto scenario = instantiate(*file);
  if (!scenario) {
    run.failure = "its scenario is refused: " + scenario.error().what;
    return run;
  }
  // Without a limit, messages that cause more messages could keep it running without end.
  scenario->message_limit = 3 * twin.expected.all_messages() + 1000;
  MessageCount count;
  SimSource source(*std::move(scenario));
  if (const auto done = source.run(count); !done) run.failure = done.error().what;
  const SimTruth& truth = source.truth();
  if (run.failure.empty() && !truth.deadlocked && truth.ended_by != "every process ended")
    run.failure = "the run ended by " + truth.ended_by;
  run.messages = count.take();
  run.elapsed_s = truth.makespan.seconds();
  for (const auto& process : truth.processes) {
    twin::TwinRun::Process one{process.name, process.final_state, static_cast<double>(process.cpu_time_ns) * 1e-9};
    const std::string blocked = "process '" + process.name + "' on ";
    for (const auto& text : truth.blocked) one.stuck = one.stuck || text.compare(0, blocked.size(), blocked) == 0;
    run.processes.push_back(std::move(one));
  }
  return run;
}

Result<TwinTrial> try_twin(const twin::Recording& recording, twin::TwinOptions options, const twin::Bounds& bounds,
                           const Say& say) {
  std::optional<TwinTrial> best;
  for (std::size_t runs = 1;; ++runs) {
    say("running the twin" +
        (runs == 1 ? "" : ", " + std::to_string(options.as_recorded.size()) + " processes as they were recorded"));
    auto made = twin::make_twin(recording, options);
    if (!made) return made.error();
    const twin::TwinRun run = run_twin(*made);
    const twin::Reproduction reproduction = twin::compare(*made, run, bounds);
    const bool is_good = reproduction.lacks.empty();
    const auto more = is_good ? std::set<std::uint32_t>{} : twin::to_record(*made, run, reproduction);
    if (!more.empty()) understand_less(*made, more, runs >= kRunsMost, options);
    if (!best || is_better(reproduction, best->reproduction)) best = TwinTrial{std::move(*made), reproduction, runs};
    if (is_good || more.empty()) break;
  }
  return *std::move(best);
}

}  // namespace dpm::cli
