// Shows many processes in few rows: in tables and the report, processes of the same kind are one row. JSON has each process.
//
//     true, true#2 ... true#5000                    true x 5000
//     client_1 ... client_1780, of one program      client x 1780
//     outside 10.0.0.9:40001, outside 10.0.0.9:...  clients of 10.0.0.1:80 x 300
//     outside pipe 15:231949, outside pipe 15:...   outside pipes x 12
//
// Processes of one program are one row for each machine, or one row if that would still be many rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/queues/queues.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// More processes of one program than this are one row; otherwise each has its own row.
inline constexpr std::size_t kProcessesAlone = 12;
// With more rows than this, processes of one program are one row on whatever machines, if there are two or more.
inline constexpr std::size_t kRowsByMachine = 24;

// Returns `info` with ProcessInfo::group set to the first process of each group, which gets the group's name; sum_threads()
// sums by it. Two or more peers outside that use one service are a group.
TraceInfo group_processes(const TraceInfo& info, std::size_t alone = kProcessesAlone);

// By process: what processes of one kind share, on one machine; a thread is of a kind with those of processes of its kind. Empty: it is
// of no kind with others.
std::vector<std::string> process_kinds(const TraceInfo& info);
// "sleep"; "threads of server".
std::string kind_name(const std::string& kind);

// The process that stands for the group of this one; itself if it is in none.
ProcessId row_of(ProcessId process, const TraceInfo& grouped);

// By process number: how many processes its row stands for, and where they are ("node_1", "200 machines").
struct GroupExtent {
  std::size_t processes = 1;
  std::string place;
};
std::vector<GroupExtent> group_extents(const TraceInfo& grouped);
bool is_grouped(const std::vector<GroupExtent>& extents);

// One row for each group. Lengths are means over the members, and maxima of any of them.
Queues group_queues(Queues queues, const TraceInfo& grouped);
// Sums over the members, the largest first.
CriticalPath group_path(CriticalPath path, const TraceInfo& grouped);
// As if each group were one process: members of a group have one letter.
Causality group_causality(Causality causality, const TraceInfo& grouped);

}  // namespace dpm::cli
