// Processes of one program that a process waits for in the same way are one row of a divided time, and one cause.
//
// A script that starts a command ten times waits for ten processes, and each for less than the script did something itself; what
// all ten did is the cause. Those that had the CPU meanwhile are one row, too, unless the tree also waits for one of them. A process that waits and one that is waited for stay apart, also if both run one program.
#pragma once

#include "analysis/blame/blame_tree.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

struct BlameGroups {
  BlameTree tree;
  TraceInfo info;  // the first process of each group has the group's name: "sleep x 10"
};

BlameGroups group_blame(const BlameTree& tree, const TraceInfo& info);

}  // namespace dpm::cli
