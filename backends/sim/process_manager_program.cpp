#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "backends/sim/system_programs.hpp"
#include "backends/sim/system_server.hpp"
#include "model/nearest_name.hpp"
#include "model/process_manager.hpp"

namespace dpm::sim {
namespace {

class ProcessManager {
 public:
  ProcessManager(Simulation& simulation, ProcessCalls& calls)
      : simulation_(simulation), privileged_(calls), calls_(calls) {}

  [[noreturn]] void serve() {
    serve_requests(calls_, [this](const Message& request) { return answer(request); });
  }

 private:
  Answer answer(const Message& request) {
    const auto words = decode_words(request.data);
    Process* requester = simulation_.names().process(request.sender);
    if (requester == nullptr) return Error{"the process manager serves processes of the scenario only"};
    const auto kind = static_cast<ProcessRequest>(request.code);
    const std::size_t words_needed = kind == ProcessRequest::create                                         ? 3
                                     : kind == ProcessRequest::migrate || kind == ProcessRequest::set_flags ? 2
                                                                                                            : 1;
    if (words.size() != words_needed)
      return Error{
          fmt::format("the process manager expects {} words in this request, not {}", words_needed, words.size())};
    Process* process = simulation_.population().find_process(words[0]);
    const bool is_awaited = process != nullptr && process->is_awaited;
    if (kind == ProcessRequest::create && is_awaited && words[1].empty()) return create_awaited(*process, *requester);
    if (kind == ProcessRequest::create) return create(words[0], words[1], words[2], *requester);
    if (is_awaited) return Error{fmt::format("process '{}' has not been created", words[0])};
    if (process == nullptr)
      return Error{
          fmt::format("no process '{}'{}", words[0], did_you_mean(words[0], simulation_.population().process_names()))};
    if (process->is_gone()) return Error{fmt::format("process '{}' has ended", words[0])};
    switch (kind) {
      case ProcessRequest::start:
        return ask(KernelRequest::start, *process, {}, *requester);
      case ProcessRequest::stop:
        return ask(KernelRequest::stop, *process, {}, *requester);
      case ProcessRequest::resume:
        return ask(KernelRequest::resume, *process, {}, *requester);
      case ProcessRequest::destroy:
        return ask(KernelRequest::destroy, *process, {}, *requester);
      case ProcessRequest::set_flags:
        return set_flags(*process, words[1], *requester);
      case ProcessRequest::migrate:
        return migrate(*process, words[1], *requester);
      case ProcessRequest::create:
        break;
    }
    return Error{"the process manager knows no request " + std::to_string(request.code)};
  }

  // Thesis 4.3.2, steps 1 to 4. Filter and flags are inherited from the requester.
  Answer create(const std::string& name, const std::string& program, const std::string& machine_name,
                Process& requester) {
    if (name.empty()) return Error{"a process needs a name"};
    if (simulation_.population().find_process(name) != nullptr)
      return Error{fmt::format("there is a process '{}' already", name)};
    std::vector<std::string> programs;
    for (const auto& spawnable : simulation_.scenario().programs) programs.push_back(spawnable.name);
    if (std::find(programs.begin(), programs.end(), program) == programs.end())
      return Error{fmt::format("no program '{}' that processes can be created with{}", program,
                               did_you_mean(program, programs))};
    auto machine = machine_named(machine_name);
    if (!machine) return machine.error();

    const Process& inherited = requester;
    const std::string& filter = simulation_.names().info().filters[inherited.filter];
    const MeterFlags flags = inherited.flags;
    Answer link = ask(KernelRequest::create, **machine, name, {program}, requester);
    if (!link) return link;
    Process& process = *simulation_.population().find_process(name);
    for (const Answer& step : {ask(KernelRequest::give_standard_links, process, {}, requester),
                               ask(KernelRequest::set_meter_link, process, {filter}, requester),
                               ask(KernelRequest::set_flags, process, {to_string(flags)}, requester)})
      if (!step) return step;
    return link;
  }

  // Of the scenario: filter and flags are described there.
  Answer create_awaited(Process& process, Process& requester) {
    if (!process.machine->on) return Error{fmt::format("machine '{}' is off", process.machine->name)};
    Answer link = ask(KernelRequest::create, process, {process.program_name}, requester);
    if (!link) return link;
    if (Answer given = ask(KernelRequest::give_standard_links, process, {}, requester); !given) return given;
    return link;
  }

  Answer set_flags(Process& process, const std::string& list, Process& requester) {
    const auto flags = apply_flags(process.flags, list);
    if (!flags) return flags.error();
    return ask(KernelRequest::set_flags, process, {to_string(*flags)}, requester);
  }

  Answer migrate(Process& process, const std::string& machine_name, Process& requester) {
    auto machine = machine_named(machine_name);
    if (!machine) return machine.error();
    if (process.life != Life::alive) return Error{fmt::format("process '{}' has not been started", process.name)};
    if (process.machine == *machine)
      return Error{fmt::format("process '{}' is on machine '{}' already", process.name, machine_name)};
    if (Answer frozen = ask(KernelRequest::freeze, process, {}, requester); !frozen) return frozen;
    if (Answer moved = ask(KernelRequest::transfer, process, {machine_name}, requester); !moved) return moved;
    return ask(KernelRequest::thaw, **machine, process.name, {}, requester);
  }

  Result<Machine*> machine_named(const std::string& name) {
    Machine* machine = simulation_.population().find_machine(name);
    if (machine == nullptr) {
      std::vector<std::string> names;
      for (const Machine& each : simulation_.population().machines()) names.push_back(each.name);
      return Error{fmt::format("no machine '{}'{}", name, did_you_mean(name, names))};
    }
    if (!machine->on) return Error{fmt::format("machine '{}' is off", name)};
    return machine;
  }

  Answer ask(KernelRequest what, Process& process, std::initializer_list<std::string> words, Process& requester) {
    return ask(what, *process.machine, process.name, words, requester);
  }

  Answer ask(KernelRequest what, Machine& machine, const std::string& process, std::initializer_list<std::string> words,
             Process& requester) {
    if (!machine.on) return Error{fmt::format("machine '{}' is off", machine.name)};
    OutgoingMessage request;
    request.code = static_cast<std::uint32_t>(what);
    request.data = encode_words({process});
    for (const auto& word : words) {
      const auto encoded = encode_words({word});
      request.data.insert(request.data.end(), encoded.begin(), encoded.end());
    }
    const auto encoded = encode_words({requester.name});
    request.data.insert(request.data.end(), encoded.begin(), encoded.end());
    const Message answer = calls_.call(privileged_.link_to_process(*machine.kernel), std::move(request));
    if (answer.code == 0) return answer.passed;
    const auto reasons = decode_words(answer.data);
    return Error{reasons.empty() ? "refused" : reasons.front()};
  }

  Simulation& simulation_;
  ProcessCalls& privileged_;
  MessageCalls& calls_;
};

}  // namespace

void process_manager_program(Simulation& simulation, ProcessCalls& calls) { ProcessManager(simulation, calls).serve(); }

}  // namespace dpm::sim
