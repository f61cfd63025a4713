#include "sampling/proc/task_table.hpp"

namespace dpm::sampling {

std::vector<std::uint32_t> TaskTable::processes() const {
  std::vector<std::uint32_t> numbers;
  for (const auto& [process, threads] : tasks_) numbers.push_back(process);
  return numbers;
}

std::span<const TaskLook> TaskTable::threads_of(std::uint32_t process) const {
  const auto found = tasks_.find(process);
  return found == tasks_.end() ? std::span<const TaskLook>{} : std::span<const TaskLook>(found->second);
}

}  // namespace dpm::sampling
