#include "twin/twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/counted.hpp"
#include "scenarios/behaviour/step_walk.hpp"
#include "twin/batches.hpp"
#include "twin/contradictions.hpp"
#include "twin/delays_seen.hpp"
#include "twin/dispatching.hpp"
#include "twin/outside.hpp"
#include "twin/programs.hpp"
#include "twin/script.hpp"
#include "twin/sizes.hpp"
#include "twin/unread.hpp"

namespace dpm::twin {
namespace {

constexpr double kOneEndedMost = 0.5;  // of all messages

std::string losses_in_words(const LossReport& losses) {
  if (losses.lost() == 0) return "";
  std::string text = fmt::format("; {} of {} are lost", counted(losses.lost(), "event"), losses.seen);
  if (!losses.losses.empty()) text += fmt::format(" ({})", losses.losses.front().reason);
  return text;
}

class TwinMaker {
 public:
  TwinMaker(Recording recording, const TwinOptions& options) : recording_(std::move(recording)), options_(options) {}

  Result<Twin> make() {
    if (auto ok = check(); !ok) return ok.error();
    choose_delays();
    if (!recording_.info.properties.scripted) split_batches(recording_);
    const auto outside = add_outside(recording_);
    contradictions_ = split_contradictions(recording_);
    unmetered_.assign(recording_.records.size(), false);
    for (const std::uint32_t p : outside) unmetered_[p] = true;
    const Groups groups = find_groups(recording_, alone());
    Kinds kinds(recording_, groups);
    Behaviours behaviours = infer_behaviour(recording_, groups, kinds);
    if (tell_kinds_by_size(recording_, groups, behaviours, kinds))
      behaviours = infer_behaviour(recording_, groups, kinds);
    if (!recording_.info.properties.scripted) mark_unseen_waits(recording_, groups, kinds);
    const Timeouts timeouts(recording_, groups, kinds);
    const Material material{recording_, groups, kinds, behaviours, timeouts, !recording_.info.properties.scripted};
    twin_.name = "twin-of-" + (recording_.info.scenario.empty() ? "a-trace" : recording_.info.scenario);
    twin_.events = recording_.events;
    twin_.requests = behaviours.requests;
    twin_.services_finish = !recording_.info.properties.scripted;
    name_machines();
    const std::vector<bool> closed = closed_loops(material);
    for (const Group& group : groups.all) add_group(material, group, closed);
    declare_unread(twin_);
    lengthen_short_messages(behaviours);
    collect_codes(material);
    set_expected(groups);
    warn(outside.size());
    return std::move(twin_);
  }

 private:
  Result<void> check() const {
    const std::uint64_t one_ended = recording_.sends_without_receive + recording_.receives_without_send;
    const std::uint64_t all = recording_.messages + one_ended;
    if (static_cast<double>(one_ended) > kOneEndedMost * static_cast<double>(std::max<std::uint64_t>(all, 1))) {
      return Error{
          fmt::format("{} of {} have only one end in the trace: the behaviour of the processes cannot be inferred{}",
                      one_ended, counted(all, "message"), losses_in_words(recording_.losses))};
    }
    if (stands_still()) {
      return Error{
          "the trace ends with every process waiting for a message and none in transit: the program was deadlocked, "
          "and so would be its twin"};
    }
    return {};
  }

  // Every process waits, and at least one for an answer.
  bool stands_still() const {
    bool any_client = false;
    for (const ProcessRecord& record : recording_.records) {
      if (!record.metered || record.operations.empty()) continue;
      if (record.ended || !record.waits_at_end) {
        if (!record.ended) return false;
        continue;
      }
      any_client = any_client || record.speaks_first();
    }
    const bool any_ended =
        std::any_of(recording_.records.begin(), recording_.records.end(),
                    [](const ProcessRecord& record) { return record.ended && record.speaks_first(); });
    return any_client && !any_ended && recording_.sends_without_receive == 0;
  }

  std::set<std::uint32_t> alone() const {
    std::set<std::uint32_t> alone = options_.alone;
    alone.insert(options_.as_recorded.begin(), options_.as_recorded.end());
    return alone;
  }

  void choose_delays() {
    if (options_.delays) {
      recording_.info.delays = *options_.delays;
      twin_.delays_from = fmt::format("the given delay model '{}'", recording_.info.delays.name);
    } else if (recording_.info.properties.delays_known) {
      twin_.delays_from = fmt::format("the trace's delay model '{}'", recording_.info.delays.name);
    } else if (auto seen = local_delays_seen(recording_)) {
      recording_.info.delays.name = "as the trace shows";
      recording_.info.delays.local = *seen;
      twin_.delays_from = "the trace: how long messages took to processes that were waiting";
    } else {
      twin_.delays_from = "nowhere: messages take no time (give a delay model with --delays)";
    }
    twin_.delays = recording_.info.delays;
  }

  void name_machines() {
    std::set<std::string> taken;
    for (const auto& machine : recording_.info.machines) {
      std::string name = scenario_name(machine.name);
      for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}.{}", scenario_name(machine.name), i);
      for (auto& pair : twin_.delays.pairs) {
        if (pair.machine_a == machine.name) pair.machine_a = name;
        if (pair.machine_b == machine.name) pair.machine_b = name;
      }
      twin_.machines.push_back({name, machine.speed, machine.cores});
    }
  }

  static bool waits_for_answers(const Material& material, std::uint32_t process) {
    const auto& operations = material.recording.records[process].operations;
    const bool receives = std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
      return operation.kind == OperationKind::receive;
    });
    std::vector<std::string> ignored;
    return receives && (material.behaviours.of[process].only_start || find_dispatching(material, process, ignored));
  }

  // By process: whether what it handles is requested, directly or indirectly, by a process that waits for answers.
  static std::vector<bool> closed_loops(const Material& material) {
    const auto& records = material.recording.records;
    std::vector<bool> closed(records.size());
    for (std::uint32_t p = 0; p < records.size(); ++p) closed[p] = waits_for_answers(material, p);
    const auto is_asked = [&](std::uint32_t p) {
      const auto& activities = material.behaviours.of[p].activities;
      return std::any_of(activities.begin(), activities.end(), [&](const Activity& activity) {
        const std::uint32_t requester =
            activity.trigger == kNone ? kNone : records[p].operations[activity.trigger].peer;
        return requester != kNone && closed[requester];
      });
    };
    for (bool any_new = true; std::exchange(any_new, false);)
      for (std::uint32_t p = 0; p < records.size(); ++p)
        if (!closed[p] && is_asked(p)) closed[p] = any_new = true;
    return closed;
  }

  void add_group(const Material& material, const Group& group, const std::vector<bool>& closed) {
    TwinGroup twin;
    twin.name = group.name;
    twin.counted = group.counted;
    twin.count = group.members.size();
    for (const std::uint32_t p : group.members) {
      const auto& described = recording_.info.processes[p];
      twin.in_computation = described.in_computation && !unmetered_[p];
      twin.unmetered = unmetered_[p];
      const MachineId machine = unmetered_[p] ? MachineId{} : recording_.records[p].machine;
      if (machine.value < recording_.info.machines.size()) {
        twin.machines.push_back(twin_.machines[machine.value].name);
      } else {
        twin_.machines.push_back({"outside." + group.name, 1, 1});
        twin.machines.push_back(twin_.machines.back().name);
      }
    }
    twin.processes = group.members;
    const bool closed_loop =
        std::any_of(group.members.begin(), group.members.end(), [&](std::uint32_t p) { return closed[p]; });
    count_work(material, group, twin);
    if (options_.as_recorded.count(group.members.front()) != 0) {
      write_script(material, group.members.front(), twin);
    } else {
      make_program(material, group, {.closed_loop = closed_loop}, twin, twin_.warnings);
    }
    twin_.messages += twin.messages;
    if (twin.activities_forced > 0) {
      twin_.warnings.push_back(fmt::format(
          "'{}': {} of {} did not occur often enough: the twin does the most similar of the common ones instead",
          twin.name, twin.activities_forced, counted(twin.activities, "activity")));
    }
    twin_.groups.push_back(std::move(twin));
  }

  static void count_work(const Material& material, const Group& group, TwinGroup& twin) {
    for (const std::uint32_t p : group.members) {
      const ProcessRecord& record = material.recording.records[p];
      twin.messages += record.operations.size();
      twin.activities += material.behaviours.of[p].activities.size();
      twin.cpu_s += static_cast<double>(record.tail_cpu_ns) * 1e-9;
      for (std::uint32_t i = 0; i < record.operations.size(); ++i) {
        twin.cpu_s += static_cast<double>(record.operations[i].cpu_ns) * 1e-9;
        count_idle(material, p, i, twin);
      }
      twin.sleeps.add(record.tail_idle.slept_ns);
    }
  }

  // A wait that is given up and made again has a timeout, as Shape writes it.
  static void count_idle(const Material& material, std::uint32_t p, std::uint32_t number, TwinGroup& twin) {
    const Operation& operation = material.recording.records[p].operations[number];
    twin.sleeps.add(operation.idle.slept_ns);
    if (operation.kind != OperationKind::send || operation.idle.give_ups == 0 || operation.peer == kNone) return;
    const bool is_timeout = material.timeouts.sends_again(p, number) &&
                            material.timeouts.is_constant(p, material.kinds.of(p, operation.peer, operation),
                                                          material.groups.of[operation.peer]);
    (is_timeout ? twin.timeouts : twin.give_ups).add(operation.idle.gave_up_ns);
  }

  // What a run of the twin is compared with.
  void set_expected(const Groups& groups) {
    Expected& expected = twin_.expected;
    expected.elapsed_s = recording_.elapsed_s;
    expected.without_peer = recording_.without_peer;
    for (std::uint32_t p = 0; p < recording_.records.size(); ++p) {
      const ProcessRecord& record = recording_.records[p];
      std::uint64_t cpu_ns = record.tail_cpu_ns;
      for (const Operation& operation : record.operations) {
        cpu_ns += operation.cpu_ns;
        const bool begins_here = operation.kind == OperationKind::send ||
                                 (operation.kind == OperationKind::receive && operation.match == kNone);
        if (!begins_here || operation.peer == kNone || operation.what != Passes::message) continue;
        const auto& here = groups.all[groups.of[p]].name;
        const auto& there = groups.all[groups.of[operation.peer]].name;
        ++expected.messages[operation.kind == OperationKind::send ? std::pair(here, there) : std::pair(there, here)];
      }
      if (record.metered && recording_.info.processes[p].in_computation)
        expected.T_s += static_cast<double>(cpu_ns) * 1e-9;
    }
  }

  void lengthen_short_messages(const Behaviours& behaviours) {
    if (!behaviours.short_messages_matter) return;
    for (auto& group : twin_.groups) {
      lengthen(group.program.start);
      for (auto& handler : group.program.handlers) lengthen(handler.steps);
    }
    twin_.warnings.push_back(
        "messages shorter than 16 bytes are 16 bytes long in the twin, to carry which request they "
        "belong to");
  }

  static void lengthen(Quantity& bytes) {
    bytes.first.number = std::max<double>(bytes.first.number, kBytesForRequest);
    for (double& value : bytes.values) value = std::max<double>(value, kBytesForRequest);
  }

  static void lengthen(Steps& steps) {
    each_step(steps, [](Step& step) {
      if (auto* send = std::get_if<steps::Send>(&step.what)) lengthen(send->message.bytes);
      if (auto* dispatch = std::get_if<steps::Dispatch>(&step.what))
        for (Task& task : dispatch->tasks) lengthen(task.bytes);
    });
  }

  void collect_codes(const Material& material) {
    std::set<std::pair<std::string, std::uint32_t>> codes;
    for (std::uint32_t p = 0; p < recording_.records.size(); ++p) {
      for (const Operation& operation : recording_.records[p].operations) {
        if (operation.kind != OperationKind::send || operation.peer == kNone) continue;
        const std::string kind = material.kinds.of(p, operation.peer, operation);
        if (operation.what != Passes::message) codes.emplace(kind, code_of(operation.what));
        if (!material.kinds.has_codes()) continue;
        if (kind == "kind_" + std::to_string(operation.code)) codes.emplace(kind, operation.code);
      }
    }
    twin_.codes.assign(codes.begin(), codes.end());
  }

  void warn(std::size_t outside) {
    auto& warnings = twin_.warnings;
    const auto say = [&](std::uint64_t number, const std::string& noun, const std::string& what) {
      if (number > 0) warnings.push_back(fmt::format("{} {}", counted(number, noun), what));
    };
    say(recording_.losses.lost(), "event", "lost: the twin is made without them");
    say(recording_.sends_without_receive, "message", "never received, or its RECEIVE is lost");
    say(recording_.receives_without_send, "message", "received whose SEND is lost");
    say(contradictions_, "message",
        "received before it is sent: treated as one that was never received, and one without its SEND");
    say(recording_.without_peer, "message", "left out: their other end is not known");
    const std::string when = recording_.info.properties.scripted
                                 ? "in the twin all are there from the start"
                                 : "in the twin it waits for a message from its creator";
    say(recording_.created, "process", "created while the program ran: " + when);
    say(outside, "peer", "not metered: a process outside, which takes as long as its peers waited for it");
  }

  Recording recording_;
  const TwinOptions& options_;
  std::uint64_t contradictions_ = 0;
  std::vector<bool> unmetered_;
  Twin twin_;
};

}  // namespace

Result<Twin> make_twin(Recording recording, const TwinOptions& options) {
  return TwinMaker(std::move(recording), options).make();
}

}  // namespace dpm::twin
