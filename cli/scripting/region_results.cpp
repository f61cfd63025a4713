#include "cli/scripting/region_results.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;
using Found = RegionCollector::Found;

constexpr int kTimeDigits = 9;

struct Answer {
  std::uint32_t a_process = 0, b_process = 0;
  std::span<const Found> a, b;
  SimultaneousPairs pairs;
};

std::vector<Region> regions_of(std::span<const Found> found) {
  std::vector<Region> regions;
  for (const Found& each : found) regions.push_back(each.region);
  return regions;
}

// Of a definition that is asked about with itself, each pair of processes once.
std::vector<Answer> answers_to(const RegionQuestion& question) {
  std::vector<Answer> answers;
  for (const auto& [a_process, a] : question.regions.regions(question.a)) {
    const std::vector<Region> as = regions_of(a);
    for (const auto& [b_process, b] : question.regions.regions(question.b)) {
      if (question.a == question.b && b_process <= a_process) continue;
      answers.push_back({a_process, b_process, a, b, simultaneous_pairs(as, regions_of(b))});
    }
  }
  return answers;
}

std::string region_text(const RegionQuestion& question, const std::string& name, const Found& found) {
  const auto at = [&](std::int64_t ns) {
    return fixed(static_cast<double>(ns - question.begin_ns) * 1e-9, kTimeDigits);
  };
  const std::string end = found.region.end ? fmt::format("event {} ({})", found.region.end->count, at(found.end_ns))
                                           : std::string("the end");
  return fmt::format("{} of {} from event {} ({}) to {}", printable(name),
                     printable(question.name_of(found.region.process())), found.region.begin.count, at(found.begin_ns),
                     end);
}

std::string cut_text(const RegionQuestion& question, const Region& a, const Region& b) {
  std::string text;
  earliest_cut(a, b).for_each([&](std::uint32_t process, std::uint32_t count) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(question.name_of(process)), count);
  });
  return text;
}

Json region_json(const Found& found) {
  Json json = {{"begin_event", found.region.begin.count}, {"begin_ns", found.begin_ns}};
  json["end_event"] = found.region.end ? Json(found.region.end->count) : Json();
  json["end_ns"] = found.region.end ? Json(found.end_ns) : Json();
  return json;
}

Json pair_json(const Answer& answer, const std::optional<std::pair<std::size_t, std::size_t>>& pair) {
  if (!pair) return Json();
  const Found &a = answer.a[pair->first], &b = answer.b[pair->second];
  Json cut = Json::object();
  earliest_cut(a.region, b.region).for_each([&](std::uint32_t process, std::uint32_t count) {
    cut[std::to_string(process)] = count;
  });
  return {{"a", region_json(a)}, {"b", region_json(b)}, {"earliest_cut", std::move(cut)}};
}

}  // namespace

std::string at_once_text(const RegionQuestion& question) {
  const std::string &a_name = question.script.regions[question.a].name,
                    &b_name = question.script.regions[question.b].name;
  std::string text;
  for (const Answer& answer : answers_to(question)) {
    const std::string pair =
        fmt::format("{} of {} and {} of {}", printable(a_name), printable(question.name_of(answer.a_process)),
                    printable(b_name), printable(question.name_of(answer.b_process)));
    if (!answer.pairs.first_possible) {
      text += fmt::format("{}: never at once, in none of {} pairs\n", pair, answer.pairs.pairs);
      continue;
    }
    text += fmt::format("{}: could have been at once in {} of {} pairs, were certainly in {}\n", pair,
                        answer.pairs.possible, answer.pairs.pairs, answer.pairs.certain);
    const auto& [i, j] = answer.pairs.first_certain ? *answer.pairs.first_certain : *answer.pairs.first_possible;
    text += fmt::format("  first {}: {}\n    {}\n  at once from this cut on (events of each process): {}\n",
                        answer.pairs.first_certain ? "certain" : "possible", region_text(question, a_name, answer.a[i]),
                        region_text(question, b_name, answer.b[j]),
                        cut_text(question, answer.a[i].region, answer.b[j].region));
  }
  if (text.empty())
    text = fmt::format("{} and {}: no two processes have both in this trace\n", printable(a_name), printable(b_name));
  return text;
}

Json at_once_json(const RegionQuestion& question) {
  Json all = Json::array();
  for (const Answer& answer : answers_to(question))
    all.push_back({{"a", question.script.regions[question.a].name},
                   {"a_process", question.name_of(answer.a_process)},
                   {"b", question.script.regions[question.b].name},
                   {"b_process", question.name_of(answer.b_process)},
                   {"pairs", answer.pairs.pairs},
                   {"possible", answer.pairs.possible},
                   {"certain", answer.pairs.certain},
                   {"first_possible", pair_json(answer, answer.pairs.first_possible)},
                   {"first_certain", pair_json(answer, answer.pairs.first_certain)}});
  return all;
}

}  // namespace dpm::cli
