// dpm doctor: whether programs can be metered on this machine, what is missing, and what to do about it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "backends/linux/sources/metering_methods.hpp"
#include "cli/command.hpp"
#include "cli/meter/doctor_results.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "os/startable_tasks.hpp"
#include "sampling/iterator/task_iterator.hpp"

namespace dpm::cli {
namespace {

std::string obstacle_of(const std::string& source) {
  for (const auto& method : metering_methods())
    if (method->name() == source) {
      if (const auto obstacle = method->obstacle()) return fmt::format("{}: {}", obstacle->reason, obstacle->advice);
      return method->trial().value_or("");
    }
  return "this dpm was built without it (clang, bpftool and libbpf-dev were not there)";
}

class DoctorCommand : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string summary() const override { return "Whether programs can be metered here, and what to do if not"; }
  std::string example() const override { return "dpm doctor"; }

  void describe(Options& options) override { options.flag("--json", json_, "Print the same findings as JSON"); }

  int run(Terminal& terminal) override {
    MachineCapabilities machine = probe_capabilities();
    machine.kernel_source_problem = obstacle_of(kEbpf);
    if (const auto iterator = sampling::open_task_iterator(); !iterator)
      machine.iterator_problem = iterator.error().what;
    if (const auto done = need_tasks("the meter", kMeterTasks); !done) machine.tasks_problem = done.error().what;
    if (const auto folder = SocketFolder::own(); !folder) machine.sockets_problem = folder.error().what;
    const Diagnosis diagnosis = diagnose(machine);
    if (json_) {
      print_json(diagnosis_json(diagnosis, machine), terminal);
    } else {
      terminal.out << diagnosis_text(diagnosis, terminal.width);
    }
    return can_meter(diagnosis) ? kDone : kFellShort;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace dpm::cli
