#include <fmt/format.h>

#include "backends/sim/system_programs.hpp"
#include "backends/sim/system_server.hpp"
#include "model/process_manager.hpp"

namespace dpm::sim {
namespace {

class Kernel {
 public:
  Kernel(Simulation& simulation, ProcessCalls& calls, Machine& machine)
      : simulation_(simulation), privileged_(calls), calls_(calls), machine_(machine) {}

  [[noreturn]] void serve() {
    serve_requests(calls_, [this](const Message& request) { return answer(request); });
  }

 private:
  Answer answer(const Message& request) {
    // A message between system processes has no sender; a process of the scenario always has an id.
    if (simulation_.names().process(request.sender) != nullptr && !simulation_.names().process(request.sender)->system)
      return Error{"a kernel obeys the process manager only: ask that"};
    const auto words = decode_words(request.data);
    const auto kind = static_cast<KernelRequest>(request.code);
    if (kind == KernelRequest::state_part) return std::optional<LinkIndex>{};
    Process& requester = *simulation_.population().find_process(words.back());
    if (kind == KernelRequest::create) return create(words[0], words[1], requester);
    Process& process = *simulation_.population().find_process(words[0]);
    if (process.is_gone()) return Error{fmt::format("process '{}' has ended", process.name)};
    switch (kind) {
      case KernelRequest::give_standard_links:
        simulation_.population().give_standard_links(process);
        break;
      case KernelRequest::set_meter_link:
        process.filter = filter_index(simulation_.names().info(), words[1]);
        break;
      case KernelRequest::set_flags:
        process.flags = apply_flags(MeterFlags{}, words[1] == "none" ? "" : words[1]).value();
        break;
      case KernelRequest::start:
        return start(process, requester);
      case KernelRequest::stop:
        return stop(process, requester);
      case KernelRequest::resume:
        return resume(process, requester);
      case KernelRequest::destroy:
        destroy(process, requester);
        break;
      case KernelRequest::freeze:
        record(process, EventType::stop_process, requester, event_flags::kMigration);
        simulation_.scheduler().stop(process, stop_reason::kMigration);
        break;
      case KernelRequest::transfer:
        transfer(process, *simulation_.population().find_machine(words[1]));
        break;
      case KernelRequest::thaw:
        thaw(process, requester);
        break;
      case KernelRequest::create:
      case KernelRequest::state_part:
        break;
    }
    return std::optional<LinkIndex>{};
  }

  Answer create(const std::string& name, const std::string& program_name, Process& requester) {
    if (Process* described = simulation_.population().find_process(name)) {
      simulation_.population().create_awaited(*described);
      record(requester, EventType::create_process, *described, 0);
      return std::optional(privileged_.insert_link({&simulation_.population().create_channel(*described)}));
    }
    for (const auto& spawnable : simulation_.scenario().programs) {
      if (spawnable.name != program_name) continue;
      Process& process = simulation_.population().create_process(name, program_name, spawnable.program, machine_);
      process.in_computation = spawnable.in_computation;
      process.filter = requester.filter;
      simulation_.names().id_of(process);
      record(requester, EventType::create_process, process, 0);
      return std::optional(privileged_.insert_link({&simulation_.population().create_channel(process)}));
    }
    return Error{fmt::format("no program '{}'", program_name)};
  }

  Answer start(Process& process, Process& requester) {
    if (process.life != Life::created) return Error{fmt::format("process '{}' has been started already", process.name)};
    simulation_.scheduler().start(process, &requester);
    return std::optional<LinkIndex>{};
  }

  Answer stop(Process& process, Process& requester) {
    if (process.life == Life::created) return Error{fmt::format("process '{}' has not been started", process.name)};
    if ((process.stopped & stop_reason::kRequest) != 0)
      return Error{fmt::format("process '{}' is stopped already", process.name)};
    record(process, EventType::stop_process, requester, 0);
    simulation_.scheduler().stop(process, stop_reason::kRequest);
    return std::optional<LinkIndex>{};
  }

  Answer resume(Process& process, Process& requester) {
    if ((process.stopped & stop_reason::kRequest) == 0)
      return Error{fmt::format("process '{}' is not stopped", process.name)};
    record(process, EventType::start_process, requester, 0);
    simulation_.scheduler().unstop(process, stop_reason::kRequest);
    return std::optional<LinkIndex>{};
  }

  void destroy(Process& process, Process& requester) {
    constexpr std::uint32_t kDestroyed = 1;  // its exit code: anything but 0
    record(process, EventType::destroy_process, requester, 0, kDestroyed);
    simulation_.meter().flush(process);
    process.destroyed_by = requester.name;
    simulation_.scheduler().destroy(process, Life::destroyed);
  }

  // Its address space, its state and the messages waiting for it travel to the other kernel, which confirms the last
  // part.
  void transfer(Process& process, Machine& to) {
    std::uint64_t left = simulation_.scenario().migration_state_bytes + process.address_space.size();
    for (const Packet* packet : process.queue.waiting) left += packet->length_bytes;
    const std::uint64_t part = std::max<std::uint64_t>(simulation_.scenario().move_data_message_bytes, 1);
    OutgoingMessage message;
    message.code = static_cast<std::uint32_t>(KernelRequest::state_part);
    const LinkIndex kernel = privileged_.link_to_process(*to.kernel);
    for (; left > part; left -= part) {
      message.length_bytes = static_cast<std::uint32_t>(part);
      calls_.send_message(kernel, message);
    }
    message.length_bytes = static_cast<std::uint32_t>(left);
    calls_.call(kernel, message);
    // Its events from here must reach its filter before its events from there.
    simulation_.meter().flush(process);
    MeterPath& path_here = machine_.meter_paths[process.filter];
    MeterPath& path_there = to.meter_paths[process.filter];
    path_there.last_arrival = std::max(path_there.last_arrival, path_here.last_arrival);
    simulation_.scheduler().move(process, to);
  }

  void thaw(Process& process, Process& requester) {
    record(process, EventType::start_process, requester, event_flags::kMigration);
    simulation_.scheduler().unstop(process, stop_reason::kMigration);
  }

  void record(Process& process, EventType type, Process& peer, std::uint16_t flags, std::uint32_t code = 0) {
    if (!process.flags.has(type)) return;
    Event event;
    event.type = type;
    event.peer = simulation_.names().id_of(peer);
    event.flags = flags;
    event.code = code;
    simulation_.meter().record(process, event);
  }

  Simulation& simulation_;
  ProcessCalls& privileged_;
  MessageCalls& calls_;
  Machine& machine_;
};

}  // namespace

void kernel_program(Simulation& simulation, ProcessCalls& calls) { Kernel(simulation, calls, calls.machine()).serve(); }

}  // namespace dpm::sim
