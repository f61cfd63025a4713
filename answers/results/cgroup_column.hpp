// The column that names the service or container of each process. It is there only if processes began in different ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm::cli {

// That of the process, or of a thread's process; empty: none.
std::string cgroup_of(ProcessId process, const TraceInfo& info);

class CgroupColumn {
 public:
  CgroupColumn(const std::vector<ProcessId>& shown, const TraceInfo& info);

  bool is_shown() const { return names_.size() > 1; }
  // The last part of the cgroup, or all of it if another one ends in the same part.
  const std::string& cell(ProcessId process) const;

 private:
  const TraceInfo& info_;
  std::map<std::string, std::string> names_;  // by cgroup
};

}  // namespace dpm::cli
