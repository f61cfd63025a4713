#include "backends/linux/custody/keeper/meter_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dpm {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool stands_for_itself(unsigned char byte) { return byte > ' ' && byte != '%' && byte != 0x7f; }

std::string escaped(std::string_view text) {
  std::string word;
  for (const unsigned char byte : text) {
    if (stands_for_itself(byte)) {
      word += static_cast<char>(byte);
    } else {
      word += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  return word;
}

std::string unescaped(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto high = word[i] == '%' && i + 2 < word.size() ? kHexDigits.find(word[i + 1]) : std::string_view::npos;
    const auto low = high != std::string_view::npos ? kHexDigits.find(word[i + 2]) : std::string_view::npos;
    if (low == std::string_view::npos) {
      text += word[i];
      continue;
    }
    text += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return text;
}

template <typename Number>
bool read_number(std::string_view text, Number& into) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), into);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

bool take(std::string_view name, std::string_view value, MeterStatus& status) {
  if (name == "pid") return read_number(value, status.pid);
  if (name == "events") return read_number(value, status.events);
  if (name == "lost") return read_number(value, status.lost);
  if (name == "since") return read_number(value, status.since_s);
  if (name == "output") status.output = unescaped(value);
  if (name != "flags" || value == "none") return true;
  const auto flags = apply_flags(MeterFlags(), value);
  if (flags) status.flags = *flags;
  return flags.has_value();
}

}  // namespace

std::string to_line(const MeterStatus& status) {
  return fmt::format("pid={} events={} lost={} since={} flags={} output={} command={}", status.pid, status.events,
                     status.lost, status.since_s, to_string(status.flags), escaped(status.output), status.command);
}

Result<MeterStatus> status_from_line(std::string_view line) {
  MeterStatus status;
  std::string_view rest = line;
  while (!rest.empty()) {
    const auto name_end = rest.find('=');
    if (name_end == std::string_view::npos) break;
    const std::string_view name = rest.substr(0, name_end);
    rest.remove_prefix(name_end + 1);
    if (name == "command") {
      status.command = rest;
      return status;
    }
    const auto value_end = std::min(rest.find(' '), rest.size());
    if (!take(name, rest.substr(0, value_end), status)) break;
    rest.remove_prefix(std::min(value_end + 1, rest.size()));
  }
  return Error{
      fmt::format("a meter describes itself as '{}', which this dpm does not understand: is it another version of dpm?",
                  std::string(line))};
}

}  // namespace dpm
