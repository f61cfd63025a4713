#include "twin/programs.hpp"

#include <map>
#include <set>

#include "twin/dispatching.hpp"
#include "twin/start.hpp"

namespace dpm::twin {
namespace {

constexpr double kAgree = 0.98;

// A process that takes requests only while fewer than so many are unanswered: it waits for fewer groups then.
void find_admission(const Material& material, const Group& group, TwinGroup& twin) {
  const std::uint32_t p = group.members.front();
  if (group.members.size() != 1) return;
  const auto& ops = material.recording.lives[p].ops;
  const Conduct& conduct = material.conducts.of[p];
  std::set<std::uint32_t> from;
  for (const Activity& activity : conduct.activities)
    if (activity.trigger != kNone && ops[activity.trigger].peer != kNone)
      from.insert(material.groups.of[ops[activity.trigger].peer]);
  for (const std::uint32_t limited : from) {
    std::uint64_t taken = 0, full = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> by_taken;  // open receives: all, without `limited`
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const bool concerns = ops[i].peer != kNone && material.groups.of[ops[i].peer] == limited;
      if (ops[i].kind == OpKind::receive && !conduct.waits[i]) {
        const auto waited = groups_waited_for(material.recording, material.groups, p, ops[i]);
        auto& [all, without] = by_taken[taken];
        ++all;
        if (!waited.empty() && waited.count(limited) == 0) ++without, ++full;
      }
      if (concerns && ops[i].kind == OpKind::receive && !conduct.waits[i]) ++taken;
      if (concerns && ops[i].kind == OpKind::send && taken > 0) --taken;
    }
    if (full == 0) continue;
    std::uint64_t limit = 0, agreeing = 0, all_receives = 0;
    for (const auto& [number, counts] : by_taken)
      if (limit == 0 && counts.second * 2 > counts.first) limit = number;
    for (const auto& [number, counts] : by_taken) {
      all_receives += counts.first;
      agreeing += number >= limit ? counts.second : counts.first - counts.second;
    }
    if (limit == 0 || static_cast<double>(agreeing) < kAgree * static_cast<double>(all_receives)) continue;
    twin.program.admits_from = material.groups.all[limited].name;
    twin.program.admits_at_most = limit;
    return;
  }
}

}  // namespace

void make_program(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                  std::vector<std::string>& warnings) {
  if (group.members.size() == 1 && !material.conducts.of[group.members.front()].only_start) {
    if (auto steps = find_dispatching(material, group.members.front(), warnings)) {
      twin.program.start = std::move(*steps);
      twin.starts_requests = true;
      return;
    }
  }
  std::vector<TokenRun> starts;
  bool any_start = false, any_handler = false;
  for (const std::uint32_t p : group.members) {
    const auto& activities = material.conducts.of[p].activities;
    const Activity& start = activities.front();
    starts.push_back(tokens_of(material, p, start.begin, start.end, start.tail_cpu_ns, false));
    any_start = any_start || !starts.back().tokens.empty() || starts.back().tail_cpu_s > 0;
    any_handler = any_handler || activities.size() > 1;
  }
  if (any_start) twin.program.start = start_steps(material, group, starts, twin, warnings);
  write_handlers(material, group, context, twin, warnings);
  find_admission(material, group, twin);
  twin.starts_requests = twin.messages > 0 && any_start && !any_handler && !twin.program.start.empty();
}
}  // namespace dpm::twin
