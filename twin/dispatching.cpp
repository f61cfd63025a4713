#include "twin/dispatching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace dpm::twin {
namespace {

constexpr double kStrayMax = 0.02;           // of all operations: those that do not fit the picture
constexpr std::size_t kRoundsWritten = 300;  // one step each; more rounds are written as one repeated round

// The tasks of one round.
struct Round {
  std::uint32_t begin = 0, end = 0;  // operations
  double lead_s = 0;                 // CPU time before its first task
  std::vector<double> first_s, next_s, rest_s;
  std::map<std::string, std::vector<double>> bytes;  // of tasks, by kind
  std::uint64_t tasks = 0;
  std::string answer;
};

class Dispatching {
 public:
  Dispatching(const Material& material, std::uint32_t process)
      : material_(material), process_(process), operations_(material.recording.records[process].operations) {}

  // False if the process does not dispatch.
  bool find() {
    if (operations_.empty() || operations_.front().kind == OperationKind::receive) return false;
    if (!find_group() || !find_tasks()) return false;
    parse();
    return in_flight_total_ > 1 && static_cast<double>(stray_) <= kStrayMax * static_cast<double>(operations_.size());
  }

  Steps steps(std::vector<std::string>& warnings) const {
    Steps steps;
    std::uint32_t done = 0;
    if (rounds_.size() > kRoundsWritten) {
      other_steps(0, rounds_.front().begin, steps, warnings);
      steps.push_back(all_rounds());
      done = rounds_.back().end;
      warnings.push_back(fmt::format("{} hands out tasks in {} rounds; in the twin they are all as large as the mean",
                                     name(), rounds_.size()));
    } else {
      for (const Round& round : rounds_) {
        other_steps(done, round.begin, steps, warnings);
        add(steps, {round.lead_s});
        steps.push_back(step_of(round));
        done = round.end;
      }
    }
    other_steps(done, static_cast<std::uint32_t>(operations_.size()), steps, warnings);
    return steps;
  }

 private:
  std::string name() const { return fmt::format("'{}'", material_.recording.info.processes[process_].name); }

  bool find_group() {
    for (const Operation& operation : operations_) {
      if (operation.kind != OperationKind::receive) continue;
      if (operation.peer == kNone || operation.match == kNone) return false;
      const std::uint32_t group = material_.groups.of[operation.peer];
      if (group_ != kNone && group != group_) return false;
      group_ = group;
    }
    return group_ != kNone && group_ != material_.groups.of[process_];
  }

  // A task is the last message that its doer had received when it sent an answer, or an earlier one that it had not
  // answered.
  bool find_tasks() {
    is_task_.assign(operations_.size(), false);
    std::map<std::uint32_t, std::vector<std::uint32_t>> sent;  // by doer: sends to it, in order
    std::map<std::uint32_t, std::vector<std::uint32_t>> answers;
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind == OperationKind::send && operations_[i].peer != kNone &&
          material_.groups.of[operations_[i].peer] == group_ && operations_[i].match != kNone)
        sent[operations_[i].peer].push_back(i);
      if (operations_[i].kind == OperationKind::receive) answers[operations_[i].peer].push_back(i);
    }
    for (const auto& [doer, received] : answers) {
      const auto& tasks = sent[doer];
      std::size_t next = tasks.size();
      // From the last answer backwards: each belongs to the latest message that its doer had received by then and that
      // is not yet assigned to an answer.
      for (auto answer = received.rbegin(); answer != received.rend(); ++answer) {
        const std::uint32_t answered_at = operations_[*answer].match;
        while (next > 0 && operations_[tasks[next - 1]].match > answered_at) --next;
        if (next == 0) return false;
        is_task_[tasks[--next]] = true;
      }
    }
    return true;
  }

  double cpu_s(std::uint32_t i) const { return tokens_of(material_, process_, i, i + 1, 0, false).cpu_s(); }

  // The round that is being read.
  struct Reading {
    Round round;
    std::map<std::uint32_t, std::uint64_t> in_flight;  // by doer
    std::uint64_t total = 0;                           // in flight
    bool filling = true;                               // no answer has come
    bool draining = false;                             // an answer was not followed by a task
    double owed_s = 0;                                 // CPU time after an answer, until it is known what follows
  };

  void parse() {
    Reading reading;
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind == OperationKind::send && is_task_[i]) {
        add_task(i, reading);
      } else if (operations_[i].kind == OperationKind::receive) {
        add_answer(i, reading);
      } else if (reading.total > 0) {
        ++stray_;
      }
    }
    finish(reading.round, reading.owed_s);
  }

  void add_task(std::uint32_t i, Reading& reading) {
    const Operation& task = operations_[i];
    const bool after_receive = i > 0 && operations_[i - 1].kind == OperationKind::receive;
    if (reading.total == 0 && !(after_receive && refills(i))) {
      finish(reading.round, reading.owed_s);
      reading.round = Round{};
      reading.round.begin = i;
      reading.filling = true;
      reading.draining = false;
    }
    Round& round = reading.round;
    if (reading.filling) {
      round.first_s.push_back(cpu_s(i));
    } else {
      if (reading.draining || !after_receive || operations_[i - 1].peer != task.peer) ++stray_;
      round.next_s.push_back(cpu_s(i) + reading.owed_s);
      reading.owed_s = 0;
    }
    round.bytes[material_.kinds.of(process_, task.peer, task)].push_back(task.bytes);
    ++round.tasks;
    ++reading.total;
    in_flight_ = std::max(in_flight_, ++reading.in_flight[task.peer]);
    in_flight_total_ = std::max(in_flight_total_, reading.total);
  }

  void add_answer(std::uint32_t i, Reading& reading) {
    const Operation& answer = operations_[i];
    reading.filling = false;
    // Work before this answer was taken belongs to the answer before, if nothing was sent after that.
    if (i > 0 && operations_[i - 1].kind == OperationKind::receive) {
      reading.round.rest_s.push_back(cpu_s(i));
      reading.draining = true;
    } else {
      reading.owed_s += cpu_s(i);
    }
    reading.round.answer = material_.kinds.of(answer.peer, process_, answer);
    reading.round.end = i + 1;
    if (reading.total > 0) --reading.total;
    if (reading.in_flight[answer.peer] > 0) --reading.in_flight[answer.peer];
  }

  // With one task in flight, no task is in flight after each answer: the next task still belongs to the round.
  bool refills(std::uint32_t i) const {
    const bool alone = i + 1 == operations_.size() || operations_[i + 1].kind == OperationKind::receive;
    return in_flight_total_ <= 1 && alone && operations_[i - 1].peer == operations_[i].peer;
  }

  void finish(Round& round, double& owed_s) {
    if (round.tasks == 0) return;
    // Work before the very first task is not done for each task; and work after the last answer is what precedes the
    // next round.
    const double first = round.first_s.front();
    const double others = std::accumulate(round.first_s.begin() + 1, round.first_s.end(), 0.0);
    const double usual = round.first_s.size() < 2 ? 0 : others / static_cast<double>(round.first_s.size() - 1);
    round.lead_s = std::max(0.0, first - usual);
    round.first_s.front() -= round.lead_s;
    round.rest_s.push_back(std::exchange(owed_s, 0.0));
    rounds_.push_back(round);
  }

  Step step_of(const Round& round) const {
    steps::Dispatch dispatch;
    dispatch.answer = {round.answer};
    dispatch.to = {material_.groups.all[group_].name};
    for (const auto& [kind, bytes] : round.bytes) {
      Task& task = dispatch.tasks.emplace_back();
      task.kind = {kind};
      task.bytes = summarise(bytes, 1);
      task.weight = static_cast<double>(bytes.size());
    }
    dispatch.times = {round.tasks};
    dispatch.in_flight = {in_flight_};
    add(dispatch.first, round.first_s);
    add(dispatch.next, round.next_s);
    add(dispatch.rest, round.rest_s);
    return {dispatch};
  }

  Step all_rounds() const {
    Round together = rounds_.front();
    for (std::size_t i = 1; i < rounds_.size(); ++i) {
      const Round& round = rounds_[i];
      together.tasks += round.tasks;
      together.first_s.front() += round.lead_s;
      for (const auto& [to, from] : {std::pair(&together.first_s, &round.first_s),
                                     {&together.next_s, &round.next_s},
                                     {&together.rest_s, &round.rest_s}})
        to->insert(to->end(), from->begin(), from->end());
      for (const auto& [kind, bytes] : round.bytes)
        together.bytes[kind].insert(together.bytes[kind].end(), bytes.begin(), bytes.end());
    }
    together.tasks = (together.tasks + rounds_.size() / 2) / rounds_.size();
    return repeat_step({rounds_.size()}, {step_of(together)});
  }

  static void add(Steps& steps, const std::vector<double>& samples) {
    if (samples.empty()) return;
    Quantity amount = summarise(samples, 1);
    if (mean(amount) > 0) steps.push_back(compute_step(std::move(amount)));
  }

  // The messages between rounds.
  void other_steps(std::uint32_t begin, std::uint32_t end, Steps& steps, std::vector<std::string>& warnings) const {
    const ProcessRecord& record = material_.recording.records[process_];
    const std::uint64_t tail = end == operations_.size() ? record.tail_cpu_ns : 0;
    const TokenRun run = tokens_of(material_, process_, begin, end, tail, false);
    if (run.tokens.empty() && run.tail_cpu_s <= 0) return;
    Shape shape(run);
    shape.add(run);
    append(steps, shape.steps(material_, 1, warnings));
  }

  const Material& material_;
  const std::uint32_t process_;
  const std::vector<Operation>& operations_;
  std::uint32_t group_ = kNone;
  std::vector<bool> is_task_;  // by operation
  std::vector<Round> rounds_;
  std::uint64_t in_flight_ = 0, in_flight_total_ = 0;
  std::uint64_t stray_ = 0;
};

}  // namespace

std::optional<Steps> find_dispatching(const Material& material, std::uint32_t process,
                                      std::vector<std::string>& warnings) {
  Dispatching dispatching(material, process);
  if (!dispatching.find()) return std::nullopt;
  return dispatching.steps(warnings);
}

}  // namespace dpm::twin
