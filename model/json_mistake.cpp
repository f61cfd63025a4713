#include "model/json_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "model/utf8.hpp"

namespace dpm {
namespace {

constexpr std::size_t kShown = 24;
constexpr std::string_view kDigits = "0123456789";

// What may come next.
enum class Next { value, value_or_close, name, name_or_close, colon, comma_or_close, end };

std::string shown(std::string_view token) {
  std::string text(token.substr(0, kShown));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, token.size() > kShown ? "..." : "");
}

bool take_digits(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

bool take(std::string_view& text, char wanted) {
  const bool is_there = text.starts_with(wanted);
  if (is_there) text.remove_prefix(1);
  return is_there;
}

bool is_number(std::string_view text) {
  take(text, '-');
  if (!take(text, '0') && !take_digits(text)) return false;
  if (take(text, '.') && !take_digits(text)) return false;
  if (!take(text, 'e') && !take(text, 'E')) return text.empty();
  if (!take(text, '+')) take(text, '-');
  return take_digits(text) && text.empty();
}

// The number of a \u escape that begins the text, or nothing.
std::optional<unsigned> escaped_number(std::string_view text) {
  constexpr std::size_t kLength = 6;
  const std::string_view digits = text.substr(0, kLength).substr(std::min<std::size_t>(2, text.size()));
  if (!text.starts_with("\\u") || digits.size() != kLength - 2 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
    return std::nullopt;
  return static_cast<unsigned>(std::strtoul(std::string(digits).c_str(), nullptr, 16));
}

// The bytes of the escape that begins the text, and 0 if there is no such escape.
std::size_t escape_bytes(std::string_view text) {
  if (text.size() > 1 && std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const auto first = escaped_number(text);
  if (!first || (*first >= 0xDC00 && *first < 0xE000)) return 0;
  if (*first < 0xD800 || *first >= 0xE000) return 6;
  const auto second = escaped_number(text.substr(6));  // together they are one character beyond 16 bits
  return second && *second >= 0xDC00 && *second < 0xE000 ? 12 : 0;
}

class Check {
 public:
  explicit Check(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark, which the libraries skip
  }

  std::optional<JsonMistake> run() {
    while (!mistake_) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (at_ == text_.size()) {
        if (next_ != Next::end) refuse("it ends too early; expected " + expected());
        break;
      }
      take_token();
    }
    return mistake_;
  }

 private:
  void take_token() {
    const char c = text_[at_];
    const bool wants_value = next_ == Next::value || next_ == Next::value_or_close;
    const bool wants_name = next_ == Next::name || next_ == Next::name_or_close;
    if (c == '"' && (wants_value || wants_name)) {
      take_text();
      next_ = wants_name ? Next::colon : after_value();
    } else if ((c == '{' || c == '[') && wants_value) {
      open_.push_back(c);
      step(c == '{' ? Next::name_or_close : Next::value_or_close);
    } else if (c == (in_object() ? '}' : ']') && can_close()) {
      open_.pop_back();
      step(after_value());
    } else if (c == ',' && next_ == Next::comma_or_close) {
      step(in_object() ? Next::name : Next::value);
    } else if (c == ':' && next_ == Next::colon) {
      step(Next::value);
    } else {
      take_word(wants_value);
    }
  }

  void take_word(bool wants_value) {
    const std::string_view word = word_here();
    constexpr std::array<std::string_view, 3> kWords = {"true", "false", "null"};
    const bool is_word = std::find(kWords.begin(), kWords.end(), word) != kWords.end();
    if (!wants_value || (!is_word && !is_number(word)))
      return refuse(fmt::format("unexpected {}; expected {}", shown(word), expected()));
    if (!is_word && !std::isfinite(std::strtod(std::string(word).c_str(), nullptr)))
      return refuse(fmt::format("the number {} is too large", shown(word)));
    at_ += word.size();
    next_ = after_value();
  }

  std::string_view word_here() const {
    if (text_[at_] == '"') return text_.substr(at_, text_.find('"', at_ + 1) - at_ + 1);
    const std::size_t bytes = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_), text_.size()) - at_;
    return text_.substr(at_, std::max<std::size_t>(bytes, 1));
  }

  void take_text() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\n') return refuse("a text ends without '\"' at the end of its line");
      if (c < ' ') return refuse(fmt::format("a control character in a text; write \\u{:04x} for it", c));
      const std::size_t bytes = c == '\\' ? escape_bytes(text_.substr(at_)) : 1;
      if (bytes == 0) return refuse(fmt::format("JSON has no escape {}", shown(text_.substr(at_, 2))));
      at_ += bytes;
    }
    if (at_ == text_.size()) return refuse("it ends inside a text");
    ++at_;
    if (is_utf8(text_.substr(begin, at_ - begin))) return;
    at_ = begin;
    refuse("a text is not UTF-8");
  }

  void step(Next next) {
    ++at_;
    next_ = next;
  }

  bool in_object() const { return !open_.empty() && open_.back() == '{'; }
  bool can_close() const {
    return !open_.empty() &&
           (next_ == Next::comma_or_close || next_ == (in_object() ? Next::name_or_close : Next::value_or_close));
  }
  Next after_value() const { return open_.empty() ? Next::end : Next::comma_or_close; }

  std::string expected() const {
    switch (next_) {
      case Next::value:
        return "a value";
      case Next::value_or_close:
        return "a value or ']'";
      case Next::name:
        return "a name in quotes";
      case Next::name_or_close:
        return "a name in quotes or '}'";
      case Next::colon:
        return "':'";
      case Next::comma_or_close:
        return in_object() ? "',' or '}'" : "',' or ']'";
      case Next::end:
        return "nothing more";
    }
    return "";
  }

  void refuse(const std::string& what) {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto characters =
        std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(), begins_character);
    mistake_ = JsonMistake{1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
                           1 + static_cast<std::size_t>(characters), what};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Next next_ = Next::value;
  std::vector<char> open_;  // the brackets that are open
  std::optional<JsonMistake> mistake_;
};

// The library's name of a kind of value, as the users of scenario files know it.
std::string kind_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kKindNames = {{{"string", "a text"},
                                                                                   {"array", "a list"},
                                                                                   {"object", "an object"},
                                                                                   {"number", "a number"},
                                                                                   {"boolean", "true or false"}}};
  const auto found =
      std::find_if(kKindNames.begin(), kKindNames.end(), [&](const auto& known) { return known.first == name; });
  return found == kKindNames.end() ? std::string(name) : found->second;
}

}  // namespace

std::string JsonMistake::in_file(const std::string& path) const {
  return fmt::format("{}:{}: this is not JSON, at column {}: {}", path, line, column, what);
}

std::string JsonMistake::in_text() const {
  return fmt::format("this is not JSON, at line {}, column {}: {}", line, column, what);
}

std::optional<JsonMistake> find_json_mistake(std::string_view text) { return Check(text).run(); }

std::string why_not_json(std::string_view text) {
  const auto mistake = find_json_mistake(text);
  return mistake ? mistake->in_text() : "this is JSON that is nested too deeply, or has a number that is too large";
}

// The library's texts: "[json.exception.type_error.302] type must be string, but is number", "... key 'seed' not found",
// "... cannot use at() with number". A text of ours, which json_number.hpp throws, stays.
std::string json_content_mistake(std::string_view exception_text) {
  constexpr std::string_view kMust = "type must be ", kIs = ", but is ", kKey = "key '", kMissing = "' not found";
  constexpr std::string_view kUse = "cannot use ", kWith = " with ";
  const std::size_t bracket = exception_text.find("] ");
  std::string_view text = exception_text.substr(bracket == std::string_view::npos ? 0 : bracket + 2);
  if (text.starts_with(kKey) && text.ends_with(kMissing))
    return fmt::format("it has no '{}'", text.substr(kKey.size(), text.size() - kKey.size() - kMissing.size()));
  const std::size_t is = text.find(kIs), with = text.find(kWith);
  if (text.starts_with(kMust) && is != std::string_view::npos)
    return fmt::format("a value must be {}, and is {}", kind_name(text.substr(kMust.size(), is - kMust.size())),
                       kind_name(text.substr(is + kIs.size())));
  if (text.starts_with(kUse) && with != std::string_view::npos)
    return fmt::format("a value must be an object or a list, and is {}", kind_name(text.substr(with + kWith.size())));
  if (text.starts_with("array index")) return "a list is too short";
  return std::string(text);
}

}  // namespace dpm
