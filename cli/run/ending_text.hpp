// How a run ended, for the user: the reason, and the processes that had not ended.
#pragma once

#include <string>
#include <vector>

namespace dpm::cli {

// "the run ended by deadlock", and a line for each kind of process that had not ended. `blocked` has a sentence for each process
// (SimTruth::blocked). Processes that are alike, but for numbers in names and for their machines, share a line, and there
// are at most kEndingLinesMost lines unless `all` are wanted: the most frequent. A run that reached its limit `at_limit` ended as it should.
inline constexpr std::size_t kEndingLinesMost = 15;
std::string ending_text(const std::string& failure, const std::string& ended_by, bool at_limit,
                        const std::vector<std::string>& blocked, bool all);

}  // namespace dpm::cli
