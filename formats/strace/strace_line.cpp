#include "formats/strace/strace_line.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "formats/strace/strace_scan.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kTidMax = 1u << 22;         // PID_MAX_LIMIT of Linux
constexpr std::int64_t kEpochBegins = 100'000'000;  // seconds; less are relative
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32;
constexpr std::size_t kCommandMax = 64;

// "1795690005.344418", "10:26:45.344418", "10:26:45", "0.000123".
bool take_time(std::string_view& text, StraceLine& line) {
  std::string_view rest = text;
  const auto first = take_number<std::uint64_t>(rest);
  if (!first || *first >= static_cast<std::uint64_t>(kSecondsMax)) return false;
  auto seconds = static_cast<std::int64_t>(*first);
  int parts = 1;
  for (; parts < 3 && rest.starts_with(':'); ++parts) {
    rest.remove_prefix(1);
    const auto next = take_number<std::uint16_t>(rest);
    if (!next || *next >= 61 || seconds >= 24 * 60) return false;
    seconds = seconds * 60 + *next;
  }
  if (parts == 2) return false;
  const auto fraction_ns = take_fraction(rest);
  if (!rest.starts_with(' ')) return false;
  if (parts == 3)
    line.time = fraction_ns ? StraceTimeKind::day : StraceTimeKind::seconds;
  else if (seconds >= kEpochBegins)
    line.time = StraceTimeKind::epoch;
  else if (fraction_ns)
    line.time = StraceTimeKind::relative;
  else
    return false;
  line.time_ns = seconds * kSecondNs + fraction_ns.value_or(0);
  text = rest;
  return true;
}

// "8026 ", "[pid  8026] ", "8026<redis-server> "
bool take_tid(std::string_view& text, StraceLine& line) {
  constexpr std::string_view kPid = "[pid";
  std::string_view rest = text;
  const bool bracket = rest.starts_with(kPid);
  if (bracket) rest.remove_prefix(kPid.size());
  if (bracket) skip_spaces(rest);
  const auto tid = take_number<std::uint32_t>(rest);
  if (!tid || *tid == 0 || *tid > kTidMax) return false;
  if (rest.starts_with('<')) {
    const auto end = rest.substr(0, kCommandMax).find(bracket ? ">]" : "> ");
    if (end == std::string_view::npos) return false;
    line.command = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  }
  if (bracket ? !rest.starts_with(']') : !(rest.starts_with(' ') || rest.starts_with('\t'))) return false;
  rest.remove_prefix(1);
  line.tid = *tid;
  text = rest;
  return true;
}

// "[unconfined_t] ", "[ 221] ", "[00007f51a2b3c4d5] ", "[????????????????] "
void skip_brackets(std::string_view& text) {
  while (text.starts_with('[') && !text.starts_with("[pid")) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || close + 1 >= text.size() || text[close + 1] != ' ') return;
    const std::string_view inside = text.substr(1, close - 1);
    const bool is_word = std::all_of(inside.begin(), inside.end(), [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::strchr(" _:.,?!-", c) != nullptr;
    });
    if (!is_word) return;
    text.remove_prefix(close + 1);
    skip_spaces(text);
  }
}

// "(+     0.000100) ", of -r beside another time.
void skip_difference(std::string_view& text) {
  if (!text.starts_with("(+")) return;
  const auto close = text.find(')');
  if (close == std::string_view::npos) return;
  text.remove_prefix(close + 1);
  skip_spaces(text);
}

// The number of "SIGKILL".
std::uint32_t signal_number(std::string_view name) {
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* known = sigabbrev_np(signal);
    if (known != nullptr && name == std::string_view(known)) return static_cast<std::uint32_t>(signal);
  }
  return 0;
}

// "exited with 3 +++", "killed by SIGKILL +++", "superseded by execve in pid 8026 +++"
void parse_end(std::string_view text, StraceLine& line) {
  constexpr std::string_view kExited = "exited with ", kKilled = "killed by SIG",
                             kSuperseded = "superseded by execve in pid ";
  const auto code_behind = [&](std::string_view words) {
    std::string_view rest = text.substr(words.size());
    return take_number<std::uint32_t>(rest);
  };
  if (text.starts_with(kExited)) {
    if (const auto code = code_behind(kExited)) line.kind = StraceLineKind::exited, line.code = *code;
  } else if (text.starts_with(kKilled)) {
    const std::string_view name = text.substr(kKilled.size());
    line.kind = StraceLineKind::exited;
    line.code = 128 + signal_number(name.substr(0, name.find(' ')));
  } else if (text.starts_with(kSuperseded)) {
    if (const auto tid = code_behind(kSuperseded)) line.kind = StraceLineKind::superseded, line.code = *tid;
  }
}

// A call's name: the length of what stands before the "(", or 0.
std::size_t name_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '_' || is_digit(text[at]) || (text[at] >= 'a' && text[at] <= 'z') ||
                              (text[at] >= 'A' && text[at] <= 'Z')))
    ++at;
  return at;
}

// Text of another program may look like a call; strace's ends in one of these.
bool ends_as_call(std::string_view text) {
  return text.find(") = ") != std::string_view::npos || text.find(")  ") != std::string_view::npos ||
         text.find(")\t") != std::string_view::npos || text.ends_with("<detached ...>") || text.ends_with("= ?");
}

// What follows the time.
bool parse_content(std::string_view text, StraceLine& line) {
  constexpr std::string_view kUnfinished = "<unfinished ...>", kResumed = " resumed>", kPlus = "+++ ";
  if (text.starts_with(kPlus)) {
    if (!text.ends_with("+++")) return false;
    parse_end(text.substr(kPlus.size()), line);
    return true;
  }
  if (text.starts_with("--- ")) return text.ends_with("---");
  if (text.starts_with("<... ")) {
    const auto end = text.find(kResumed);
    if (end == std::string_view::npos) return false;
    line.kind = StraceLineKind::resumed;
    line.call = text.substr(5, end - 5);
    line.text = text.substr(end + kResumed.size());
    return !line.call.empty() && name_length(line.call) == line.call.size();
  }
  const std::size_t open = name_length(text);
  if (open == 0 || is_digit(text.front()) || open >= text.size() || text[open] != '(') return false;
  line.call = text.substr(0, open);
  line.text = text.substr(open + 1);
  line.kind = StraceLineKind::call;
  if (line.text.ends_with(kUnfinished)) {
    line.kind = StraceLineKind::unfinished;
    line.text.remove_suffix(kUnfinished.size());
    return true;
  }
  return line.time != StraceTimeKind::none || ends_as_call(line.text);
}

void skip_quoting(std::string_view& text) {
  while (!text.empty() && std::strchr(" \t>|/#*", text.front()) != nullptr) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
}

}  // namespace

std::optional<StraceLine> parse_strace_line(std::string_view text) {
  skip_quoting(text);
  StraceLine line;
  if (take_tid(text, line)) skip_spaces(text);
  skip_brackets(text);
  if (take_time(text, line)) {
    skip_spaces(text);
    skip_difference(text);
    skip_brackets(text);
  }
  return parse_content(text, line) ? std::optional(line) : std::nullopt;
}

std::optional<StraceNotice> find_notice(std::string_view line) {
  constexpr std::string_view kProcess = "Process ", kStrace = "strace: ";
  const auto at = line.rfind(kProcess);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + kProcess.size());
  const auto tid = take_number<std::uint32_t>(rest);
  const bool attached = rest.starts_with(" attached"), detached = rest.starts_with(" detached");
  if (!tid || !(attached || detached || rest.starts_with(" resumed") || rest.starts_with(" suspended")))
    return std::nullopt;
  const bool named = at >= kStrace.size() && line.substr(at - kStrace.size(), kStrace.size()) == kStrace;
  return StraceNotice{named ? at - kStrace.size() : at, *tid, detached};
}

bool is_stack_line(std::string_view line) {
  skip_quoting(line);
  return line.ends_with(']') && line.find(" [0x") != std::string_view::npos;
}

}  // namespace dpm
