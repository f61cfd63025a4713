#include "control/client/tunnel_switch.hpp"

#include <utility>
#include <vector>

namespace dpm::control {
namespace {

Relay last_piece() {
  Relay piece;
  piece.end = true;
  return piece;
}

}  // namespace

void TunnelSwitch::serve(const std::string& filter_id, const std::string& machine, std::uint32_t pid) {
  filters_[filter_id] = {machine, pid};
}

void TunnelSwitch::take(const std::string& machine, Relay piece) {
  const End from{machine, piece.pid, piece.tunnel};
  const auto known = other_ends_.find(from);
  const End* to = known != other_ends_.end() ? &known->second : piece.end ? nullptr : open(from, piece.filter);
  if (to == nullptr) {
    if (!piece.end) send_to(from, last_piece());
    return;
  }
  const End other = *to;
  if (piece.end) forget(from);
  piece.filter.clear();
  send_to(other, std::move(piece));
}

// Returns null if the switch does not know the filter, already has kTunnelsMax tunnels, or knows the other end.
const TunnelSwitch::End* TunnelSwitch::open(const End& from, const std::string& filter_id) {
  const auto filter = filters_.find(filter_id);
  if (filter == filters_.end() || tunnels() >= kTunnelsMax) return nullptr;
  const End to{filter->second.machine, filter->second.pid, ++last_tunnel_};
  // A machine may have taken the number of an end at a filter for one of its own.
  if (other_ends_.contains(to) || from == to) return nullptr;
  other_ends_[to] = from;
  return &(other_ends_[from] = to);
}

void TunnelSwitch::refused(const std::string& machine, const Relay& piece) {
  const End there{machine, piece.pid, piece.tunnel};
  const auto known = other_ends_.find(there);
  if (known == other_ends_.end()) return;
  const End other = known->second;
  forget(there);
  send_to(other, last_piece());
}

void TunnelSwitch::lose(const std::string& machine) {
  std::vector<End> ended;
  for (const auto& [end, other] : other_ends_)
    if (end.machine == machine) ended.push_back(end);
  for (const auto& end : ended) {
    const auto known = other_ends_.find(end);
    if (known == other_ends_.end()) continue;  // both ends were there
    const End other = known->second;
    forget(end);
    if (other.machine != machine) send_to(other, last_piece());
  }
}

void TunnelSwitch::forget(const End& end) {
  const auto known = other_ends_.find(end);
  if (known == other_ends_.end()) return;
  const End other = known->second;
  other_ends_.erase(known);
  other_ends_.erase(other);
}

void TunnelSwitch::send_to(const End& end, Relay piece) {
  piece.pid = end.pid;
  piece.tunnel = end.tunnel;
  send_(end.machine, std::move(piece));
}

}  // namespace dpm::control
