#include "answers/results/matching_results.hpp"

#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

struct FateWords {
  const char* text;
  const char* key;
};

// Indexed by Fate.
constexpr std::array<FateWords, kFates> kWords = {{{"matched within a machine", "matched_within"},
                                                   {"matched between machines", "matched_between"},
                                                   {"other end outside", "outside"},
                                                   {"before its other end was recorded", "before_acquire"},
                                                   {"not received by the end", "not_received"},
                                                   {"lost", "lost"}}};

}  // namespace

std::string matching_text(const Matching& matching, int width) {
  TextTable table({"messages", ">number", ">share"});
  const auto all = static_cast<double>(matching.all());
  for (std::size_t i = 0; i < kFates; ++i) {
    const auto number = static_cast<double>(matching.messages[i]);
    table.add_row({kWords[i].text, std::to_string(matching.messages[i]), all == 0 ? "" : percent(number / all, 2)});
  }
  return table.to_text(width) + "matched, where both ends are metered: " + percent(matching.matched_share(), 2) + "\n";
}

nlohmann::ordered_json matching_json(const Matching& matching) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < kFates; ++i) json[kWords[i].key] = matching.messages[i];
  json["matched_share"] = matching.matched_share();
  return json;
}

}  // namespace dpm::cli
