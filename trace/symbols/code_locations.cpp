#include "trace/symbols/code_locations.hpp"

namespace dpm {

CodeLocations::CodeLocations(const TraceInfo& info) {
  for (const auto& module : info.modules)
    modules_[module.process].push_back({module.start, module.end, module.file_offset, module.path});
  for (std::uint32_t i = 0; i < info.processes.size(); ++i)
    if (!info.processes[i].group.is_none()) group_of_[ProcessId{i}] = info.processes[i].group;
}

const CodeLocations::Module* CodeLocations::module_at(ProcessId process, std::uint64_t address) const {
  const auto of_process = modules_.find(process);
  if (of_process == modules_.end()) return nullptr;
  // A module that was loaded last covers what may have been there before.
  const auto& loaded = of_process->second;
  for (auto module = loaded.rbegin(); module != loaded.rend(); ++module)
    if (address >= module->start && address < module->end) return &*module;
  return nullptr;
}

CodeLocation CodeLocations::find_in_file(const std::string& path, std::uint64_t file_offset) {
  const auto known = found_.find({path, file_offset});
  if (known != found_.end()) return known->second;
  if (!files_.contains(path)) files_[path] = ModuleSymbols::open(path);
  CodeLocation location;
  if (const auto& file = files_[path]) location = file->find(file_offset);
  location.module = path;
  location.module_offset = file_offset;
  return found_[{path, file_offset}] = location;
}

CodeLocation CodeLocations::find(ProcessId process, std::uint64_t pc) {
  const std::uint64_t call = pc == 0 ? 0 : pc - 1;  // the call's last byte
  const Module* module = module_at(process, call);
  const auto group = group_of_.find(process);
  if (module == nullptr && group != group_of_.end()) module = module_at(group->second, call);
  if (module == nullptr) return CodeLocation{.module_offset = pc};
  return find_in_file(module->path, call - module->start + module->file_offset);
}

}  // namespace dpm
