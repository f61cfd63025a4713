#include "answers/sampling/count_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sampling/counts/measures.hpp"
#include "sampling/trace/trace_sampler.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using sampling::Component;
using sampling::CountArray;
using sampling::LevelCounts;

constexpr std::size_t kPairsShown = 6, kEvidenceShown = 5;
constexpr double kCountBarLength = 24;

double of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string range_text(const Share& share) {
  return fmt::format("{:.1f} to {:.1f} %", share.low * 100, share.high * 100);
}
std::string bar(double share) {
  return std::string(static_cast<std::size_t>(std::lround(share * kCountBarLength)), '#');
}

std::string resource_name(sampling::Resource resource) {
  std::string name(sampling::name_of(resource));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string set_name(const std::vector<sampling::Resource>& set) {
  std::string name;
  for (const auto resource : set) name += (name.empty() ? "" : " and ") + resource_name(resource);
  return name;
}

std::string heading_text(const CountArray& counts, const LevelCounts& total) {
  const auto& setup = counts.setup();
  const auto& account = counts.account();
  const double threads = of(total.threads(), total.samples);
  std::string text = fmt::format("{}: {} samples of {} threads on average, every {:g} s, from {}\n",
                                 printable(setup.selection), total.samples, fixed(threads, 1),
                                 static_cast<double>(setup.interval_ns) / 1e9, printable(setup.source));
  if (account.elapsed_ns > 0)
    text += fmt::format("{} late, {} missed; delay {} on average, {} at most; the sampler used {} of a CPU\n",
                        account.late, account.missed, seconds_text(of(account.delay_sum_ns, total.samples) * 1e-9),
                        seconds_text(static_cast<double>(account.delay_most_ns) * 1e-9),
                        percent(of(account.cpu_ns, account.elapsed_ns), 2));
  if (total.watched_ns > 0)
    text += fmt::format(
        "{}, threads ran {} of their time and queued {}\n",
        setup.source == sampling::kTraceSource ? "by the times of the trace" : "by the scheduler's counters",
        percent(of(total.ran_ns, total.watched_ns), 2), percent(of(total.waited_ns, total.watched_ns), 2));
  return text;
}

std::string evidence_text(const CountArray& counts, const LevelCounts& total) {
  std::string text = fmt::format("not recognised: {} of {} samples of threads ({})\n", total.unrecognised,
                                 total.threads(), percent(of(total.unrecognised, total.threads()), 2));
  std::vector<std::pair<std::string, std::uint64_t>> kinds(counts.unrecognised().begin(), counts.unrecognised().end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t i = 0; i < std::min(kinds.size(), kEvidenceShown); ++i)
    text += fmt::format("  {} times: {}\n", kinds[i].second, printable(kinds[i].first));
  if (counts.account().unreadable > 0)
    text += fmt::format("{} times a process of another user was left out\n", counts.account().unreadable);
  return text;
}

// Which components are shown, and in which order: the user's groups as they are, states by how often they were found.
std::vector<std::size_t> by_count(const std::vector<Component>& parts, const CountQuestion& question) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (question.grouped || parts[i].count > 0) shown.push_back(i);
  if (!question.grouped)
    std::stable_sort(shown.begin(), shown.end(),
                     [&](std::size_t a, std::size_t b) { return parts[a].count > parts[b].count; });
  return shown;
}

std::string components_table(const sampling::StateCounts& counts, const CountQuestion& question, int width) {
  TextTable table({"state", ">share", ">95 % interval", ">samples", ""});
  const auto parts = sampling::components(counts, question.groups);
  for (const std::size_t i : by_count(parts, question))
    table.add_row({printable(parts[i].name), percent(parts[i].share.value, 1), range_text(parts[i].share),
                   std::to_string(parts[i].count), bar(parts[i].share.value)});
  return table.to_text(width);
}

// The foreground beside the background, where there are both.
std::string parts_table(const LevelCounts& counts, const CountQuestion& question, int width) {
  if (counts.foreground.threads() == 0 || counts.background.threads() == 0) return "";
  TextTable table({"state", ">foreground", ">95 % interval", ">background", ">95 % interval"});
  const auto all = sampling::components(counts, question.groups);
  auto front = sampling::components(counts.foreground, question.groups);
  auto back = sampling::components(counts.background, question.groups);
  for (auto* parts : {&front, &back})
    if (parts->size() < all.size()) parts->push_back({all.back().name, mean_share(0, counts.samples), 0});
  for (const std::size_t i : by_count(all, question))
    table.add_row({printable(all[i].name), percent(front[i].share.value, 1), range_text(front[i].share),
                   percent(back[i].share.value, 1), range_text(back[i].share)});
  return "\n" + table.to_text(width);
}

std::string resources_table(const sampling::WordCounts& words, int width) {
  TextTable table(
      {"resource", ">run on", ">95 % interval", ">queued for", ">95 % interval", ">bottleneck", ">95 % interval"});
  for (const auto& use : sampling::resource_uses(words))
    table.add_row({resource_name(use.resource), percent(use.utilisation.value, 1), range_text(use.utilisation),
                   percent(use.queueing.value, 1), range_text(use.queueing), percent(use.bottleneck.value, 1),
                   range_text(use.bottleneck)});
  return table.to_text(width);
}

std::string overlap_table(const sampling::WordCounts& words, const CountQuestion& question, int width) {
  TextTable table({"run on at once", ">share", ">95 % interval"}, RowLimit{kPairsShown});
  for (const auto& set : question.overlaps) {
    const Share share = sampling::overlap(words, set);
    table.add_row({set_name(set), percent(share.value, 1), range_text(share)});
  }
  if (question.overlaps.empty())
    for (const auto& pair : sampling::overlapping_pairs(words))
      table.add_row({set_name({pair.one, pair.other}), percent(pair.share.value, 1), range_text(pair.share)});
  return table.empty() ? "" : "\n" + table.to_text(width);
}

// Figures 6.1 to 6.4 of S4: how the components change with the workload.
std::string levels_table(const CountArray::Levels& levels, const CountQuestion& question, int width) {
  std::vector<std::string> headings = {fmt::format("{}", sampling::name_of(question.workload)), ">samples"};
  std::vector<std::size_t> shown;
  sampling::StateCounts total;
  for (const auto& [level, counts] : levels) total.add(counts.of(question.scope));
  const auto all = sampling::components(total, question.groups);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].count == 0 && !question.grouped) continue;
    shown.push_back(i);
    headings.push_back(">" + printable(all[i].name));
  }
  TextTable table(headings);
  for (const auto& [level, of_level] : levels) {
    const auto& counts = of_level.of(question.scope);
    std::vector<std::string> row = {std::to_string(level), std::to_string(counts.samples)};
    auto parts = sampling::components(counts, question.groups);
    if (parts.size() < all.size()) parts.push_back({all.back().name, share_of(0, counts.samples), 0});
    for (const std::size_t i : shown) {
      const double half = (parts[i].share.high - parts[i].share.low) / 2;
      row.push_back(counts.threads() == 0 ? ""
                                          : fmt::format("{:.1f} ± {:.1f} %", parts[i].share.value * 100, half * 100));
    }
    table.add_row(std::move(row));
  }
  return table.to_text(width);
}

nlohmann::ordered_json share_json(const Share& share) {
  return {{"share", share.value}, {"low", share.low}, {"high", share.high}, {"samples", share.samples}};
}

nlohmann::ordered_json parts_json(const sampling::StateCounts& counts, const CountQuestion& question) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& part : sampling::components(counts, question.groups)) {
    if (part.count == 0 && !question.grouped) continue;
    nlohmann::ordered_json entry = {{"component", part.name}, {"count", part.count}};
    entry.update(share_json(part.share));
    list.push_back(std::move(entry));
  }
  return list;
}

nlohmann::ordered_json words_json(const sampling::WordCounts& words, const CountQuestion& question) {
  auto resources = nlohmann::ordered_json::array(), overlaps = nlohmann::ordered_json::array();
  for (const auto& use : sampling::resource_uses(words))
    resources.push_back({{"resource", sampling::name_of(use.resource)},
                         {"utilisation", share_json(use.utilisation)},
                         {"queueing", share_json(use.queueing)},
                         {"bottleneck", share_json(use.bottleneck)}});
  const auto add = [&](const std::vector<sampling::Resource>& set, const Share& share) {
    auto names = nlohmann::ordered_json::array();
    for (const auto resource : set) names.push_back(sampling::name_of(resource));
    nlohmann::ordered_json entry = {{"resources", std::move(names)}};
    entry.update(share_json(share));
    overlaps.push_back(std::move(entry));
  };
  for (const auto& set : question.overlaps) add(set, sampling::overlap(words, set));
  if (question.overlaps.empty())
    for (const auto& pair : sampling::overlapping_pairs(words)) add({pair.one, pair.other}, pair.share);
  return {{"resources", std::move(resources)}, {"overlaps", std::move(overlaps)}};
}

}  // namespace

std::string summary_text(const CountArray& counts, int width) {
  const LevelCounts total = counts.total();
  CountQuestion question{.groups = sampling::single_states()};
  const auto& words = total.words[static_cast<std::size_t>(sampling::Scope::system)];
  return heading_text(counts, total) + evidence_text(counts, total) + "\n" + components_table(total, question, width) +
         parts_table(total, question, width) + "\n" + resources_table(words, width);
}

std::string components_text(const CountArray& counts, const CountQuestion& question, int width) {
  const LevelCounts total = counts.total();
  const auto& words = total.words[static_cast<std::size_t>(question.scope)];
  std::string text = heading_text(counts, total) + evidence_text(counts, total);
  text += question.scope == sampling::Scope::system
              ? "\n"
              : fmt::format("\nthreads of {}:\n", sampling::name_of(question.scope));
  text += components_table(total.of(question.scope), question, width);
  if (&total.of(question.scope) == &total) text += parts_table(total, question, width);
  const auto& levels = counts.levels(question.workload);
  if (levels.size() > 1) text += "\n" + levels_table(levels, question, width);
  text += fmt::format("\nof {}:\n", sampling::name_of(question.scope)) + resources_table(words, width);
  return text + overlap_table(words, question, width);
}

nlohmann::ordered_json components_json(const CountArray& counts, const CountQuestion& question) {
  const LevelCounts total = counts.total();
  const auto& setup = counts.setup();
  const auto& account = counts.account();
  nlohmann::ordered_json json = {
      {"source", setup.source},
      {"selection", setup.selection},
      {"machine", setup.machine},
      {"cores", setup.cores},
      {"kernel", setup.kernel},
      {"interval_s", static_cast<double>(setup.interval_ns) / 1e9},
      {"samples", total.samples},
      {"threads_mean", of(total.threads(), total.samples)},
      {"late", account.late},
      {"missed", account.missed},
      {"delay_mean_s", of(account.delay_sum_ns, total.samples) * 1e-9},
      {"delay_max_s", static_cast<double>(account.delay_most_ns) * 1e-9},
      {"sampler_cpu_share", of(account.cpu_ns, account.elapsed_ns)},
      {"unreadable", account.unreadable},
      {"exact",
       {{"ran_s", static_cast<double>(total.ran_ns) / 1e9},
        {"queued_s", static_cast<double>(total.waited_ns) / 1e9},
        {"watched_s", static_cast<double>(total.watched_ns) / 1e9}}},
      {"unrecognised", {{"count", total.unrecognised}, {"share", of(total.unrecognised, total.threads())}}},
      {"components", parts_json(total.of(question.scope), question)}};
  json["unrecognised"]["evidence"] = counts.unrecognised();
  auto levels = nlohmann::ordered_json::array();
  for (const auto& [level, of_level] : counts.levels(question.workload))
    levels.push_back({{"level", level},
                      {"samples", of_level.of(question.scope).samples},
                      {"components", parts_json(of_level.of(question.scope), question)}});
  json["workload"] = sampling::name_of(question.workload);
  json["levels"] = std::move(levels);
  json["of"] = sampling::name_of(question.scope);
  json.update(words_json(total.words[static_cast<std::size_t>(question.scope)], question));
  return json;
}

std::string components_csv(const CountArray& counts, const CountQuestion& question) {
  std::string text = fmt::format("{},samples,component,share,low,high,count\n", sampling::name_of(question.workload));
  for (const auto& [level, of_level] : counts.levels(question.workload)) {
    for (const auto& part : sampling::components(of_level.of(question.scope), question.groups)) {
      if (part.count == 0 && !question.grouped) continue;
      std::string name = part.name;
      if (name.find_first_of(",\"\n") != std::string::npos) {
        for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
        name = '"' + name + '"';
      }
      text += fmt::format("{},{},{},{:.6f},{:.6f},{:.6f},{}\n", level, of_level.of(question.scope).samples, name,
                          part.share.value, part.share.low, part.share.high, part.count);
    }
  }
  return text;
}

std::string states_text(int width) {
  TextTable table({"state", "resource", "", "meaning", "in MON"});
  for (const auto& state : sampling::all_states())
    table.add_row({std::string(state.name), std::string(sampling::name_of(state.resource)),
                   state.part == sampling::Part::running ? "runs" : "queues", std::string(state.label),
                   std::string(state.of_mon)});
  return table.to_text(width);
}

}  // namespace dpm::cli
