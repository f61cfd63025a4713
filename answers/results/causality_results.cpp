#include "answers/results/causality_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "model/counted.hpp"
#include "text/characters.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<CausalPath> most_travelled(std::vector<CausalPath> paths) {
  std::stable_sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return paths;
}

std::string letters_text(const Causality& causality, const TraceInfo& info, const RowLimit& limit, std::size_t width) {
  std::string text;
  std::size_t letters = 0;
  for (std::size_t p = 0; p < causality.letters.size(); ++p)
    if (!causality.letters[p].empty() && ++letters <= limit.rows)
      text += shortened_name(causality.letters[p] + " = " + printable(info.processes[p].name), width) + "\n";
  return text + more_rows_text(letters, limit);
}

std::string name_or_users(ProcessId process, const TraceInfo& info) {
  return process.is_none() ? "users" : info[process].name;
}

}  // namespace

std::string causality_text(const Causality& causality, const TraceInfo& info, std::size_t most, int width, bool all) {
  const RowLimit limit = all ? RowLimit{} : RowLimit{kRowsShown};
  std::string text = letters_text(causality, info, limit, static_cast<std::size_t>(width));
  text += counted(causality.requests, "request") + "\n";
  if (causality.strings.empty()) return text;

  TextTable paths({"path", ">requests", ">share"}, {all ? causality.strings.size() : most, "--most, --all"});
  for (const auto& path : most_travelled(causality.strings))
    paths.add_row(
        {path.path, std::to_string(path.count),
         percent(static_cast<double>(path.count) / static_cast<double>(std::max<std::uint64_t>(causality.requests, 1)),
                 1)});
  text += "\n" + paths.to_text(width) + "\n";

  TextTable branching({"at", "having received from", "next sends to", ">times", ">probability"}, limit);
  std::vector<Branch> branches = causality.branching;
  if (limit.exceeded_by(branches.size()))
    std::stable_sort(branches.begin(), branches.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  for (const auto& b : branches)
    branching.add_row({info[b.at].name, name_or_users(b.from, info), name_or_users(b.to, info), std::to_string(b.count),
                       fixed(b.probability, 3)});
  text += branching.to_text(width);
  if (causality.strings_cut > 0)
    text += "\n" + std::to_string(causality.strings_cut) +
            " paths were longer than the limit; their beginnings are shown\n";
  return text;
}

nlohmann::ordered_json causality_json(const Causality& causality, const TraceInfo& info, const Ledger& ledger) {
  Json letters = Json::object();
  for (std::size_t p = 0; p < causality.letters.size(); ++p)
    if (!causality.letters[p].empty()) letters[info.processes[p].name] = causality.letters[p];
  const auto list = [](const std::vector<CausalPath>& paths) {
    Json array = Json::array();
    for (const auto& path : paths) array.push_back({{"path", path.path}, {"count", path.count}});
    return array;
  };
  Json branching = Json::array();
  for (const auto& b : causality.branching)
    branching.push_back({{"at", info[b.at].name},
                         {"from", name_or_users(b.from, info)},
                         {"to", name_or_users(b.to, info)},
                         {"count", b.count},
                         {"probability", b.probability}});
  Json states = Json::array();
  for (const auto& s : causality.states)
    states.push_back({{"from", name_or_users(s.from, info)},
                      {"to", name_or_users(s.to, info)},
                      {"count", s.count},
                      {"probability", s.probability}});
  return {{"letters", std::move(letters)},
          {"requests", causality.requests},
          {"paths", list(causality.paths)},
          {"strings", list(causality.strings)},
          {"branching", std::move(branching)},
          {"states", std::move(states)},
          {"strings_cut", causality.strings_cut},
          {"strings_not_stored", causality.strings_not_stored},
          {"paths_not_stored", causality.paths_not_stored},
          {"messages_outside_requests", causality.messages_outside_requests},
          {"warnings", causality.warnings},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
