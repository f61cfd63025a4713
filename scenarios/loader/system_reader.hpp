// Reads the system part of a scenario file: machines, programs, processes, meter, filters, placements, faults.
#pragma once

#include <filesystem>
#include <string>

#include "scenarios/behaviour/name_groups.hpp"
#include "scenarios/behaviour/program_reader.hpp"
#include "scenarios/loader/wiring.hpp"
#include "scenarios/scenario_file.hpp"
#include "scenarios/system_template.hpp"

namespace dpm {

// Where the files and programs that a scenario names are looked for.
struct Surroundings {
  std::filesystem::path folder;
  std::string home;  // the folder's name: its own programs come first
  const ProgramRegistry& programs;
};

class SystemReader {
 public:
  SystemReader(ObjectReader& root, const Reading& reading, const Surroundings& around);

  // Reads everything into take() and filters(), and checks that `placement`, a name or "", puts every process on a machine.
  // False: a count was refused. The names of its group are missing then, and what uses them is not read, because errors
  // in it would only follow from that.
  bool read(const std::string& placement);

  SystemTemplate take() { return std::move(system_); }
  const std::vector<FilterFiles>& filters() const { return filters_; }
  const NameGroups& process_names() const { return process_names_; }

 private:
  void read_machines();
  std::optional<std::uint64_t> read_members(const JsonNode* count);
  MachineDescription read_machine(ObjectReader& machine);
  void read_process_names();
  void read_semaphores();
  void read_processes();
  void read_process(ObjectReader& object, ProcessEntry& entry);
  void read_links(const JsonNode& links, std::size_t process, const Reading& reading);
  void read_program(ObjectReader& object, ProcessEntry& entry);
  void read_in_file_program(const JsonNode& program, const JsonNode* parameters, ProcessEntry& entry);
  Environment member_environment(const ProcessEntry& entry, std::size_t member) const;
  Program make_registered(const std::string& name, const JsonNode& at, const JsonNode* parameters,
                          const Reading& reading);
  void read_meter();
  void read_filters();
  void read_placements();
  void check_machines(const std::string& placement);
  void read_scheduler();
  void read_spawnable();

  ObjectReader& root_;
  const Reading& reading_;
  const Surroundings& around_;
  SystemTemplate system_;
  Scenario& scenario_ = system_.scenario;
  std::vector<FilterFiles> filters_;
  NameGroups machine_names_{"machine"};
  NameGroups process_names_{"process"};
  ProcessEntries processes_;
  Wiring wiring_;
  std::set<std::string> used_programs_;
  MeterFlags default_flags_ = MeterFlags::all();
  Kinds kinds_;
  bool is_count_refused_ = false;
};

}  // namespace dpm
