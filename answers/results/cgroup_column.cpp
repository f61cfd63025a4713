#include "answers/results/cgroup_column.hpp"

namespace dpm::cli {
namespace {

std::string last_part(const std::string& cgroup) { return cgroup.substr(cgroup.rfind('/') + 1); }

const std::string kNoCgroup = "-";

}  // namespace

std::string cgroup_of(ProcessId process, const TraceInfo& info) {
  if (process.value >= info.processes.size()) return "";
  const ProcessInfo& own = info[process];
  if (!own.cgroup.empty() || own.group.value >= info.processes.size()) return own.cgroup;
  return info[own.group].cgroup;
}

CgroupColumn::CgroupColumn(const std::vector<ProcessId>& shown, const TraceInfo& info) : info_(info) {
  std::map<std::string, int> ends;
  for (const auto process : shown) {
    if (process.value >= info.processes.size() || info[process].pid == 0) continue;  // not metered
    const std::string cgroup = cgroup_of(process, info);
    if (names_.try_emplace(cgroup).second) ++ends[last_part(cgroup)];
  }
  for (auto& [cgroup, name] : names_) {
    const std::string end = last_part(cgroup);
    name = cgroup.empty() ? kNoCgroup : ends[end] > 1 ? cgroup : end;
  }
}

const std::string& CgroupColumn::cell(ProcessId process) const {
  if (process.value >= info_.processes.size() || info_[process].pid == 0) return kNoCgroup;
  const auto found = names_.find(cgroup_of(process, info_));
  return found == names_.end() ? kNoCgroup : found->second;
}

}  // namespace dpm::cli
