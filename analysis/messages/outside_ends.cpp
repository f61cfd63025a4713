#include "analysis/messages/outside_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "model/process_names.hpp"

namespace dpm {
namespace {

constexpr std::string_view kArrow = " > ";

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "10.0.0.7:80" is at 10.0.0.7, "[::1]:80" at [::1]; empty if it is not an address.
std::string_view host_of(std::string_view name) {
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos || !is_number(name.substr(colon + 1))) return {};
  return name.substr(0, colon);
}

bool is_loopback(std::string_view host) { return host.starts_with("127.") || host == "[::1]" || host == "localhost"; }

struct ParsedName {
  std::string_view medium, sender, receiver;
};

ParsedName parse(std::string_view name) {
  ParsedName parsed;
  const auto space = name.find(' ');
  parsed.medium = name.substr(0, space);
  const auto arrow = name.find(kArrow);
  if (space == std::string_view::npos || arrow == std::string_view::npos || arrow < space) return parsed;
  parsed.sender = name.substr(space + 1, std::max(arrow, space + 1) - space - 1);
  parsed.receiver = name.substr(arrow + kArrow.size());
  return parsed;
}

// The metered machine that has this address; none if no machine has it, or several have.
MachineId machine_at(std::string_view host, const TraceInfo& info) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  MachineId found;
  for (std::size_t m = 0; m < info.machines.size(); ++m) {
    const auto& addresses = info.machines[m].addresses;
    if (std::find(addresses.begin(), addresses.end(), host) == addresses.end()) continue;
    if (!found.is_none()) return {};
    found = MachineId{static_cast<std::uint16_t>(m)};
  }
  return found;
}

}  // namespace

OutsideEnd outside_end(ChannelId channel, const std::string& name, ChannelSide end, ProcessId metered,
                       const TraceInfo& info) {
  const ParsedName parsed = parse(name);
  const std::string_view own = without_number(end == ChannelSide::sending ? parsed.sender : parsed.receiver);
  const std::string_view other = end == ChannelSide::sending ? parsed.receiver : parsed.sender;
  const std::string_view host = host_of(own);
  OutsideEnd made;
  made.name = own.empty() ? name : own;
  if (made.name.empty()) made.name = "of channel " + std::to_string(channel.value);
  made.group = host.empty() ? parsed.medium : host;
  const bool means_itself = host.empty() || is_loopback(host);
  if (means_itself || host == host_of(other)) {
    if (metered.value < info.processes.size()) made.machine = info[metered].machine;
    // The same name is a different end on another machine.
    if (means_itself && info.machines.size() > 1 && !made.machine.is_none()) {
      made.name += " on " + info[made.machine].name;
      made.group += " on " + info[made.machine].name;
    }
  } else {
    made.machine = machine_at(host, info);
  }
  return made;
}

std::string outside_name(const OutsideEnd& end, bool grouped) { return "outside " + (grouped ? end.group : end.name); }

void OutsideEnds::want(ChannelId channel, ChannelSide end, ProcessId metered) {
  End made{outside_end(channel, (*info_)[channel].name, end, metered, *info_), {}};
  wanted_[{channel, end}] = made.name;
  const std::string name = made.name;
  ends_.try_emplace(name, std::move(made));
}

void OutsideEnds::make_processes() {
  std::map<std::string, std::size_t> size_of;
  for (const auto& [name, end] : ends_) ++size_of[end.group];
  std::map<std::string, ProcessId> process_of;
  // In the order of the channels: neighbours in the tables are neighbours in time.
  for (const auto& [where, name] : wanted_) {
    End& end = ends_.at(name);
    const bool grouped = size_of.at(end.group) > kEndsMax;
    const std::string shown = outside_name(end, grouped);
    const auto [known, is_new] =
        process_of.try_emplace(shown, ProcessId{static_cast<std::uint32_t>(info_->processes.size())});
    end.process = known->second;
    if (!is_new) continue;
    ProcessInfo process;
    process.name = shown;
    process.machine = end.machine;
    process.in_computation = false;
    info_->processes.push_back(std::move(process));
    if (grouped)
      notes_.push_back(
          fmt::format("{} unmetered ends at {} are shown as one process", size_of.at(end.group), end.group));
  }
}

ProcessId OutsideEnds::at(ChannelId channel, ChannelSide end) const {
  const auto found = wanted_.find({channel, end});
  return found == wanted_.end() ? ProcessId{} : ends_.at(found->second).process;
}

}  // namespace dpm
