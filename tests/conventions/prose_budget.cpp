#include "tests/conventions/prose_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string_view>

namespace dpm {
namespace {

// Written by programs, as a whole.
constexpr std::array<std::string_view, 1> kGenerated = {"docs/calls.md"};

std::string without_blanks(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
}

// Paragraphs, list items and cells, each on one line.
class Paragraphs {
 public:
  explicit Paragraphs(const SourceFile& page) {
    for (const auto& line : page.lines) read(line);
    end();
  }

  std::vector<std::string> texts;

 private:
  void read(const std::string& line) {
    const std::string text = without_blanks(line);
    if (is_left_out(line, text)) return end();
    if (text.front() == '|') return read_row(text);
    static const std::regex item("(?:[-*]|[0-9]+\\.) +(.*)");
    std::smatch match;
    if (std::regex_match(text, match, item)) {
      end();
      open_ = match[1];
    } else {
      open_ += (open_.empty() ? "" : " ") + text;
    }
  }

  bool is_left_out(const std::string& line, const std::string& text) {
    if (text.starts_with("```")) {
      is_code_ = !is_code_;
      return true;
    }
    if (is_code_) return true;
    static const std::regex mark("<!-- (/?)([a-z]+) -->");
    std::smatch match;
    if (std::regex_match(text, match, mark)) generated_ = match.length(1) == 0 ? match[2].str() : "";
    const bool is_indented = open_.empty() && (line.starts_with("    ") || line.starts_with("\t"));
    return !generated_.empty() || text.empty() || is_indented || text.front() == '#' || text.starts_with("<!--") ||
           text.starts_with("![");
  }

  void read_row(const std::string& row) {
    end();
    std::string cell;
    for (std::size_t at = 1; at < row.size(); ++at) {
      if (row[at] != '|' || row[at - 1] == '\\') {
        cell += row[at];
        continue;
      }
      texts.push_back("|" + without_blanks(cell));
      cell.clear();
    }
  }

  void end() {
    if (!open_.empty()) texts.push_back(open_);
    open_.clear();
  }

  std::string open_;
  bool is_code_ = false;
  std::string generated_;  // the name of the block that a program writes
};

std::string without_marks(const std::string& text) {
  static const std::regex code("``[^`]+``|`[^`]*`");
  static const std::regex link("!?\\[([^\\]]*)\\]\\([^)]*\\)");
  std::string result = std::regex_replace(std::regex_replace(text, code, "CODE"), link, "$1");
  std::erase(result, '*');
  return result;
}

// Where the sentence that begins at `from` ends: behind a full stop that a capital letter, a digit or a quotation follows.
std::size_t end_of_sentence(const std::string& text, std::size_t from) {
  for (auto at = text.find_first_of(".!?", from); at != std::string::npos; at = text.find_first_of(".!?", at + 1)) {
    const auto blank = text.find_first_not_of("\"')", at + 1);
    if (blank == std::string::npos) return text.size();
    if (text[blank] != ' ') continue;
    const auto next = static_cast<unsigned char>(text[std::min(blank + 1, text.size() - 1)]);
    if (std::isupper(next) != 0 || std::isdigit(next) != 0 || next == '"' || next == '(' || next == '\'') return blank;
  }
  return text.size();
}

std::vector<std::string> spoken_words(const std::string& sentence) {
  std::vector<std::string> words(1);
  for (const char letter : sentence) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
        (!words.back().empty() && (letter == '\'' || letter == '-' || letter == '.' || letter == ','))) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  for (auto& word : words) word.erase(word.find_last_not_of(".,'-") + 1);
  return words;
}

std::string sentence_list(const std::vector<std::string>& sentences) {
  std::string list;
  for (const auto& sentence : sentences) list += "\n  " + sentence;
  return list;
}

std::size_t rounded_up(std::size_t of, std::size_t parts, std::size_t in) { return (of * parts + in - 1) / in; }

void measure_page(const SourceFile& page, Complaints& complaints) {
  const auto sentences = sentences_of(page);
  std::vector<std::string> too_long;
  std::vector<std::string> with_what;
  std::size_t words = 0, whats = 0;
  for (const auto& sentence : sentences) {
    const auto here = words_in(sentence), what = times_what(sentence);
    words += here;
    whats += what;
    if (here > kWordsMax) too_long.push_back(fmt::format("{} words: {}", here, sentence));
    if (what > 0) with_what.push_back(sentence);
  }
  if (too_long.size() > rounded_up(sentences.size(), kLongShareMax, 100)) {
    complaints.push_back(fmt::format("{}: {} of {} sentences have more than {} words; at most {} % may: divide them:{}",
                                     page.path, too_long.size(), sentences.size(), kWordsMax, kLongShareMax,
                                     sentence_list(too_long)));
  }
  if (whats > rounded_up(words, kWhatPerThousand, 1000)) {
    complaints.push_back(fmt::format("{}: \"what\" {} times in {} words; at most {} in 1000: write nouns:{}", page.path,
                                     whats, words, kWhatPerThousand, sentence_list(with_what)));
  }
}

}  // namespace

std::vector<std::string> sentences_of(const SourceFile& page) {
  std::vector<std::string> sentences;
  for (const auto& paragraph : Paragraphs(page).texts) {
    const bool is_cell = paragraph.starts_with("|");
    const std::string text = without_marks(is_cell ? paragraph.substr(1) : paragraph);
    for (std::size_t from = 0; from < text.size();) {
      const auto end = end_of_sentence(text, from);
      const std::string sentence = without_blanks(text.substr(from, end - from));
      if (words_in(sentence) > (is_cell ? 3U : 1U) || times_what(sentence) > 0) sentences.push_back(sentence);
      from = end + 1;
    }
  }
  return sentences;
}

std::size_t words_in(const std::string& sentence) { return spoken_words(sentence).size(); }

std::size_t times_what(const std::string& sentence) {
  const auto words = spoken_words(sentence);
  return static_cast<std::size_t>(std::count(words.begin(), words.end(), "what"));
}

Complaints pages_over_budget(std::span<const SourceFile> files) {
  Complaints complaints;
  for (const auto& file : files) {
    if (file.extension() != ".md") continue;
    if (std::find(kGenerated.begin(), kGenerated.end(), file.path) != kGenerated.end()) continue;
    measure_page(file, complaints);
  }
  return complaints;
}

}  // namespace dpm
