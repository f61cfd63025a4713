#include "scenarios/loader/reply_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/behaviour/step_walk.hpp"

namespace dpm {
namespace {

std::vector<KindName> replies_in(const Steps& steps) {
  std::vector<KindName> replies;
  Steps walked = steps;
  each_step(walked, [&](Step& step) {
    if (const auto* reply = std::get_if<steps::Reply>(&step.what)) replies.push_back(reply->kind);
  });
  return replies;
}

// Whatever branches are taken.
bool always_replies(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.probability >= 1 && std::holds_alternative<steps::Reply>(step.what);
  });
}

}  // namespace

ReplyCheck::ReplyCheck(const Scenario& scenario, const ProcessEntries& processes, Problems& problems)
    : scenario_(scenario), processes_(processes), problems_(problems), calls_(processes.entries.size()) {
  collect_calls();
}

bool ReplyCheck::Calls::includes_one_of(const KindNames& kinds) const {
  if (any) return true;
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const KindName& kind) { return kind.any ? !codes.empty() : codes.count(kind.code) != 0; });
}

void ReplyCheck::collect_calls() {
  for (const auto& entry : processes_.entries) {
    if (entry.programs.empty()) {
      for (const std::size_t member : entry.members)
        for (const auto& to : scenario_.processes[member].links) calls_[processes_.entry_of.at(to)].any = true;
    }
    for (const auto& program : entry.programs) {
      for (const auto& called : program->called) {
        if (called.to == nullptr) {  // a sender: any process
          for (auto& calls : calls_) calls.codes.insert(called.kind.code);
          continue;
        }
        for (const auto& name : *called.to) calls_[processes_.entry_of.at(name)].codes.insert(called.kind.code);
      }
    }
  }
}

void ReplyCheck::check() {
  for (std::size_t i = 0; i < processes_.entries.size(); ++i) {
    const ProcessEntry& entry = processes_.entries[i];
    if (entry.members.empty() || entry.programs.empty()) continue;
    check_replies(entry, calls_[i]);
    check_messages_to_itself(entry);
  }
}

void ReplyCheck::check_replies(const ProcessEntry& entry, const Calls& calls) {
  const InFileProgram& program = *entry.programs.front();
  const auto refuse = [&](const KindName& reply, const std::string& with) {
    problems_.add(reply.line,
                  fmt::format("process '{}' cannot reply '{}': no process calls it{}, and a message that was sent or "
                              "forwarded has no reply link. Let the process that was called reply, or use 'send'",
                              scenario_.processes[entry.members.front()].name, reply.name, with));
  };
  if (calls.is_empty()) {
    for (const KindName& reply : program.replies) refuse(reply, "");
    return;
  }
  if (may_leave_a_call_open(program, calls)) return;
  for (const Handler& handler : program.behaviour->handlers) {
    if (calls.includes_one_of(handler.kinds)) continue;
    for (const KindName& reply : replies_in(handler.steps))
      refuse(reply, fmt::format(" with '{}'", handler.kinds.front().name));
  }
}

// When the handler that took it has ended, or because a wait takes it.
bool ReplyCheck::may_leave_a_call_open(const InFileProgram& program, const Calls& calls) {
  std::size_t taken_by_waits = 0;
  for (const auto& handled : program.handled) taken_by_waits += calls.includes_one_of({handled.kind}) ? 1 : 0;
  for (const Handler& handler : program.behaviour->handlers) {
    if (calls.includes_one_of(handler.kinds) && !always_replies(handler.steps)) return true;
    for (const KindName& kind : handler.kinds) taken_by_waits -= calls.includes_one_of({kind}) ? 1 : 0;
  }
  return taken_by_waits > 0;
}

void ReplyCheck::check_messages_to_itself(const ProcessEntry& entry) {
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    const std::string& name = scenario_.processes[entry.members[i]].name;
    const InFileProgram& program = *entry.programs[i % entry.programs.size()];
    const auto only_itself = [&](const SentKind& sent) {
      return sent.to != nullptr && sent.to->size() == 1 && sent.to->front() == name;
    };
    for (const SentKind& sent : program.sent)
      if (only_itself(sent) && !sent.by_name)
        problems_.add(sent.kind.line,
                      fmt::format("the group has no member but '{0}' itself, and a member does not write to "
                                  "itself: give the group more members, or name the process: '{0}'",
                                  name));
    for (const SentKind& called : program.called)
      if (only_itself(called) && called.by_name)
        problems_.add(called.kind.line,
                      fmt::format("process '{}' calls itself, and nothing could reply while it waits: use 'send', and "
                                  "'wait' or a handler",
                                  name));
  }
}

}  // namespace dpm
