#include "scenarios/native/manager_requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/nearest_name.hpp"

namespace dpm::native {
namespace {

std::size_t words_needed(ProcessRequest request) {
  if (request == ProcessRequest::create) return 3;
  return request == ProcessRequest::migrate || request == ProcessRequest::set_flags ? 2 : 1;
}

Result<void> check_start(const Managed& process, const std::string& name) {
  if (process.life != Life::created) return Error{fmt::format("process '{}' has been started already", name)};
  return {};
}

Result<void> check_stop(const Managed& process, const std::string& name) {
  if (process.life == Life::created) return Error{fmt::format("process '{}' has not been started", name)};
  if (process.is_stopped) return Error{fmt::format("process '{}' is stopped already", name)};
  return {};
}

Result<void> check_resume(const Managed& process, const std::string& name) {
  if (!process.is_stopped) return Error{fmt::format("process '{}' is not stopped", name)};
  return {};
}

}  // namespace

ManagerRequests::ManagerRequests(const Scenario& scenario, const std::vector<Managed>& processes)
    : scenario_(scenario), processes_(processes) {
  for (std::uint32_t i = 0; i < scenario.processes.size(); ++i) number_of_.emplace(scenario.processes[i].name, i);
}

Result<ManagerRequest> ManagerRequests::read(std::uint32_t code, std::span<const std::byte> body) const {
  constexpr auto kLast = static_cast<std::uint32_t>(ProcessRequest::set_flags);
  if (code == 0 || code > kLast) return Error{fmt::format("the process manager knows no request {}", code)};
  ManagerRequest request{static_cast<ProcessRequest>(code)};
  const auto words = decode_words(body);
  if (words.size() != words_needed(request.what))
    return Error{fmt::format("the process manager expects {} words in this request, not {}", words_needed(request.what),
                             words.size())};
  const std::string& name = words[0];
  if (request.what == ProcessRequest::create && number_of_.count(name) == 0)
    return Error{
        fmt::format("a native run creates only processes that the scenario describes, and '{}' is not one", name)};
  const auto number = process_named(name);
  if (!number) return number.error();
  request.process = *number;
  const Managed& process = processes_[*number];

  Result<void> fits;
  switch (request.what) {
    case ProcessRequest::create:
      fits = check_create(process, name, words[1]);
      break;
    case ProcessRequest::migrate:
      request.machine = words[1];
      fits = check_migration(process, name, words[1]);
      break;
    case ProcessRequest::start:
      fits = check_start(process, name);
      break;
    case ProcessRequest::stop:
      fits = check_stop(process, name);
      break;
    case ProcessRequest::resume:
      fits = check_resume(process, name);
      break;
    case ProcessRequest::destroy:
      break;
    case ProcessRequest::set_flags:
      if (const auto flags = apply_flags(MeterFlags{}, words[1]); !flags) fits = flags.error();
      break;
  }
  if (request.what != ProcessRequest::create && process.life == Life::awaited)
    return Error{fmt::format("process '{}' has not been created", name)};
  if (request.what != ProcessRequest::create && process.is_gone())
    return Error{fmt::format("process '{}' has ended", name)};
  if (!fits) return fits.error();
  return request;
}

Result<std::uint32_t> ManagerRequests::process_named(const std::string& name) const {
  const auto found = number_of_.find(name);
  if (found != number_of_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& process : scenario_.processes) names.push_back(process.name);
  return Error{fmt::format("no process '{}'{}", name, did_you_mean(name, names))};
}

Result<void> ManagerRequests::check_create(const Managed& process, const std::string& name,
                                           const std::string& program) const {
  if (process.life != Life::awaited || !program.empty())
    return Error{fmt::format("there is a process '{}' already", name)};
  return {};
}

Result<void> ManagerRequests::check_migration(const Managed& process, const std::string& name,
                                              const std::string& machine) const {
  const auto is_it = [&](const MachineDescription& each) { return each.name == machine; };
  if (std::none_of(scenario_.machines.begin(), scenario_.machines.end(), is_it)) {
    std::vector<std::string> names;
    for (const auto& each : scenario_.machines) names.push_back(each.name);
    return Error{fmt::format("no machine '{}'{}", machine, did_you_mean(machine, names))};
  }
  if (process.life != Life::running) return Error{fmt::format("process '{}' has not been started", name)};
  if (process.machine == machine) return Error{fmt::format("process '{}' is on machine '{}' already", name, machine)};
  return {};
}

}  // namespace dpm::native
