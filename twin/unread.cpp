#include "twin/unread.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "scenarios/behaviour/step_walk.hpp"

namespace dpm::twin {
namespace {

using Sent = std::pair<std::string, std::string>;  // kind, receiver

void each_message(TwinProgram& program, const MessageUse& use) {
  dpm::each_message(program.start, use);
  for (Handler& handler : program.handlers) dpm::each_message(handler.steps, use);
}

std::set<Sent> sent_by(TwinProgram& program) {
  std::set<Sent> sent;
  each_message(program, {.sends = [&](const KindName& kind, const Whom& to) {
                 if (to.name != "sender") sent.emplace(kind.name, to.name);
               }});
  return sent;
}

// What a program is ready for: kind and sender, "" for any process.
std::set<Sent> taken_by(TwinProgram& program) {
  std::set<Sent> taken;
  for (const Handler& handler : program.handlers)
    for (const KindName& kind : handler.kinds) taken.emplace(kind.name, handler.from.name);
  each_message(program,
               {.takes = [&](const KindName& kind, const Whom& from) { taken.emplace(kind.name, from.name); }});
  return taken;
}

}  // namespace

void declare_unread(Twin& twin) {
  for (TwinGroup& receiver : twin.groups) {
    std::set<Sent> taken = taken_by(receiver.program);
    for (TwinGroup& sender : twin.groups) {
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
