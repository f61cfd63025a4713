#include "twin/unread.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace dpm::twin {
namespace {

using Sent = std::pair<std::string, std::string>;  // kind, to whom

// Every step, at any depth.
template <typename Visit>
void each_step(const std::vector<TwinStep>& steps, const Visit& visit) {
  for (const TwinStep& step : steps) {
    visit(step);
    for (const auto* inner : {&step.steps, &step.otherwise, &step.rest}) each_step(*inner, visit);
    for (const auto& branch : step.branches) each_step(branch, visit);
  }
}

template <typename Visit>
void each_step(const TwinProgram& program, const Visit& visit) {
  each_step(program.start, visit);
  for (const TwinHandler& handler : program.handlers) each_step(handler.steps, visit);
}

std::set<Sent> sent_by(const TwinProgram& program) {
  std::set<Sent> sent;
  each_step(program, [&](const TwinStep& step) {
    if (step.what == Do::send && step.group != "sender") sent.emplace(step.kind, step.group);
    if (step.what == Do::dispatch)
      for (const TwinStep& task : step.tasks) sent.emplace(task.kind, step.group);
  });
  return sent;
}

// What a program is ready for: kind and from whom, "" for anybody.
std::set<Sent> taken_by(const TwinProgram& program) {
  std::set<Sent> taken;
  for (const TwinHandler& handler : program.handlers) taken.emplace(handler.kind, handler.from);
  each_step(program, [&](const TwinStep& step) {
    if (step.what == Do::wait) taken.emplace(step.kind, step.group);
    if (step.what == Do::dispatch) taken.emplace(step.answer, step.group);
  });
  return taken;
}

}  // namespace

void declare_unread(Twin& twin) {
  for (TwinGroup& receiver : twin.groups) {
    std::set<Sent> taken = taken_by(receiver.program);
    for (const TwinGroup& sender : twin.groups) {
      for (const auto& [kind, to] : sent_by(sender.program)) {
        if (!receiver.is_called(to)) continue;
        const bool ready = std::any_of(taken.begin(), taken.end(), [&, &kind = kind](const Sent& one) {
          return (one.first == kind || one.first == "any") && (one.second.empty() || sender.is_called(one.second));
        });
        if (ready) continue;
        receiver.program.unread.push_back({kind, sender.name});
        taken.emplace(kind, sender.name);
      }
    }
  }
}

}  // namespace dpm::twin
