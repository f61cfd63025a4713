#include "twin/twin.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

std::string count(std::uint64_t number, const std::string& noun) {
  const bool ends_in_s = noun.back() == 's';
  const bool ends_in_y = noun.size() > 1 && noun.compare(noun.size() - 2, 2, "ty") == 0;
  const std::string several = ends_in_y ? noun.substr(0, noun.size() - 1) + "ies" : noun + (ends_in_s ? "es" : "s");
  return std::to_string(number) + " " + (number == 1 ? noun : several);
}

std::string losses_in_words(const LossReport& losses) {
  if (losses.lost() == 0) return "";
  std::string text = "; " + count(losses.lost(), "event") + " of " + std::to_string(losses.seen) + " are lost";
  if (!losses.losses.empty()) text += " (" + losses.losses.front().reason + ")";
  return text;
}

class TwinMaker {
 public:
  TwinMaker(Recording recording, const TwinOptions& options) : recording_(std::move(recording)), options_(options) {}

  Result<Twin> make() {
    if (auto ok = check(); !ok) return ok.error();
    choose_delays();
    if (recording_.info.source != "sim") take_batches_apart(recording_);
    const auto outside = add_outside(recording_);
    contradictions_ = take_contradictions_apart(recording_);
    unmetered_.assign(recording_.lives.size(), false);
    for (const std::uint32_t p : outside) unmetered_[p] = true;
    const Groups groups = find_groups(recording_, alone());
    Kinds kinds(recording_, groups);
    Conducts conducts = understand(recording_, groups, kinds);
    if (tell_kinds_by_size(recording_, groups, conducts, kinds)) conducts = understand(recording_, groups, kinds);
    const Material material{recording_, groups, kinds, conducts, recording_.info.source != "sim"};
    twin_.name = "twin-of-" + (recording_.info.scenario.empty() ? "a-trace" : recording_.info.scenario);
    twin_.events = recording_.events;
    twin_.requests = conducts.requests;
    twin_.services_finish = recording_.info.source != "sim";
    name_machines();
    const std::vector<bool> closed = closed_loops(material);
    for (const Group& group : groups.all) add_group(material, group, closed);
    declare_unread(twin_);
    lengthen_short_messages(conducts);
    collect_codes(material);
    expect(groups);
    warn(outside.size());
    return std::move(twin_);
  }

 private:
  Result<void> check() const {
    const std::uint64_t one_ended = recording_.sends_without_receive + recording_.receives_without_send;
    const std::uint64_t all = recording_.messages + one_ended;
    if (static_cast<double>(one_ended) > kOneEndedMost * static_cast<double>(std::max<std::uint64_t>(all, 1))) {
      return Error{std::to_string(one_ended) + " of " + count(all, "message") +
                   " have only one end in the trace: what the processes did cannot be told from it" +
                   losses_in_words(recording_.losses)};
    }
    if (stands_still()) {
      return Error{
          "the trace ends with every process waiting for a message and none under way: the program was "
          "deadlocked, and its twin would be"};
    }
    return {};
  }

  // Everybody waits, and somebody for an answer.
  bool stands_still() const {
    bool any_client = false;
    for (const Life& life : recording_.lives) {
      if (!life.metered || life.ops.empty()) continue;
      if (life.ended || !life.waits_at_end) {
        if (!life.ended) return false;
        continue;
      }
      any_client = any_client || life.speaks_first();
    }
    const bool somebody_ended = std::any_of(recording_.lives.begin(), recording_.lives.end(),
                                            [](const Life& life) { return life.ended && life.speaks_first(); });
    return any_client && !somebody_ended && recording_.sends_without_receive == 0;
  }

  std::set<std::uint32_t> alone() const {
    std::set<std::uint32_t> alone = options_.alone;
    alone.insert(options_.as_recorded.begin(), options_.as_recorded.end());
    return alone;
  }

  void choose_delays() {
    const bool none_known = recording_.info.source != "sim" && recording_.info.delays.name == "zero";
    if (options_.delays) {
      recording_.info.delays = *options_.delays;
      twin_.delays_from = "the given delay model '" + recording_.info.delays.name + "'";
    } else if (!none_known) {
      twin_.delays_from = "the trace's delay model '" + recording_.info.delays.name + "'";
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
      for (int i = 2; !taken.insert(name).second; ++i) name = scenario_name(machine.name) + "." + std::to_string(i);
      for (auto& pair : twin_.delays.pairs) {
        if (pair.machine_a == machine.name) pair.machine_a = name;
        if (pair.machine_b == machine.name) pair.machine_b = name;
      }
      twin_.machines.push_back({name, machine.speed, machine.cores});
    }
  }

  static bool waits_for_answers(const Material& material, std::uint32_t process) {
    const auto& ops = material.recording.lives[process].ops;
    const bool receives = std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::receive; });
    std::vector<std::string> ignored;
    return receives && (material.conducts.of[process].only_start || find_dispatching(material, process, ignored));
  }

  // By process: whether what it handles is asked for, directly or by others, by somebody who waits for answers.
  static std::vector<bool> closed_loops(const Material& material) {
    const auto& lives = material.recording.lives;
    std::vector<bool> closed(lives.size());
    for (std::uint32_t p = 0; p < lives.size(); ++p) closed[p] = waits_for_answers(material, p);
    const auto is_asked = [&](std::uint32_t p) {
      const auto& activities = material.conducts.of[p].activities;
      return std::any_of(activities.begin(), activities.end(), [&](const Activity& activity) {
        const std::uint32_t asker = activity.trigger == kNone ? kNone : lives[p].ops[activity.trigger].peer;
        return asker != kNone && closed[asker];
      });
    };
    for (bool any_new = true; std::exchange(any_new, false);)
      for (std::uint32_t p = 0; p < lives.size(); ++p)
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
      const MachineId machine = unmetered_[p] ? MachineId{} : recording_.lives[p].machine;
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
      twin_.warnings.push_back("'" + twin.name + "': " + std::to_string(twin.activities_forced) + " of " +
                               count(twin.activities, "activity") +
                               " were like no other often enough: the twin does "
                               "the nearest of " +
                               "the common ones instead");
    }
    twin_.groups.push_back(std::move(twin));
  }

  static void count_work(const Material& material, const Group& group, TwinGroup& twin) {
    for (const std::uint32_t p : group.members) {
      const Life& life = material.recording.lives[p];
      twin.messages += life.ops.size();
      twin.activities += material.conducts.of[p].activities.size();
      twin.cpu_s += static_cast<double>(life.tail_cpu_ns) * 1e-9;
      for (const Op& op : life.ops) twin.cpu_s += static_cast<double>(op.cpu_ns) * 1e-9;
    }
  }

  // What a run of the twin is held against.
  void expect(const Groups& groups) {
    Expected& expected = twin_.expected;
    expected.elapsed_s = recording_.elapsed_s;
    expected.without_peer = recording_.without_peer;
    for (std::uint32_t p = 0; p < recording_.lives.size(); ++p) {
      const Life& life = recording_.lives[p];
      std::uint64_t cpu_ns = life.tail_cpu_ns;
      for (const Op& op : life.ops) {
        cpu_ns += op.cpu_ns;
        const bool begins_here = op.kind == OpKind::send || (op.kind == OpKind::receive && op.match == kNone);
        if (!begins_here || op.peer == kNone || op.what != Passes::message) continue;
        const auto& here = groups.all[groups.of[p]].name;
        const auto& there = groups.all[groups.of[op.peer]].name;
        ++expected.messages[op.kind == OpKind::send ? std::pair(here, there) : std::pair(there, here)];
      }
      if (life.metered && recording_.info.processes[p].in_computation)
        expected.T_s += static_cast<double>(cpu_ns) * 1e-9;
    }
  }

  void lengthen_short_messages(const Conducts& conducts) {
    if (!conducts.short_messages_matter) return;
    for (auto& group : twin_.groups) {
      lengthen(group.program.start);
      for (auto& handler : group.program.handlers) lengthen(handler.steps);
    }
    twin_.warnings.push_back(
        "messages shorter than 16 bytes are 16 bytes long in the twin, to carry which request they "
        "belong to");
  }

  static void lengthen(Quantity& bytes) {
    bytes.low = std::max<double>(bytes.low, kBytesForRequest);
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
    for (std::uint32_t p = 0; p < recording_.lives.size(); ++p) {
      for (const Op& op : recording_.lives[p].ops) {
        if (op.kind != OpKind::send || op.peer == kNone) continue;
        const std::string kind = material.kinds.of(p, op.peer, op);
        if (op.what != Passes::message) codes.emplace(kind, code_of(op.what));
        if (!material.kinds.has_codes()) continue;
        if (kind == "kind_" + std::to_string(op.code)) codes.emplace(kind, op.code);
      }
    }
    twin_.codes.assign(codes.begin(), codes.end());
  }

  void warn(std::size_t outside) {
    auto& warnings = twin_.warnings;
    const auto say = [&](std::uint64_t number, const std::string& noun, const std::string& what) {
      if (number > 0) warnings.push_back(count(number, noun) + " " + what);
    };
    say(recording_.losses.lost(), "event", "lost: what they showed is not in the twin");
    say(recording_.sends_without_receive, "message", "never received, or its RECEIVE is lost");
    say(recording_.receives_without_send, "message", "received whose SEND is lost");
    say(contradictions_, "message",
        "received before the trace has it sent: taken for one that was never received, and one without its SEND");
    say(recording_.without_peer, "message", "left out: nobody knows who was at the other end");
    const std::string when = recording_.info.source == "sim" ? "in the twin all are there from the start"
                                                             : "in the twin it waits for a message that it was";
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
