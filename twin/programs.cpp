#include "twin/programs.hpp"

#include <map>
#include <set>

#include "twin/dispatching.hpp"
#include "twin/start.hpp"

namespace dpm::twin {
namespace {

constexpr double kAgree = 0.98;

// Of the open receives of a process with a number of unanswered requests: all, and those that did not wait for the group
// that sends the requests.
struct OpenReceives {
  std::uint64_t all = 0, without = 0;
};
using ByUnanswered = std::map<std::uint64_t, OpenReceives>;

ByUnanswered open_receives_of(const Material& material, std::uint32_t p, std::uint32_t limited) {
  const auto& operations = material.recording.records[p].operations;
  const auto& waits = material.behaviours.of[p].waits;
  ByUnanswered found;
  std::uint64_t unanswered = 0;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const bool concerns = operations[i].peer != kNone && material.groups.of[operations[i].peer] == limited;
    if (operations[i].kind == OperationKind::receive && !waits[i]) {
      const auto waited = groups_waited_for(material.recording, material.groups, p, operations[i]);
      OpenReceives& receives = found[unanswered];
      ++receives.all;
      receives.without += !waited.empty() && waited.count(limited) == 0;
      unanswered += concerns;
    }
    if (concerns && operations[i].kind == OperationKind::send && unanswered > 0) --unanswered;
  }
  return found;
}

// The smallest number of unanswered requests with which most receives do not wait for requests, if nearly all receives
// agree with it; 0: there is none.
std::uint64_t limit_of(const ByUnanswered& receives) {
  std::uint64_t limit = 0, agreeing = 0, all = 0;
  for (const auto& [number, counts] : receives)
    if (limit == 0 && counts.without * 2 > counts.all) limit = number;
  for (const auto& [number, counts] : receives) {
    all += counts.all;
    agreeing += number >= limit ? counts.without : counts.all - counts.without;
  }
  return static_cast<double>(agreeing) < kAgree * static_cast<double>(all) ? 0 : limit;
}

// A process that takes requests only while fewer than a number of them are unanswered waits for fewer groups when it is
// full.
void find_admission(const Material& material, const Group& group, TwinGroup& twin) {
  if (group.members.size() != 1) return;
  const std::uint32_t p = group.members.front();
  const auto& operations = material.recording.records[p].operations;
  std::set<std::uint32_t> from;
  for (const Activity& activity : material.behaviours.of[p].activities)
    if (activity.trigger != kNone && operations[activity.trigger].peer != kNone)
      from.insert(material.groups.of[operations[activity.trigger].peer]);
  for (const std::uint32_t limited : from) {
    const std::uint64_t limit = limit_of(open_receives_of(material, p, limited));
    if (limit == 0) continue;
    twin.program.admits_from = material.groups.all[limited].name;
    twin.program.admits_at_most = limit;
    return;
  }
}

}  // namespace

void make_program(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                  std::vector<std::string>& warnings) {
  if (group.members.size() == 1 && !material.behaviours.of[group.members.front()].only_start) {
    if (auto steps = find_dispatching(material, group.members.front(), warnings)) {
      twin.program.start = std::move(*steps);
      twin.starts_requests = true;
      return;
    }
  }
  std::vector<TokenRun> starts;
  bool any_start = false, any_handler = false;
  for (const std::uint32_t p : group.members) {
    const auto& activities = material.behaviours.of[p].activities;
    const Activity& start = activities.front();
    starts.push_back(tokens_of(material, p, start, false));
    any_start =
        any_start || !starts.back().tokens.empty() || starts.back().tail_cpu_s > 0 || starts.back().tail_slept_s > 0;
    any_handler = any_handler || activities.size() > 1;
  }
  if (any_start) twin.program.start = start_steps(material, group, starts, twin, warnings);
  write_handlers(material, group, context, twin, warnings);
  find_admission(material, group, twin);
  twin.starts_requests = twin.messages > 0 && any_start && !any_handler && !twin.program.start.empty();
}
}  // namespace dpm::twin
