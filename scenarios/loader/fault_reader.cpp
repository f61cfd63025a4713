#include "scenarios/loader/fault_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "scenarios/loader/key_tables.hpp"

namespace dpm {
namespace {

class FaultReader {
 public:
  FaultReader(const NameGroups& machines, const NameGroups& processes, const Reading& reading)
      : machines_(machines), processes_(processes), reading_(reading) {}

  void read(const JsonNode& item) {
    ObjectReader object(item, key_tables().fault, reading_);
    Fault fault;
    if (object.need("at_s") != nullptr) fault.at = Duration::from_seconds(object.number("at_s", 0, kTime));
    static const std::vector<std::string> kKinds = {"machine_off", "machine_on", "link_down",    "link_up",
                                                    "process_off", "process_on", "machine_speed"};
    object.need("kind");
    const std::string kind = object.word("kind", "machine_off", kKinds);
    fault.kind = static_cast<FaultKind>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin());
    const Subjects subjects{object.find("machine"), object.find("machines"), object.find("process")};
    fault.restart = object.flag("restart", false);
    if ((kind == "machine_speed") != object.has("speed"))
      reading_.problem(item, "a 'machine_speed' needs a 'speed', and other faults have none");
    fault.speed = object.number("speed", 1, kSpeed);
    if (fault.restart && kind != "machine_on")
      reading_.problem(item, "'restart' belongs to 'machine_on'; 'process_on' is a restart anyway");
    const bool of_process = kind == "process_off" || kind == "process_on";
    if (of_process != (subjects.process != nullptr) ||
        (of_process && (subjects.machine != nullptr || subjects.machines != nullptr))) {
      reading_.problem(item, of_process ? fmt::format("a '{}' needs one 'process', and nothing else", kind)
                                        : "'process' belongs to 'process_off' and 'process_on'");
    } else if (of_process) {
      add_of_processes(*subjects.process, fault);
    } else {
      add_of_machines(item, kind, subjects, fault);
    }
  }

  std::vector<Fault> take() { return std::move(faults_); }

 private:
  struct Subjects {
    const JsonNode *machine, *machines, *process;
  };

  void add_of_processes(const JsonNode& process, Fault fault) {
    for (const auto& name : processes_.expand(reading_, process, "'process'")) {
      fault.process = name;
      faults_.push_back(fault);
    }
  }

  void add_of_machines(const JsonNode& item, const std::string& kind, const Subjects& subjects, Fault fault) {
    const bool of_link = kind == "link_down" || kind == "link_up";
    const JsonNode* given = of_link ? subjects.machines : subjects.machine;
    if (given == nullptr || (subjects.machine != nullptr && subjects.machines != nullptr)) {
      reading_.problem(item,
                       fmt::format("a '{}' needs {}", kind, (of_link ? "'machines', two of them" : "one 'machine'")));
      return;
    }
    const auto names = machines_.expand(reading_, *given, of_link ? "'machines'" : "'machine'");
    if (names.size() != (of_link ? 2 : 1) || (of_link && names[0] == names[1])) {
      reading_.problem(*given, of_link ? "'machines' must be two different machines" : "'machine' must be one machine");
      return;
    }
    fault.machine = names[0];
    if (of_link) fault.other_machine = names[1];
    faults_.push_back(std::move(fault));
  }

  const NameGroups& machines_;
  const NameGroups& processes_;
  const Reading& reading_;
  std::vector<Fault> faults_;
};

}  // namespace

std::vector<Fault> read_faults(const JsonNode* faults, const NameGroups& machines, const NameGroups& processes,
                               const Reading& reading) {
  FaultReader reader(machines, processes, reading);
  if (faults != nullptr && reading.expect(*faults, JsonKind::list, "'faults'"))
    for (const auto& item : faults->items) reader.read(item);
  return reader.take();
}

}  // namespace dpm
