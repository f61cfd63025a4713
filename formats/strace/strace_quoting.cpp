#include "formats/strace/strace_quoting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "formats/strace/strace_scan.hpp"
#include "formats/strace/strace_translator.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLinesLearned = 200, kQuotingMax = 160, kShapesTried = 8;
constexpr char kEscape = '\x1b';

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<signed char>(c) < 0; }
bool begins_word(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '/'; }
bool is_in_word(char c) { return begins_word(c) || c == '-' || c == '.' || c == '@'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

template <typename Is>
std::size_t length_of(std::string_view text, std::size_t at, const Is& is) {
  const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is);
  return static_cast<std::size_t>(end - text.begin()) - at;
}

// Numbers are aligned to the right: a shape has no blanks before all.
std::string shape_of(std::string_view prefix) {
  std::string shape;
  for (std::size_t at = length_of(prefix, 0, is_blank); at < prefix.size();) {
    const char c = prefix[at];
    shape += begins_word(c) ? 'w' : is_blank(c) ? ' ' : c;
    at += begins_word(c) ? length_of(prefix, at, is_in_word) : is_blank(c) ? length_of(prefix, at, is_blank) : 1;
  }
  return shape;
}

// What of the line has the shape: its length, or npos.
std::size_t length_in(std::string_view line, std::string_view shape) {
  std::size_t at = length_of(line, 0, is_blank);
  for (const char part : shape) {
    if (at >= line.size()) return std::string_view::npos;
    const bool fits = part == 'w' ? begins_word(line[at]) : part == ' ' ? is_blank(line[at]) : line[at] == part;
    if (!fits) return std::string_view::npos;
    at += part == 'w' ? length_of(line, at, is_in_word) : part == ' ' ? length_of(line, at, is_blank) : 1;
  }
  return at;
}

// "May 17 21:36:42 ", whose day and time would count as those of strace: its length, or 0.
std::size_t date_length(std::string_view line) {
  if (line.empty() || !is_letter(line.front())) return 0;
  const std::size_t length = length_in(line, "w w w:w:w ");
  return length == std::string_view::npos ? 0 : length;
}

// "(fd: 3, ...", as perf trace names arguments.
bool names_arguments(std::string_view arguments) {
  const std::size_t name = length_of(arguments, 0, [](char c) { return is_letter(c) || c == '_'; });
  return name > 0 && arguments.substr(name).starts_with(": ");
}

bool is_line(std::string_view text) {
  const auto line = parse_strace_line(text);
  return line && is_certain(*line) && !names_arguments(line->text);
}

// The number that ends a prefix, unless it is of a time of the day; 0: there is none.
std::uint64_t last_number(std::string_view prefix) {
  while (!prefix.empty() && !is_in_word(prefix.back())) prefix.remove_suffix(1);
  std::size_t begin = prefix.size();
  while (begin > 0 && is_in_word(prefix[begin - 1])) --begin;
  std::string_view word = prefix.substr(begin);
  const bool is_of_time = begin >= 2 && prefix[begin - 1] == ':' && is_digit(prefix[begin - 2]);
  const auto number = take_number<std::uint64_t>(word);
  return number && word.empty() && !is_of_time ? *number : 0;
}

// The shortest beginning of the line before which nothing of strace's stands; empty: there is none.
std::string_view prefix_of(std::string_view line) {
  const std::size_t last = std::min(line.size(), kQuotingMax);
  for (std::size_t at = std::max<std::size_t>(date_length(line), 1); at < last; ++at)
    if (std::strchr(" \t:|+->", line[at - 1]) != nullptr && is_line(line.substr(at))) return line.substr(0, at);
  return {};
}

// Numbers that `nl` and `cat -n` put before lines would count as those of processes.
bool are_numbered(const std::vector<std::string_view>& lines) {
  constexpr std::size_t kEnough = 5;
  std::uint32_t expected = 0;
  for (std::string_view rest : lines) {
    skip_spaces(rest);
    const auto number = take_number<std::uint32_t>(rest);
    if (!number || (expected != 0 && *number != expected)) return false;
    expected = *number + 1;
  }
  return lines.size() >= kEnough;
}

// How many lines are of strace behind a prefix of this shape. None if the number that ends the prefix changes to and fro: it is that of a
// process, as truss writes it, and without it all would be one process.
std::size_t lines_with(const std::vector<std::string>& lines, std::string_view shape) {
  std::size_t fits = 0;
  std::uint64_t first = 0, last = 0;
  bool ascends = true, stays = true;
  for (const std::string_view line : lines) {
    const std::size_t length = length_in(line, shape);
    if (length == std::string_view::npos || !is_line(line.substr(length))) continue;
    const std::uint64_t number = last_number(line.substr(0, length));
    if (fits++ == 0)
      first = number;
    else
      ascends &= number > last, stays &= number == first;
    last = number;
  }
  return ascends || stays ? fits : 0;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kLinesLearned) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "&lt;" at the beginning of the text: its character and its length.
std::pair<char, std::size_t> entity_at(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kEntities = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#34;", '"'}, {"&#39;", '\''}}};
  for (const auto& [name, character] : kEntities)
    if (text.starts_with(name)) return {character, name.size()};
  return {text.front(), 1};
}

// "<pre><code>"
std::size_t tags_length(std::string_view text) {
  std::size_t at = 0;
  while (at + 1 < text.size() && text[at] == '<' && (is_letter(text[at + 1]) || text[at + 1] == '/')) {
    const auto close = text.find('>', at);
    if (close == std::string_view::npos) break;
    at = close + 1;
  }
  return at;
}

// The escapes of colours; strace writes those of strings as "\33".
std::size_t colour_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return 1;
  const std::size_t parameters = length_of(text, 2, [](char c) { return is_digit(c) || c == ';'; });
  return std::min(text.size(), 2 + parameters + 1);
}

}  // namespace

bool is_certain(const StraceLine& line) {
  if (line.kind == StraceLineKind::exited || line.kind == StraceLineKind::resumed) return true;
  return (line.kind == StraceLineKind::call || line.kind == StraceLineKind::unfinished) &&
         (line.time != StraceTimeKind::none || strace_call_kind(line.call));
}

StraceQuoting StraceQuoting::learn(std::string_view head) {
  StraceQuoting quoting;
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  quoting.is_html_ = ((has("&lt;unfinished") || has(" resumed&gt;")) && !has("<unfinished") && !has(" resumed>")) ||
                     (has("&quot;") && !has("\""));
  std::vector<std::string> decoded;
  for (const std::string_view line : lines_of(head)) decoded.emplace_back(quoting.without_decoration(line));
  const bool numbered = are_numbered({decoded.begin(), decoded.end()});
  std::map<std::string, std::pair<std::size_t, std::string_view>>
      shapes;  // how often a line proposes it, and its prefix
  for (const std::string& line : decoded) {
    const std::string_view prefix = numbered        ? std::string_view(line).substr(0, length_in(line, "w "))
                                    : is_line(line) ? std::string_view()
                                                    : prefix_of(line);
    if (!prefix.empty()) ++shapes.try_emplace(shape_of(prefix), 0, prefix).first->second.first;
  }
  std::vector<std::pair<std::size_t, const std::string*>> tried;
  for (const auto& [shape, found] : shapes) tried.emplace_back(found.first, &shape);
  std::sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (tried.size() > kShapesTried) tried.resize(kShapesTried);
  auto best = numbered ? 0 : static_cast<std::size_t>(std::count_if(decoded.begin(), decoded.end(), is_line));
  for (const auto& [count, shape] : tried) {
    const std::size_t fits = lines_with(decoded, *shape);
    if (fits <= best) continue;
    best = fits;
    quoting.shape_ = *shape;
    quoting.example_ = shapes.at(*shape).second;
  }
  return quoting;
}

std::string_view StraceQuoting::without_decoration(std::string_view line) {
  if (!is_html_ && std::memchr(line.data(), kEscape, line.size()) == nullptr) return line;
  if (is_html_) line.remove_prefix(tags_length(line));
  decoded_.clear();
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    if (rest.front() == kEscape) {
      at += colour_length(rest);
    } else if (is_html_ && rest.front() == '&') {
      const auto [character, length] = entity_at(rest);
      decoded_ += character;
      at += length;
    } else {
      decoded_ += rest.front();
      ++at;
    }
  }
  return decoded_;
}

std::string_view StraceQuoting::plain(std::string_view line) {
  line = without_decoration(line);
  const std::size_t length = shape_.empty() ? std::string_view::npos : length_in(line, shape_);
  if (length == std::string_view::npos) return line;
  ++removed_;
  return line.substr(length);
}

}  // namespace dpm
