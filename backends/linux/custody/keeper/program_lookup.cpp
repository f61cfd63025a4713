#include "backends/linux/custody/keeper/program_lookup.hpp"

#include <sstream>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {

bool has_process(const KeptProgram& program, std::uint32_t pid) {
  if (program.meter_pid == 0) return false;
  const auto answer = ask_meter(program, "processes");
  if (!answer) return false;
  std::istringstream numbers(*answer);
  for (std::uint32_t number = 0; numbers >> number;)
    if (number == pid) return true;
  return false;
}

Result<KeptProgram> look_up_program(std::uint32_t pid) {
  if (auto program = find_kept_program(pid)) return *std::move(program);
  const bool is_there = read_status(pid).has_value();
  for (const auto& program : all_kept_programs()) {
    if (program.meter_pid == pid || (program.pid == pid && !is_there)) return program;
    if (is_there && has_process(program, pid)) return program;
  }
  return not_kept(pid);
}

}  // namespace dpm
