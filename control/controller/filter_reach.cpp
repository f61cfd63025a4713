#include "control/controller/filter_reach.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/transport/frames/meter_scope.hpp"

namespace dpm::control {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1" || host == "localhost"; }

Result<FilterAddress> reachable_address(const std::string& machine, const FilterRecord& filter,
                                        const Machines& machines) {
  FilterAddress address = filter.address;
  auto& hosts = address.hosts;
  if (address.through_controller) return address;
  if (machines.is_here(machine) && machines.is_here(filter.machine)) {
    // Works also when no network is up, or another one than when the filter was created.
    if (std::find(hosts.begin(), hosts.end(), kLoopback) == hosts.end()) hosts.emplace(hosts.begin(), kLoopback);
    return address;
  }
  if (machine == filter.machine || !std::all_of(hosts.begin(), hosts.end(), is_loopback)) return address;
  return Error{
      fmt::format("filter '{}' on {} has no address that {} can reach: create a filter elsewhere, such as "
                  "'filter <filtername> {}', and a job that reports to it",
                  filter.name, filter.machine, machine, machine)};
}

}  // namespace

Result<FilterAddress> address_for(const std::string& machine, const std::string& job, const FilterRecord& filter,
                                  const Machines& machines) {
  auto address = reachable_address(machine, filter, machines);
  if (!address) return address;
  const auto own_name = machines.own_name(machine);
  if (!own_name) return own_name.error();
  return address_for_scope(*std::move(address), {*own_name, job});
}

}  // namespace dpm::control
