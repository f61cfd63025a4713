#include "twin/dispatching.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace dpm::twin {
namespace {

constexpr double kStrayMax = 0.02;           // of all ops, that are not as in the picture
constexpr std::size_t kRoundsWritten = 300;  // one step each; beyond, rounds are written as one that is repeated

// The tasks of one round.
struct Round {
  std::uint32_t begin = 0, end = 0;  // ops
  double lead_s = 0;                 // CPU time before its first task
  std::vector<double> first_s, next_s, rest_s;
  std::map<std::string, std::vector<double>> bytes;  // of tasks, by kind
  std::uint64_t tasks = 0;
  std::string answer;
};

class Dispatching {
 public:
  Dispatching(const Material& material, std::uint32_t process)
      : material_(material), process_(process), ops_(material.recording.lives[process].ops) {}

  // False if it is none.
  bool find() {
    if (ops_.empty() || ops_.front().kind == OpKind::receive) return false;
    if (!find_group() || !find_tasks()) return false;
    parse();
    return in_flight_total_ > 1 && static_cast<double>(stray_) <= kStrayMax * static_cast<double>(ops_.size());
  }

  Steps steps(std::vector<std::string>& warnings) const {
    Steps steps;
    std::uint32_t done = 0;
    if (rounds_.size() > kRoundsWritten) {
      other_steps(0, rounds_.front().begin, steps, warnings);
      steps.push_back(all_rounds());
      done = rounds_.back().end;
      warnings.push_back(name() + " hands out tasks in " + std::to_string(rounds_.size()) +
                         " rounds; in the twin they are all as large as the mean");
    } else {
      for (const Round& round : rounds_) {
        other_steps(done, round.begin, steps, warnings);
        add(steps, {round.lead_s});
        steps.push_back(step_of(round));
        done = round.end;
      }
    }
    other_steps(done, static_cast<std::uint32_t>(ops_.size()), steps, warnings);
    return steps;
  }

 private:
  std::string name() const { return "'" + material_.recording.info.processes[process_].name + "'"; }

  bool find_group() {
    for (const Op& op : ops_) {
      if (op.kind != OpKind::receive) continue;
      if (op.peer == kNone || op.match == kNone) return false;
      const std::uint32_t group = material_.groups.of[op.peer];
      if (group_ != kNone && group != group_) return false;
      group_ = group;
    }
    return group_ != kNone && group_ != material_.groups.of[process_];
  }

  // A task is what its doer had received last, or before that and not answered, when it sent an answer.
  bool find_tasks() {
    is_task_.assign(ops_.size(), false);
    std::map<std::uint32_t, std::vector<std::uint32_t>> sent;  // by doer: sends to it, in order
    std::map<std::uint32_t, std::vector<std::uint32_t>> answers;
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].kind == OpKind::send && ops_[i].peer != kNone && material_.groups.of[ops_[i].peer] == group_ &&
          ops_[i].match != kNone)
        sent[ops_[i].peer].push_back(i);
      if (ops_[i].kind == OpKind::receive) answers[ops_[i].peer].push_back(i);
    }
    for (const auto& [doer, received] : answers) {
      const auto& tasks = sent[doer];
      std::size_t next = tasks.size();
      // From the last answer backwards: each belongs to the latest message its doer had by then and that is not taken.
      for (auto answer = received.rbegin(); answer != received.rend(); ++answer) {
        const std::uint32_t answered_at = ops_[*answer].match;
        while (next > 0 && ops_[tasks[next - 1]].match > answered_at) --next;
        if (next == 0) return false;
        is_task_[tasks[--next]] = true;
      }
    }
    return true;
  }

  double cpu_s(std::uint32_t i) const { return tokens_of(material_, process_, i, i + 1, 0, false).cpu_s(); }

  void parse() {
    std::map<std::uint32_t, std::uint64_t> in_flight;  // by doer
    std::uint64_t total = 0;
    bool filling = true;
    bool draining = false;
    Round round;
    double owed_s = 0;  // CPU time after an answer, until it is known what comes
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      if (op.kind == OpKind::send && is_task_[i]) {
        if (total == 0 && !(i > 0 && ops_[i - 1].kind == OpKind::receive && refills(i))) {
          finish(round, owed_s);
          round = Round{};
          round.begin = i;
          filling = true;
          draining = false;
        }
        if (filling) {
          round.first_s.push_back(cpu_s(i));
        } else {
          if (draining || ops_[i - 1].kind != OpKind::receive || ops_[i - 1].peer != op.peer) ++stray_;
          round.next_s.push_back(cpu_s(i) + owed_s);
          owed_s = 0;
        }
        round.bytes[material_.kinds.of(process_, op.peer, op)].push_back(op.bytes);
        ++round.tasks;
        ++total;
        in_flight_ = std::max(in_flight_, ++in_flight[op.peer]);
        in_flight_total_ = std::max(in_flight_total_, total);
      } else if (op.kind == OpKind::receive) {
        filling = false;
        // What was done before this answer was taken belongs to the answer before, after which nothing was sent.
        if (i > 0 && ops_[i - 1].kind == OpKind::receive) {
          round.rest_s.push_back(cpu_s(i));
          draining = true;
        } else {
          owed_s += cpu_s(i);
        }
        round.answer = material_.kinds.of(op.peer, process_, op);
        if (total > 0) --total;
        if (in_flight[op.peer] > 0) --in_flight[op.peer];
        round.end = i + 1;
      } else if (total > 0) {
        ++stray_;
      }
    }
    finish(round, owed_s);
  }

  // With one task in flight nothing is in flight after every answer: the next task still belongs to the round.
  bool refills(std::uint32_t i) const {
    const bool alone = i + 1 == ops_.size() || ops_[i + 1].kind == OpKind::receive;
    return in_flight_total_ <= 1 && alone && ops_[i - 1].peer == ops_[i].peer;
  }

  void finish(Round& round, double& owed_s) {
    if (round.tasks == 0) return;
    // What comes before the first task of all is not what is done for each; and after the last answer follows what
    // comes before the next round.
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
    for (const auto& [kind, bytes] : round.bytes)
      dispatch.tasks.push_back({{kind}, summarise(bytes, 1), static_cast<double>(bytes.size())});
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

  // What is sent between rounds.
  void other_steps(std::uint32_t begin, std::uint32_t end, Steps& steps, std::vector<std::string>& warnings) const {
    const Life& life = material_.recording.lives[process_];
    const std::uint64_t tail = end == ops_.size() ? life.tail_cpu_ns : 0;
    const TokenRun run = tokens_of(material_, process_, begin, end, tail, false);
    if (run.tokens.empty() && run.tail_cpu_s <= 0) return;
    Shape shape(run);
    shape.add(run);
    append(steps, shape.steps(material_, 1, warnings));
  }

  const Material& material_;
  const std::uint32_t process_;
  const std::vector<Op>& ops_;
  std::uint32_t group_ = kNone;
  std::vector<bool> is_task_;  // by op
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
