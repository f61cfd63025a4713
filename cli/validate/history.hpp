// What claims obtained at earlier commits: a file of one JSON object a line, which `dpm validate --history` appends to and a CI keeps.
//
//   {"commit": "1f3a", "machine": "AMD EPYC, 2 cores, Linux 6.1", "quick": false, "figures": {"shop": {"mean_error": 0.8}},
//    "verdicts": {"shop": "holds"}}
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/validate/judgement.hpp"

namespace dpm::cli {

struct HistoryEntry {
  std::string commit, machine;
  bool is_quick = false;
  std::map<std::string, Figures> figures;       // by claim; a claim that was not measured is missing
  std::map<std::string, std::string> verdicts;  // by claim
};

// A file that is not there yet has no entries. A line that is not an entry is an error with its number.
Result<std::vector<HistoryEntry>> read_history(const std::string& path);
HistoryEntry history_entry(const std::string& commit, const std::string& machine, bool is_quick,
                           const std::vector<Judgement>& judgements);
Result<void> append_history(const std::string& path, const HistoryEntry& entry);

}  // namespace dpm::cli
