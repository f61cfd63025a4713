#include "formats/strace/strace_text.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

#include "formats/strace/strace_scan.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kCallSecondsMax = 10'000'000;  // four months

// Behind a string's first quote, the place of the last.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

// Whether a "<" begins what strace says of a descriptor: "7<TCP:[a->b]>", "AT_FDCWD</tmp>".
bool is_annotation(std::string_view text, std::size_t at) {
  return at > 0 && (is_digit(text[at - 1]) || text[at - 1] == 'D') && !(at + 1 < text.size() && text[at + 1] == '<');
}

// Behind the "<" of "7<TCP:[a->b]>", the place of its ">". That of an arrow is not one.
std::size_t end_of_annotation(std::string_view text, std::size_t at) {
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && text[at - 1] != '-' && --depth == 0) break;
  }
  return at;
}

// Takes the arguments; returns the place behind the ")" that ends them, or npos.
std::size_t take_arguments(std::string_view text, StraceArguments& arguments) {
  int depth = 0;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    std::string_view found = text.substr(begin, end - begin);
    skip_spaces(found);
    if (arguments.count < StraceArguments::kMax && (!found.empty() || arguments.count > 0))
      arguments.list[arguments.count++] = found;
    begin = end + 1;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_string(text, at + 1);
        break;
      case '<':
        if (is_annotation(text, at)) at = end_of_annotation(text, at + 1);
        break;
      case '(':
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ')':
        if (depth <= 0) {
          add(at);
          return at + 1;
        }
        --depth;
        break;
      case ',':
        if (depth == 0) add(at);
        break;
      default:
        break;
    }
  }
  add(text.size());
  return std::string_view::npos;
}

// "<0.000090>" at the end, in nanoseconds; it is removed.
std::optional<std::int64_t> take_duration(std::string_view& text) {
  const auto open = text.rfind('<');
  if (open == std::string_view::npos || open == 0 || text[open - 1] != ' ' || !text.ends_with('>')) return std::nullopt;
  std::string_view duration = text.substr(open + 1);
  const auto seconds = take_number<std::uint32_t>(duration);
  if (!seconds || *seconds >= kCallSecondsMax) return std::nullopt;
  const std::int64_t ns = take_fraction(duration).value_or(0);
  if (duration != ">") return std::nullopt;
  text = text.substr(0, open - 1);
  return *seconds * kSecondNs + ns;
}

int value_of_digit(char c, int base) {
  const int value = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : base;
  return value < base ? value : -1;
}

// Behind a backslash, whose character is the last of what is taken.
char take_escaped(std::string_view text, std::size_t& at) {
  constexpr std::string_view kLetters = "ntrvfae", kMeanings = "\n\t\r\v\f\a\033";
  if (const auto letter = kLetters.find(text[at]); letter != std::string_view::npos) return kMeanings[letter];
  const bool is_hex = text[at] == 'x';
  const int base = is_hex ? 16 : 8;
  const std::size_t digits_max = is_hex ? 2 : 3;
  std::size_t next = at + (is_hex ? 1 : 0), digits = 0;
  int value = 0;
  for (; digits < digits_max && next < text.size(); ++digits, ++next) {
    const int digit = value_of_digit(text[next], base);
    if (digit < 0) break;
    value = value * base + digit;
  }
  if (digits == 0) return text[at];
  at = next - 1;
  return static_cast<char>(value);
}

constexpr std::string_view kMapped = "::ffff:";

}  // namespace

std::optional<std::int64_t> leading_number(std::string_view text) {
  if (!text.starts_with("0x")) return take_number<std::int64_t>(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  return error == std::errc{} ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

std::optional<StraceOutcome> parse_outcome(std::string_view text) {
  StraceOutcome outcome;
  const std::size_t end = take_arguments(text, outcome.arguments);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(end);
  skip_spaces(rest);
  if (!rest.starts_with('=')) return std::nullopt;
  rest.remove_prefix(1);
  skip_spaces(rest);
  if (rest.starts_with("0x")) return std::nullopt;  // an address: of no call that is of interest
  const auto result = take_number<std::int64_t>(rest);
  if (!result) return std::nullopt;
  outcome.result = *result;
  outcome.duration_ns = take_duration(rest);
  outcome.result_note = rest;
  return outcome;
}

StraceArguments parse_arguments(std::string_view text) {
  StraceArguments arguments;
  take_arguments(text, arguments);
  return arguments;
}

std::size_t find_field(std::string_view text, std::string_view wanted, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '"')
      at = end_of_string(text, at + 1);
    else if (text[at] == wanted.front() && text.substr(at).starts_with(wanted))
      return at;
  }
  return std::string_view::npos;
}

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view field) {
  const std::size_t at = find_field(text, field);
  return at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at + field.size()));
}

bool has_flag(std::string_view flags, std::string_view name, std::uint64_t bits) {
  for (std::size_t at = flags.find(name); at != std::string_view::npos; at = flags.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == flags.size() || !(flags[end] == '_' || (flags[end] >= 'A' && flags[end] <= 'Z'))) return true;
  }
  const std::size_t value = flags.starts_with("flags=") ? 6 : 0;
  if (value >= flags.size() || !is_digit(flags[value])) return false;
  const auto number = leading_number(flags.substr(value));
  return number && (static_cast<std::uint64_t>(*number) & bits) != 0;
}

bool is_constant(std::string_view text, std::string_view name, std::uint64_t value) {
  if (text.starts_with(name)) return true;
  if (text.empty() || !is_digit(text.front())) return false;
  const auto number = leading_number(text);
  return number && static_cast<std::uint64_t>(*number) == value;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size())
      plain += take_escaped(text, ++at);
    else
      plain += text[at];
  }
  return plain;
}

std::string first_string(std::string_view text) {
  const auto begin = text.find('"');
  if (begin == std::string_view::npos) return {};
  const std::string_view inside = text.substr(begin + 1, end_of_string(text, begin + 1) - begin - 1);
  return unescaped(inside);
}

std::string socket_address(std::string_view text) {
  const auto family = find_field(text, "sa_family=");
  if (family == std::string_view::npos) return {};
  // "port=htons(80)", of sin_port and sin6_port; "inet_addr("10.0.0.1")", "inet_pton(AF_INET6, "::1", &sin6_addr)".
  if (const auto port = number_behind(text, "port=htons(")) {
    for (const std::string_view call : {"inet_addr(", "inet_pton("}) {
      const auto at = find_field(text, call);
      if (at == std::string_view::npos) continue;
      const std::string address = first_string(text.substr(at));
      if (address.empty()) return {};
      return plain_address(call == "inet_addr(" ? fmt::format("{}:{}", address, *port)
                                                : fmt::format("[{}]:{}", address, *port));
    }
    return {};
  }
  // With -X raw, as bytes: sin_port="\x00\x50", sin_addr="\x7f\x00\x00\x01".
  const auto raw_port = find_field(text, "port="), raw_address = find_field(text, "addr=");
  if (raw_port != std::string_view::npos && raw_address != std::string_view::npos) {
    const std::string port = first_string(text.substr(raw_port)), address = first_string(text.substr(raw_address));
    char name[INET6_ADDRSTRLEN] = {};
    const bool is_6 = address.size() == 16;
    if (port.size() != 2 || !(is_6 || address.size() == 4) ||
        inet_ntop(is_6 ? AF_INET6 : AF_INET, address.data(), name, sizeof(name)) == nullptr)
      return {};
    const int number = static_cast<unsigned char>(port[0]) << 8 | static_cast<unsigned char>(port[1]);
    return plain_address(is_6 ? fmt::format("[{}]:{}", name, number) : fmt::format("{}:{}", name, number));
  }
  const auto path = find_field(text, "path=");
  if (path == std::string_view::npos) return {};
  const std::string_view rest = text.substr(path + 5);
  return (rest.starts_with('@') ? "@" : "") + first_string(rest);
}

std::string plain_address(std::string_view name) {
  if (!name.starts_with('[') || !name.substr(1).starts_with(kMapped)) return std::string(name);
  const auto close = name.find(']');
  const std::string_view address =
      name.substr(1 + kMapped.size(), close == std::string_view::npos ? close : close - 1 - kMapped.size());
  if (close == std::string_view::npos || address.find('.') == std::string_view::npos) return std::string(name);
  return fmt::format("{}{}", address, name.substr(close + 1));
}

}  // namespace dpm
