#include "cli/validate/history.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "scenarios/document/json_node.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHistoryBytesMax = 256 << 20;

// Throws nlohmann's exceptions where a member is missing or of another type.
HistoryEntry entry_of(const Json& json) {
  HistoryEntry entry{json.at("commit"), json.at("machine"), json.at("quick"), {}, json.at("verdicts")};
  for (const auto& [claim, figures] : json.at("figures").items()) entry.figures[claim] = figures.get<Figures>();
  return entry;
}

}  // namespace

Result<std::vector<HistoryEntry>> read_history(const std::string& path) {
  std::vector<HistoryEntry> entries;
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return entries;
  const auto text = read_text_file(path, kHistoryBytesMax);
  if (!text) return text.error();
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    try {
      entries.push_back(entry_of(Json::parse(line)));
    } catch (const Json::exception&) {
      return Error{path + ":" + std::to_string(number) + ": not a line of 'dpm validate --history'"};
    }
  }
  return entries;
}

HistoryEntry history_entry(const std::string& commit, const std::string& machine, bool is_quick,
                           const std::vector<Judgement>& judgements) {
  HistoryEntry entry{commit, machine, is_quick, {}, {}};
  for (const auto& judgement : judgements) {
    entry.verdicts[judgement.claim.name] = name_of(judgement.verdict);
    for (const auto& figure : judgement.figures)
      if (figure.obtained) entry.figures[judgement.claim.name][figure.figure.name] = *figure.obtained;
  }
  return entry;
}

Result<void> append_history(const std::string& path, const HistoryEntry& entry) {
  const Json json = {{"commit", entry.commit},
                     {"machine", entry.machine},
                     {"quick", entry.is_quick},
                     {"figures", entry.figures},
                     {"verdicts", entry.verdicts}};
  const std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return append_to_file(path, std::as_bytes(std::span(line)));
}

}  // namespace dpm::cli
