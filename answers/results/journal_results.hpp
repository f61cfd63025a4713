// A scheduler's journal, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scheduling/decisions/journal.hpp"

namespace dpm::cli {

std::string moves_text(const std::vector<JournalMove>& moves);  // "-" for none
std::string gain_text(const GainRange& range);                  // "+35.2 % (+32.5 % to +38.0 %)"
std::string journal_text(const std::vector<JournalEntry>& journal, int width);
nlohmann::ordered_json journal_json(const std::vector<JournalEntry>& journal);

}  // namespace dpm::cli
