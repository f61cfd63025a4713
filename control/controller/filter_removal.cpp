#include "control/controller/filter_removal.hpp"

#include <fmt/format.h>

#include "control/controller/deliveries.hpp"
#include "control/controller/listed.hpp"

namespace dpm::control {

std::string unfetched_text(const FilterRecord& filter) {
  if (filter.log.empty() || filter.fetched == FilterRecord::Fetched::whole) return "";
  const std::string where = fmt::format("on {} in {}", filter.machine, filter.log);
  if (filter.fetched == FilterRecord::Fetched::no)
    return fmt::format("the log of filter '{}' was not fetched: it stays {}", filter.name, where);
  return fmt::format("the log of filter '{}' was fetched before the filter ended: what it has written since is {}",
                     filter.name, where);
}

Outcome FilterRemoval::end(const std::string& name) {
  const auto found = computation_.filter(name);
  if (!found) return console_.fail("endfilter: " + found.error().what);
  FilterRecord& filter = **found;
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

Outcome FilterRemoval::remove(const std::string& name) {
  const auto found = computation_.filter(name);
  if (!found) return console_.fail("removefilter: " + found.error().what);
  const FilterRecord& filter = **found;
  if (filter.ended.empty())
    return console_.fail(fmt::format("filter '{}' was not removed: 'endfilter {}' comes first", name, name));
  for (const auto& job : computation_.jobs())
    if (job.filter == name)
      return console_.fail(fmt::format("filter '{}' was not removed: job '{}' uses it; 'removejob {}' comes first",
                                       name, job.name, job.name));
  if (!filter.is_unadopted()) {
    auto released = expect<Done>(machines_.ask({{filter.machine, Release{filter.pid}}}).at(0));
    if (!released) return console_.fail(fmt::format("filter '{}' was not removed: {}", name, released.error().what));
  }
  console_.say(fmt::format("filter '{}' removed", name));
  if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
  if (const auto unfetched = unfetched_text(filter); !unfetched.empty()) console_.say(unfetched);
  computation_.remove_filter(filter);
  return Outcome::done;
}

}  // namespace dpm::control
