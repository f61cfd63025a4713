#include "tests/conventions/plain_english.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace dpm {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {".cpp", ".hpp", ".md", ".py", ".case", ".sh", ".cmake", ".in"};

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char letter) { return lower(letter); });
  return result;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

bool has_words(std::string_view line, std::string_view words) {
  for (auto at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
    const auto end = at + words.size();
    if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]))) return true;
  }
  return false;
}

bool is_rejected(const std::string& line, const std::string& lower_line, const RejectedPhrase& row) {
  const bool has_case = lower(row.phrase) != row.phrase;
  if (!has_words(has_case ? line : lower_line, row.phrase)) return false;
  return std::none_of(row.right_with.begin(), row.right_with.end(), [&](const auto& part) {
    return (lower(part) != part ? line : lower_line).find(part) != std::string::npos;
  });
}

}  // namespace

std::vector<RejectedPhrase> read_rejected_phrases(std::string_view text) {
  std::vector<RejectedPhrase> rows;
  for (const auto& line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const auto cells = split(line, '|');
    RejectedPhrase row{cells[0], cells.size() > 1 ? cells[1] : "", {}};
    if (cells.size() > 2) row.right_with = split(cells[2], ',');
    std::erase(row.right_with, "");
    rows.push_back(std::move(row));
  }
  return rows;
}

Complaints rejected_phrases(std::span<const SourceFile> files, std::span<const RejectedPhrase> phrases) {
  Complaints complaints;
  for (const auto& file : files) {
    if (std::find(kKinds.begin(), kKinds.end(), file.extension()) == kKinds.end() && file.name() != "dev") continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const std::string lower_line = lower(file.lines[line]);
      for (const auto& row : phrases) {
        if (!is_rejected(file.lines[line], lower_line, row)) continue;
        complaints.push_back(fmt::format("{}:{}: '{}'; write: {}", file.path, line + 1, row.phrase, row.instead));
      }
    }
  }
  return complaints;
}

}  // namespace dpm
