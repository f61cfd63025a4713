// Which processes a name stands for, on a command line or in a file: those called so, each with all its threads.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/nearest_name.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// "true" of "true#17", the 17th process of that name; any other name as it is.
inline std::string_view without_number(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  const bool is_numbered = mark != std::string_view::npos && mark > 0 && mark + 1 < name.size() &&
                           name.find_first_not_of("0123456789", mark + 1) == std::string_view::npos;
  return is_numbered ? name.substr(0, mark) : name;
}

// `is_it` says whether a name is meant: of the process itself, or of the process whose thread it is.
template <typename IsIt>
bool is_called(const TraceInfo& info, ProcessId process, const IsIt& is_it) {
  if (process.value >= info.processes.size()) return false;
  const ProcessInfo& described = info[process];
  return is_it(described.name) || (described.group.value < info.processes.size() && is_it(info[described.group].name));
}

inline bool is_called(const TraceInfo& info, ProcessId process, const std::string& name) {
  return is_called(info, process, [&name](const std::string& other) { return other == name; });
}

// One of them; several processes may have one name. No names: no process.
inline bool is_called_one_of(const TraceInfo& info, ProcessId process, const std::vector<std::string>& names) {
  return is_called(info, process, [&names](const std::string& other) {
    return std::find(names.begin(), names.end(), other) != names.end();
  });
}

// Each of the names has a process. The error names the first one that has not.
inline Result<void> check_process_names(const TraceInfo& info, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const ProcessInfo& process : info.processes) known.push_back(process.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{"no process '" + name + "' in the trace" + did_you_mean(name, known)};
  return {};
}

}  // namespace dpm
