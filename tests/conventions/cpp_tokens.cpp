#include "tests/conventions/cpp_tokens.hpp"

#include <cctype>
#include <string_view>
#include <utility>

namespace dpm {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }
bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

class Lexer {
 public:
  explicit Lexer(const SourceFile& file) {
    for (const auto& line : file.lines) text_ += line + '\n';
  }

  std::vector<CppToken> tokens() && {
    while (at_ < text_.size()) take_next();
    return std::move(tokens_);
  }

 private:
  bool sees(std::string_view text) const { return std::string_view(text_).substr(at_).starts_with(text); }

  void skip(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }
  void skip_to(std::size_t end) { skip((end == std::string::npos ? text_.size() : end) - at_); }

  void take_next() {
    const char next = text_[at_];
    if (next == '\n') {
      end_line();
    } else if (std::isspace(static_cast<unsigned char>(next)) != 0) {
      after_space_ = true;
      skip(1);
    } else if (sees("//")) {
      skip_to(text_.find('\n', at_));
    } else if (sees("/*")) {
      skip_to(text_.find("*/", at_ + 2));
      skip(2);
    } else if (sees("R\"")) {
      skip_raw_text();
    } else if (next == '"' || next == '\'') {
      skip_text(next);
    } else if (is_digit(next)) {
      skip_number();
    } else {
      take_token(next);
    }
  }

  // A directive goes on in the next line behind a backslash.
  void end_line() {
    if (in_directive_ && text_[at_ == 0 ? 0 : at_ - 1] != '\\') {
      in_directive_ = false;
      add("\n", false);
    }
    after_space_ = true;
    skip(1);
  }

  void skip_raw_text() {
    const auto open = text_.find('(', at_);
    const std::string end = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    skip_to(text_.find(end, open));
    skip(end.size());
    add("\"", false);
  }

  void skip_text(char quote) {
    skip(1);
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') skip(text_[at_] == '\\' ? 2 : 1);
    skip(1);
    add("\"", false);
  }

  void skip_number() {  // 0x1f, 1'000, 1.5e3
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'')) skip(1);
    add("0", false);
  }

  void take_token(char next) {
    if (next == '#' && (tokens_.empty() || tokens_.back().line != line_)) in_directive_ = true;
    if (sees("#include")) return skip_to(text_.find('\n', at_));
    std::size_t length = sees("::") || sees("->") ? 2 : 1;
    const bool is_name = is_word(next);
    if (is_name)
      while (is_word(text_[at_ + length])) ++length;
    add(text_.substr(at_, length), is_name);
    skip(length);
  }

  void add(std::string text, bool is_name) {
    tokens_.push_back({std::move(text), line_, at_ - line_begin_, is_name, in_directive_, after_space_});
    after_space_ = false;
  }

  std::string text_;
  std::size_t at_ = 0, line_ = 0, line_begin_ = 0;
  bool in_directive_ = false, after_space_ = false;
  std::vector<CppToken> tokens_;
};

}  // namespace

std::vector<CppToken> cpp_tokens(const SourceFile& file) { return Lexer(file).tokens(); }

}  // namespace dpm
