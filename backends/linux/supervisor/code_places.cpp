#include "backends/linux/supervisor/code_places.hpp"

namespace dpm {

std::uint64_t CodePlaces::place_of(const Notification& notification, TrackedThread& thread) {
  std::uint64_t stack_pointer = 0, pc = notification.pc;
  if (callers_ && thread.files->stack_pointer(stack_pointer))
    pc = callers_->find(thread.metered->pid(), notification.tid, notification.pc, stack_pointer);
  note_code(thread, pc);
  return pc;
}

// Reads the process's map when a program counter lies in no known range.
void CodePlaces::note_code(TrackedThread& thread, std::uint64_t pc) {
  constexpr int kLooksMax = 64;
  if (thread.last_code.holds(pc)) return;
  TrackedProcess& code = *thread.process;
  for (const auto& range : code.known) {
    if (!range.holds(pc)) continue;
    thread.last_code = range;
    return;
  }
  if (code.looks++ >= kLooksMax) return;
  if (const auto region = shared_.kernel.code_region(thread.metered->pid(), pc)) {
    code.known.push_back({region->start, region->end});
    shared_.meter.add_code_module(
        {thread.metered->id(), region->start, region->end, region->file_offset, region->path});
  }
}

}  // namespace dpm
