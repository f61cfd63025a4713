#include "control/controller/command_words.hpp"

#include <fmt/format.h>

#include <cctype>

namespace dpm::control {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_literal(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || std::string_view("/.-_:=,+@%~[]").find(c) != std::string_view::npos;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) {}

  Result<CommandWords> read() {
    CommandWords command;
    while (skip_to_word()) {
      const bool is_input = rest_.front() == '<';
      if (is_input) {
        if (command.input.has_value()) return Error{"standard input can come from one file only"};
        rest_.remove_prefix(1);
        if (!skip_to_word()) return Error{"after '<' comes the name of a file"};
      }
      auto word = take_word();
      if (!word) return word.error();
      if (is_input) {
        command.input = *std::move(word);
      } else {
        command.words.push_back(*std::move(word));
      }
    }
    if (command.words.empty() && command.input.has_value()) return Error{"a command comes before '<'"};
    return command;
  }

 private:
  // Behind blanks and comments; false at the end of the line.
  bool skip_to_word() {
    while (!rest_.empty()) {
      if (is_blank(rest_.front())) {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("(*")) {
        const auto end = rest_.find("*)", 2);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
      } else if (rest_.front() == '#') {
        rest_ = {};
      } else {
        return true;
      }
    }
    return false;
  }

  Result<std::string> take_word() {
    std::string word;
    while (!rest_.empty() && !is_blank(rest_.front())) {
      const char c = rest_.front();
      if (c == '\'' || c == '"') {
        if (auto done = take_quoted(c, word); !done) return done.error();
      } else if (is_literal(c)) {
        word += c;
        rest_.remove_prefix(1);
      } else if (is_control(c)) {
        return Error{fmt::format("the line holds a control character (code {})", static_cast<int>(c))};
      } else {
        return Error{fmt::format("'{}' must be in quotes: {}", c, c == '\\' ? "'\\'" : quoted_word({&c, 1}))};
      }
    }
    return word;
  }

  Result<void> take_quoted(char quote, std::string& word) {
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != quote) {
      const bool is_escape =
          quote == '"' && rest_.size() > 1 && rest_[0] == '\\' && (rest_[1] == '"' || rest_[1] == '\\');
      if (is_escape) rest_.remove_prefix(1);
      if (is_control(rest_.front()) && rest_.front() != '\t')
        return Error{"the line holds a control character in quotes"};
      word += rest_.front();
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) return Error{fmt::format("a quotation begins with {} and does not end", quote)};
    rest_.remove_prefix(1);
    return {};
  }

  std::string_view rest_;
};

}  // namespace

Result<CommandWords> read_words(std::string_view line) { return WordReader(line).read(); }

std::string quoted_word(std::string_view word) {
  bool is_plain = !word.empty();
  for (const char c : word) is_plain = is_plain && is_literal(c);
  if (is_plain) return std::string(word);
  if (word.find('\'') == std::string_view::npos) return fmt::format("'{}'", word);
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace dpm::control
