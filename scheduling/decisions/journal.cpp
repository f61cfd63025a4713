#include "scheduling/decisions/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dpm {
namespace {

constexpr std::array<std::string_view, 10> kOutcomes = {
    "nothing", "incomplete", "open", "kept", "undone", "failed", "ended", "oscillating", "proposed", "machine lost"};
constexpr std::size_t kFields = 9;

std::string without_tabs(std::string text) {
  for (char& c : text)
    if (c == '\t' || c == '\n' || c == '|') c = ' ';
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename Number>
bool read(std::string_view text, Number& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

bool read_rate(std::string_view text, double& rate) { return read(text, rate) && std::isfinite(rate); }

bool read_gains(std::string_view text, std::optional<GainRange>& gains) {
  if (text.empty()) return true;
  const auto parts = split(text, '|');
  gains.emplace();
  return parts.size() == 3 && read_rate(parts[0], gains->expected) && read_rate(parts[1], gains->low) &&
         read_rate(parts[2], gains->high);
}

}  // namespace

std::string_view name_of(DecisionOutcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

std::string encode_entry(const JournalEntry& entry) {
  std::string moves;
  for (const auto& move : entry.moves)
    moves += fmt::format("{}{}|{}|{}", moves.empty() ? "" : "|", without_tabs(move.process), without_tabs(move.from),
                         without_tabs(move.to));
  std::string gains;
  if (entry.predicted)
    gains = fmt::format("{}|{}|{}", entry.predicted->expected, entry.predicted->low, entry.predicted->high);
  return fmt::format("decision\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", entry.number, entry.at.ns, entry.rate_before, moves,
                     gains, entry.rate_after ? fmt::format("{}", *entry.rate_after) : "", name_of(entry.outcome),
                     without_tabs(entry.reason));
}

Result<JournalEntry> decode_entry(std::string_view line) {
  const Error bad{"this is not a line of a scheduler's journal"};
  const auto fields = split(line, '\t');
  if (fields.size() != kFields || fields[0] != "decision") return bad;
  JournalEntry entry;
  if (!read(fields[1], entry.number) || !read(fields[2], entry.at.ns) || !read_rate(fields[3], entry.rate_before))
    return bad;
  if (!fields[4].empty()) {
    const auto words = split(fields[4], '|');
    if (words.size() % 3 != 0) return bad;
    for (std::size_t i = 0; i < words.size(); i += 3)
      entry.moves.push_back({std::string(words[i]), std::string(words[i + 1]), std::string(words[i + 2])});
  }
  if (!read_gains(fields[5], entry.predicted)) return bad;
  if (!fields[6].empty() && !read_rate(fields[6], entry.rate_after.emplace())) return bad;
  const auto outcome = std::find(kOutcomes.begin(), kOutcomes.end(), fields[7]);
  if (outcome == kOutcomes.end()) return bad;
  entry.outcome = static_cast<DecisionOutcome>(outcome - kOutcomes.begin());
  entry.reason = fields[8];
  return entry;
}

}  // namespace dpm
