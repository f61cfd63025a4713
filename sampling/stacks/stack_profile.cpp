#include "sampling/stacks/stack_profile.hpp"

#include <algorithm>

namespace dpm::sampling {
namespace {

// kernel.perf_event_max_stack, as kernels have it by default.
constexpr std::size_t kFramesMost = 127;

template <typename Thing>
std::uint32_t number_of(const Thing& thing, std::vector<Thing>& things, std::map<Thing, std::uint32_t>& numbers) {
  const auto [found, is_new] = numbers.try_emplace(thing, static_cast<std::uint32_t>(things.size()));
  if (is_new) things.push_back(thing);
  return found->second;
}

}  // namespace

void StackProfile::add(const StackRecord& record) {
  switch (record.kind) {
    case StackRecord::Kind::stack:
      return count(record);
    case StackRecord::Kind::mapping:
      return map(processes_[record.pid], record);
    case StackRecord::Kind::name: {
      Process& process = processes_[record.pid];
      if (record.is_exec) process.mappings.clear();
      if (record.is_exec || record.pid == record.tid) process.name = record.text;
      return;
    }
    case StackRecord::Kind::began:
      return begin(record);
    case StackRecord::Kind::ended:
      return end(record);
    case StackRecord::Kind::lost:
      losses_.lost_records += record.lost;
      if (record.lost == 0) ++losses_.full_rings;
      return;
    case StackRecord::Kind::throttled:
      ++losses_.throttled;
      return;
  }
}

void StackProfile::begin(const StackRecord& record) {
  const auto parent = processes_.find(record.parent_pid);
  if (record.pid != record.parent_pid && record.pid == record.tid && parent != processes_.end()) {
    Process child = parent->second;
    child.threads = 0;
    processes_[record.pid] = std::move(child);
  }
  ++processes_[record.pid].threads;
}

void StackProfile::end(const StackRecord& record) {
  const auto process = processes_.find(record.pid);
  if (process != processes_.end() && (process->second.threads <= 1 || --process->second.threads == 0))
    processes_.erase(process);
}

// A new mapping takes the place of what was there.
void StackProfile::map(Process& process, const StackRecord& record) {
  if (record.start >= record.end) return;
  auto& mappings = process.mappings;
  auto at = mappings.upper_bound(record.start);
  if (at != mappings.begin() && std::prev(at)->second.end > record.start) --at;
  while (at != mappings.end() && at->first < record.end) {
    const auto [start, old] = *at;
    at = mappings.erase(at);
    if (start < record.start) {
      mappings[start] = old;
      mappings[start].end = record.start;
    }
    if (old.end > record.end) mappings[record.end] = {old.end, old.file_offset + (record.end - start), old.file};
  }
  mappings[record.start] = {record.end, record.file_offset, {record.text, record.inode}};
}

void StackProfile::count(const StackRecord& record) {
  if (record.stack.empty()) return;
  if (record.stack.size() >= kFramesMost) ++losses_.cut;
  const auto known = processes_.find(record.pid);
  static const Process kUnknown = {.name = "[unknown]", .mappings = {}, .threads = 0};
  const Process& process = known == processes_.end() ? kUnknown : known->second;
  Stack stack{number_of(process.name.empty() ? kUnknown.name : process.name, programs_, program_numbers_), {}};
  // The first address is an instruction; the others are where calls return to, which may be the next function's first.
  for (std::size_t i = 0; i < record.stack.size(); ++i)
    stack.places.push_back(place_of(process, record.stack[i] - (i > 0 && record.stack[i] > 0 ? 1 : 0)));
  ++counts_[std::move(stack)];
}

CodePlace StackProfile::place_of(const Process& process, std::uint64_t address) {
  const auto after = process.mappings.upper_bound(address);
  if (after == process.mappings.begin()) return {CodePlace::kNoFile, address};
  const auto& [start, mapping] = *std::prev(after);
  // A '/' begins the path of a file, a '[' what the kernel maps; what has no file is "//anon".
  const std::string& path = mapping.file.path;
  if (address >= mapping.end || path.empty() || path.starts_with("//")) return {CodePlace::kNoFile, address};
  return {number_of(mapping.file, files_, file_numbers_), address - start + mapping.file_offset};
}

}  // namespace dpm::sampling
