#include "scenarios/native/process_manager.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/native/pinning.hpp"

namespace dpm::native {

ProcessManager::ProcessManager(const Scenario& scenario, const std::map<std::string, int>& cores, Children& children)
    : scenario_(scenario), cores_(cores), children_(children), requests_(scenario, processes_) {
  for (const auto& process : scenario.processes) {
    processes_.push_back({process.created_later ? Life::awaited : Life::running, false, process.machine});
    if (!process.service && !process.created_later) ++not_ended_;
  }
}

void ProcessManager::has_ended(std::uint32_t process, Life how) {
  processes_[process].life = how;
  if (!scenario_.processes[process].service) --not_ended_;
}

void ProcessManager::serve(ManagerSocket& socket, const Start& start) {
  while (const auto frame = socket.next_request()) {
    const auto request = requests_.read(frame->header.code, frame->data);
    const Answer answer = request ? carry_out(*request, frame->header.sender, start) : Answer(request.error());
    socket.answer(frame->header, answer);
  }
}

ProcessManager::Answer ProcessManager::carry_out(const ManagerRequest& request, std::uint32_t requester,
                                                 const Start& start) {
  Managed& process = processes_[request.process];
  switch (request.what) {
    case ProcessRequest::create:
      return create(request.process);
    case ProcessRequest::start:
      if (auto started = start(request.process); !started) return started.error();
      process.life = Life::running;
      break;
    case ProcessRequest::stop:
      children_.stop(request.process);
      process.is_stopped = true;
      break;
    case ProcessRequest::resume:
      children_.resume(request.process);
      process.is_stopped = false;
      break;
    case ProcessRequest::destroy:
      children_.end(request.process);
      process.destroyed_by = scenario_.processes.at(requester).name;
      has_ended(request.process, Life::destroyed);
      break;
    case ProcessRequest::migrate:
      return migrate(request.process, request.machine);
    case ProcessRequest::set_flags:
      break;
  }
  return std::optional<Link>{};
}

// The link leads to the channel that a created process has after those of the scenario's links (NativeCalls::wire).
ProcessManager::Answer ProcessManager::create(std::uint32_t process) {
  const ProcessDescription& description = scenario_.processes[process];
  processes_[process].life = Life::created;
  if (!description.service) ++not_ended_;
  std::uint32_t channel = 0;
  for (const auto& other : scenario_.processes)
    channel += static_cast<std::uint32_t>(std::count(other.links.begin(), other.links.end(), description.name));
  return std::optional(Link{process, channel, 0, std::nullopt});
}

ProcessManager::Answer ProcessManager::migrate(std::uint32_t process, const std::string& machine) {
  if (!cores_.empty()) {
    const auto core = cores_.find(machine);
    if (core == cores_.end())
      return Error{
          fmt::format("there is no core left for machine '{}': run it without --pin, or with fewer machines", machine)};
    if (auto moved = stay_on_core(core->second, children_.pid(process)); !moved) return moved.error();
  }
  processes_[process].machine = machine;
  return std::optional<Link>{};
}

}  // namespace dpm::native
