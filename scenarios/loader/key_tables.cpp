#include "scenarios/loader/key_tables.hpp"

#include "scenarios/behaviour/program_tables.hpp"
#include "scenarios/behaviour/step_tables.hpp"

namespace dpm {

std::vector<const KeyTable*> KeyTables::all() const {
  const ProgramTables& programs = program_tables();
  const PartTables& parts = part_tables();
  std::vector<const KeyTable*> tables = {&scenario,
                                         &parameter,
                                         &machine,
                                         &clock,
                                         &delays,
                                         &delay_class,
                                         &delay_pair,
                                         &network_link,
                                         &wake_up,
                                         &wake_up_point,
                                         &metering,
                                         &process,
                                         &meter,
                                         &filter,
                                         &fault,
                                         &scheduler,
                                         &spawnable,
                                         &sweep,
                                         &analysis,
                                         &prediction,
                                         &published,
                                         &study,
                                         &programs.program,
                                         &programs.admission,
                                         &programs.distribution,
                                         &programs.normal,
                                         &programs.log_normal,
                                         &programs.pareto,
                                         &parts.handler,
                                         &parts.branch,
                                         &parts.task,
                                         &parts.idle,
                                         &parts.queue};
  for (const StepEntry& entry : step_entries()) tables.push_back(&entry.table);
  return tables;
}

const KeyTables& key_tables() {
  static const KeyTables tables;
  return tables;
}

}  // namespace dpm
