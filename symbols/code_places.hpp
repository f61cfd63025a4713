// Names for the program counters of a trace: what its table of modules says lay there, looked up in those files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/trace_info.hpp"
#include "symbols/module_symbols.hpp"

namespace dpm {

class CodePlaces {
 public:
  explicit CodePlaces(const TraceInfo& info);

  // `pc` is the address a call returns to, as a meter records it: the place is that of the call. A thread's code is its
  // process's.
  Place find(ProcessId process, std::uint64_t pc);

 private:
  struct Module {
    std::uint64_t start = 0, end = 0, file_offset = 0;
    std::string path;
  };
  const Module* module_at(ProcessId process, std::uint64_t address) const;
  Place find_in_file(const std::string& path, std::uint64_t file_offset);

  std::map<ProcessId, std::vector<Module>> modules_;
  std::map<ProcessId, ProcessId> group_of_;
  std::map<std::string, std::unique_ptr<ModuleSymbols>> files_;  // null: cannot be read
  std::map<std::pair<std::string, std::uint64_t>, Place> found_;
};

}  // namespace dpm
