// The parts and causes of dpm blame in words, for the terminal and for the report.
#pragma once

#include <string>

#include "analysis/blame/blame_causes.hpp"
#include "analysis/blame/blame_tree.hpp"
#include "model/trace_info.hpp"

namespace dpm::view {

// "run-queue wait"
const char* part_text(BlamePart part);
// "waits for server"; "waits for the end of child"
std::string wait_text(const BlameNode& node, const TraceInfo& info);
// "while backup had the CPU"
std::string rival_text(const BlameRival& rival, const TraceInfo& info);
// "server: run-queue wait"
std::string cause_text(const BlameCause& cause, const TraceInfo& info);
// The longest cause as a sentence: "34.0 % of request 3 of client waits for database; for 60.0 % of that time, database waited in
// the run queue, 98.0 % of it while backup had the CPU". Empty if nothing was divided.
std::string sentence(const BlameNode& root, const std::string& what, const TraceInfo& info);

// "Estimated from 512 samples, which cover 40.0 % of the time; in brackets ..."
std::string estimate_text(const BlameTree& tree);

std::string process_text(ProcessId process, const TraceInfo& info);

}  // namespace dpm::view
