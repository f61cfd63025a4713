// Names for the program counters of a trace: looked up in the files that its table of modules gives for them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/trace_info.hpp"
#include "trace/symbols/module_symbols.hpp"

namespace dpm {

class CodeLocations {
 public:
  explicit CodeLocations(const TraceInfo& info);

  // `pc` is the address a call returns to, as a meter records it: the location is that of the call. A thread's code is
  // its process's.
  CodeLocation find(ProcessId process, std::uint64_t pc);

 private:
  struct Module {
    std::uint64_t start = 0, end = 0, file_offset = 0;
    std::string path;
  };
  const Module* module_at(ProcessId process, std::uint64_t address) const;
  CodeLocation find_in_file(const std::string& path, std::uint64_t file_offset);

  std::map<ProcessId, std::vector<Module>> modules_;
  std::map<ProcessId, ProcessId> group_of_;
  std::map<std::string, std::unique_ptr<ModuleSymbols>> files_;  // null: cannot be read
  std::map<std::pair<std::string, std::uint64_t>, CodeLocation> found_;
};

}  // namespace dpm
