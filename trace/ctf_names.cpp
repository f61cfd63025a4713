#include "trace/ctf_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/utf8.hpp"

namespace dpm {
namespace {

constexpr std::string_view kProcess = "process_name_t", kChannel = "channel_name_t", kMachine = "machine_name_t";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string channel_name(const TraceInfo& info, const ChannelInfo& channel) {
  if (!channel.name.empty() || channel.owner.value >= info.processes.size()) return channel.name;
  return fmt::format("to {}", info.processes[channel.owner.value].name);
}

// Appends the declaration of a type, if any of the first `count` ids has a name.
template <typename NameOf>
bool declare(std::string& text, std::string_view type, std::string_view integer, std::size_t count, std::uint64_t none,
             NameOf name_of) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    if (const std::string name = name_of(i); !name.empty()) names += fmt::format("  {} = {},\n", ctf_literal(name), i);
  if (names.empty()) return false;
  text += fmt::format("typealias enum : {} {{\n{}  \"none\" = {}\n}} := {};\n", integer, names, none, type);
  return true;
}

}  // namespace

std::string ctf_literal(std::string_view name) {
  std::string out = "\"";
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t bytes = utf8_bytes(name.substr(at));
    if (at + std::max<std::size_t>(bytes, 1) > kCtfNameBytesMax) {
      out += "...";
      break;
    }
    const auto first = static_cast<unsigned char>(name[at]);
    if (bytes == 0) {
      out += kReplacement;
    } else if (bytes == 1 && (first < 0x20 || first == 0x7F)) {
      out += ' ';
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out += name.substr(at, bytes);
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return out + "\"";
}

std::size_t ctf_names_most(std::size_t fields) {
  constexpr double kPairsMost = 1e8, kCopiesMost = 3e5;
  const double of = static_cast<double>(std::max<std::size_t>(fields, 1));
  return std::min(kCtfNamesMost, static_cast<std::size_t>(std::min(std::sqrt(kPairsMost / of), kCopiesMost / of)));
}

CtfNames::CtfNames(const TraceInfo& info, std::size_t fields) {
  const auto first_of = [most = ctf_names_most(fields)](const auto& table) { return std::min(table.size(), most); };
  processes_ = declare(declarations_, kProcess, "uint32_t", first_of(info.processes), ProcessId{}.value,
                       [&](std::size_t i) { return info.processes[i].name; });
  channels_ = declare(declarations_, kChannel, "uint32_t", first_of(info.channels), ChannelId{}.value,
                      [&](std::size_t i) { return channel_name(info, info.channels[i]); });
  machines_ = declare(declarations_, kMachine, "uint16_t", first_of(info.machines), MachineId{}.value,
                      [&](std::size_t i) { return info.machines[i].name; });
}

bool CtfNames::can_name(EventMember member) {
  return member == EventMember::process || member == EventMember::peer || member == EventMember::channel ||
         member == EventMember::passed_channel || member == EventMember::machine;
}

std::optional<std::string_view> CtfNames::type_of(EventMember member) const {
  switch (member) {
    case EventMember::process:
    case EventMember::peer:
      return processes_ ? std::optional(kProcess) : std::nullopt;
    case EventMember::channel:
    case EventMember::passed_channel:
      return channels_ ? std::optional(kChannel) : std::nullopt;
    case EventMember::machine:
      return machines_ ? std::optional(kMachine) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace dpm
