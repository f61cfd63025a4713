#include "formats/strace/strace_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>

namespace dpm {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHoursMax = 24;
constexpr std::int64_t kCallSecondsMax = 10'000'000;  // four months

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// ".344418", in nanoseconds.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (text.empty() || text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  std::int64_t ns = 0, unit = kSecond / 10;
  bool any = false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10, any = true)
    ns += (text.front() - '0') * unit;
  return any ? std::optional(ns) : std::nullopt;
}

// "1795690005.344418", or "10:26:45.344418" as -tt writes it.
std::optional<std::int64_t> take_time(std::string_view& text) {
  std::string_view rest = text;
  const auto first = take_number<std::uint32_t>(rest);
  if (!first) return std::nullopt;
  std::int64_t seconds = *first;
  for (int part = 0; part < 2 && !rest.empty() && rest.front() == ':'; ++part) {
    rest.remove_prefix(1);
    const auto next = take_number<std::uint16_t>(rest);
    if (!next || seconds >= kHoursMax * 60) return std::nullopt;
    seconds = seconds * 60 + *next;
  }
  const auto fraction_ns = take_fraction(rest);
  if (!fraction_ns || rest.empty() || rest.front() != ' ') return std::nullopt;
  text = rest;
  return seconds * kSecond + *fraction_ns;
}

std::optional<std::uint32_t> take_tid(std::string_view& text) {
  constexpr std::string_view kPid = "[pid";
  std::string_view rest = text;
  const bool bracket = rest.starts_with(kPid);
  if (bracket) rest.remove_prefix(kPid.size());
  if (bracket) skip_spaces(rest);
  const auto tid = take_number<std::uint32_t>(rest);
  if (!tid || rest.empty() || rest.front() != (bracket ? ']' : ' ')) return std::nullopt;
  rest.remove_prefix(1);
  text = rest;
  return tid;
}

// The number of "SIGKILL".
std::uint32_t signal_number(std::string_view name) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* known = sigabbrev_np(signal);
    if (known != nullptr && name == std::string_view(known)) return static_cast<std::uint32_t>(signal);
  }
  return 0;
}

// "exited with 3 +++", "killed by SIGKILL +++"
std::optional<std::uint32_t> exit_code(std::string_view text) {
  constexpr std::string_view kExited = "exited with ", kKilled = "killed by SIG";
  if (text.starts_with(kExited)) {
    text.remove_prefix(kExited.size());
    return take_number<std::uint32_t>(text);
  }
  if (!text.starts_with(kKilled)) return std::nullopt;
  text.remove_prefix(kKilled.size());
  return 128 + signal_number(text.substr(0, text.find(' ')));
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// What follows the time.
bool parse_content(std::string_view text, StraceLine& line) {
  constexpr std::string_view kUnfinished = "<unfinished ...>", kResumed = " resumed>", kPlus = "+++ ";
  if (text.starts_with(kPlus)) {
    const auto code = exit_code(text.substr(kPlus.size()));
    if (code) line.kind = StraceLineKind::exited, line.code = *code;
    return true;  // "+++ superseded by execve in pid 8026 +++"
  }
  if (text.starts_with("--- ")) return true;
  if (text.starts_with("<... ")) {
    const auto end = text.find(kResumed);
    if (end == std::string_view::npos) return false;
    line.kind = StraceLineKind::resumed;
    line.call = text.substr(5, end - 5);
    line.text = text.substr(end + kResumed.size());
    return is_name(line.call);
  }
  const auto open = text.find('(');
  if (open == std::string_view::npos || !is_name(text.substr(0, open))) return false;
  line.call = text.substr(0, open);
  line.text = text.substr(open + 1);
  line.kind = StraceLineKind::call;
  if (line.text.ends_with(kUnfinished)) {
    line.kind = StraceLineKind::unfinished;
    line.text.remove_suffix(kUnfinished.size());
  }
  return true;
}

// Behind a string's first quote, the place of the last.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

// Behind the "<" of "7<TCP:[a->b]>", the place of its ">". That of an arrow is not one.
std::size_t end_of_annotation(std::string_view text, std::size_t at) {
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && text[at - 1] != '-' && --depth == 0) break;
  }
  return at;
}

// Calls `visit(at, depth)` for each character that is not in a string or an annotation; stops when it returns false.
template <typename Visit>
void for_each_outside(std::string_view text, const Visit& visit) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at + 1);
      continue;
    }
    if (c == '<' && at > 0 && is_digit(text[at - 1])) {
      at = end_of_annotation(text, at + 1);
      continue;
    }
    if (std::strchr("([{", c) != nullptr) ++depth;
    if (!visit(at, depth)) return;
    if (std::strchr(")]}", c) != nullptr) --depth;
  }
}

}  // namespace

std::optional<StraceLine> parse_strace_line(std::string_view text) {
  StraceLine line;
  std::string_view rest = text;
  if (const auto tid = take_tid(rest)) {
    line.tid = *tid;
    skip_spaces(rest);
  }
  const auto time_ns = take_time(rest);
  if (!time_ns) return std::nullopt;
  line.time_ns = *time_ns;
  skip_spaces(rest);
  return parse_content(rest, line) ? std::optional(line) : std::nullopt;
}

std::size_t end_of_arguments(std::string_view text) {
  std::size_t end = std::string_view::npos;
  for_each_outside(text, [&](std::size_t at, int depth) {
    if (text[at] == ')' && depth == 0) end = at;
    return end == std::string_view::npos;
  });
  return end;
}

std::optional<StraceOutcome> parse_outcome(std::string_view text) {
  const auto end = end_of_arguments(text);
  if (end == std::string_view::npos) return std::nullopt;
  StraceOutcome outcome{text.substr(0, end), 0, {}, {}};
  std::string_view rest = text.substr(end + 1);
  skip_spaces(rest);
  if (!rest.starts_with("= ")) return std::nullopt;
  rest.remove_prefix(2);
  if (rest.starts_with("0x")) return std::nullopt;  // an address: of no call that is of interest
  const auto result = take_number<std::int64_t>(rest);
  if (!result) return std::nullopt;
  outcome.result = *result;
  if (const auto open = rest.rfind(" <"); open != std::string_view::npos && rest.ends_with('>')) {
    std::string_view duration = rest.substr(open + 2);
    const auto seconds = take_number<std::uint32_t>(duration);
    const auto fraction_ns = take_fraction(duration);
    if (seconds && *seconds < kCallSecondsMax && fraction_ns && duration == ">") {
      outcome.duration_ns = *seconds * kSecond + *fraction_ns;
      rest = rest.substr(0, open);
    }
  }
  outcome.result_note = rest;
  return outcome;
}

std::string_view argument(std::string_view arguments, std::size_t n) {
  std::size_t begin = 0, end = std::string_view::npos, found = 0;
  for_each_outside(arguments, [&](std::size_t at, int depth) {
    if (arguments[at] != ',' || depth != 0) return true;
    if (found++ == n) {
      end = at;
      return false;
    }
    begin = at + 1;
    return true;
  });
  if (end == std::string_view::npos && found < n) return {};
  std::string_view text = arguments.substr(begin, end == std::string_view::npos ? end : end - begin);
  skip_spaces(text);
  return text;
}

}  // namespace dpm
