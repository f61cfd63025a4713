#include "control/controller/filter_removal.hpp"

#include <fmt/format.h>

#include <utility>

#include "control/controller/deliveries.hpp"
#include "control/controller/listed.hpp"

namespace dpm::control {

std::string unfetched_text(const FilterRecord& filter) {
  if (filter.log.empty() || filter.fetched == FilterRecord::Fetched::whole) return "";
  const std::string where = fmt::format("on {} in {}", filter.machine, filter.log);
  if (filter.fetched == FilterRecord::Fetched::no)
    return fmt::format("the log of filter '{}' was not fetched: it stays {}", filter.name, where);
  return fmt::format("the log of filter '{}' was fetched before the filter ended: the part written since is {}",
                     filter.name, where);
}

// A machine that answers reports what became of its filters. Returns why it does not answer.
std::string FilterRemoval::try_to_reach(const FilterRecord& filter) {
  if (!filter.is_unreachable) return "";
  const auto answer = machines_.ask({{filter.machine, ListManaged{}}}).at(0);
  reports_.catch_up();
  return answer ? "" : answer.error().what;
}

Outcome FilterRemoval::end(const std::string& name) {
  const auto found = computation_.filter(name);
  if (!found) return console_.fail("endfilter: " + found.error().what);
  FilterRecord& filter = **found;
  (void)try_to_reach(filter);
  if (!filter.ended.empty()) return console_.fail(fmt::format("filter '{}' has ended: {}", name, filter.ended));
  if (const auto active = computation_.active_processes_of(filter); !active.empty())
    return console_.fail(fmt::format("filter '{}' was not ended: {} still {} to it", name, listed(active),
                                     active.size() == 1 ? "reports" : "report"));
  auto finished = expect<FilterFinished>(machines_.ask({{filter.machine, EndFilter{filter.pid}}}).at(0));
  if (!finished) return console_.fail(fmt::format("filter '{}' was not ended: {}", name, finished.error().what));
  filter.ended = finished->reason.empty() ? "unknown" : finished->reason;
  console_.say(fmt::format("  DONE: filter '{}' on {} terminated: reason: {}", name, filter.machine, filter.ended));
  if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
  return Outcome::done;
}

// The record of a filter that has ended can be removed even if its machine does not answer.
std::string FilterRemoval::how_removed(const FilterRecord& filter) {
  if (filter.is_unreachable) {
    computation_.give_up(filter.machine, filter.pid);
    return fmt::format("filter '{}' given up: what becomes of it on {} is not known here", filter.name, filter.machine);
  }
  if (filter.is_unadopted() || filter.is_forgotten) return fmt::format("filter '{}' removed", filter.name);
  const auto released = expect<Done>(machines_.ask({{filter.machine, Release{filter.pid}}}).at(0));
  return fmt::format("filter '{}' removed{}", filter.name,
                     released ? "" : fmt::format(" here; on {}: {}", filter.machine, released.error().what));
}

Outcome FilterRemoval::remove(const std::string& name) {
  const auto found = computation_.filter(name);
  if (!found) return console_.fail("removefilter: " + found.error().what);
  FilterRecord& filter = **found;
  const std::string why_unreachable = try_to_reach(filter);
  if (filter.ended.empty() && !filter.is_unreachable)
    return console_.fail(fmt::format("filter '{}' was not removed: 'endfilter {}' comes first", name, name));
  for (const auto& job : computation_.jobs())
    if (job.filter == name)
      return console_.fail(fmt::format("filter '{}' was not removed: job '{}' uses it; 'removejob {}' comes first",
                                       name, job.name, job.name));
  if (filter.is_unreachable && !std::exchange(filter.may_be_given_up, true))
    return console_.fail(
        fmt::format("filter '{}' was not removed: its machine {} is unreachable ({}); 'removefilter {}' again gives it "
                    "up",
                    name, filter.machine, why_unreachable, name));
  console_.say(how_removed(filter));
  if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
  if (const auto unfetched = unfetched_text(filter); !unfetched.empty()) console_.say(unfetched);
  computation_.remove_filter(filter);
  return Outcome::done;
}

}  // namespace dpm::control
