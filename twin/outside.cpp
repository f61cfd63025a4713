#include "twin/outside.hpp"

#include <algorithm>

namespace dpm::twin {
namespace {

// An op of a metered process whose other end is outside.
struct Contact {
  std::int64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t op = 0;
};

std::uint64_t delivery_ns(const DelayModel& delays, std::uint32_t bytes) {
  return static_cast<std::uint64_t>(DelayModel::delivery(delays.remote, bytes).ns);
}

}  // namespace

std::vector<std::uint32_t> add_outside(Recording& recording) {
  std::vector<std::vector<Contact>> contacts(recording.lives.size());
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    const auto& ops = recording.lives[p].ops;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      if (op.kind == OpKind::move || op.match != kNone || op.peer == kNone || recording.lives[op.peer].metered)
        continue;
      contacts[op.peer].push_back({op.time_ns, p, i});
    }
  }
  std::vector<std::uint32_t> added;
  for (std::uint32_t outside = 0; outside < contacts.size(); ++outside) {
    auto& met = contacts[outside];
    if (met.empty()) continue;
    added.push_back(outside);
    // Clocks of several machines may differ; within one process the order is what counts.
    std::stable_sort(met.begin(), met.end(), [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    Life& life = recording.lives[outside];
    std::int64_t free_at_ns = met.front().time_ns;
    for (const Contact& contact : met) {
      Op& inside = recording.lives[contact.process].ops[contact.op];
      Op op;
      op.kind = inside.kind == OpKind::send ? OpKind::receive : OpKind::send;
      op.peer = contact.process;
      op.match = contact.op;
      op.code = inside.code;
      op.bytes = inside.bytes;
      op.channel = inside.channel;
      op.time_ns = inside.time_ns;
      if (op.kind == OpKind::send) {
        const auto taken = static_cast<std::uint64_t>(std::max<std::int64_t>(0, inside.time_ns - free_at_ns));
        const std::uint64_t on_the_way = 2 * delivery_ns(recording.info.delays, op.bytes);
        op.cpu_ns = taken - std::min(taken, on_the_way);
        free_at_ns = inside.time_ns;
      } else {
        free_at_ns = std::max(free_at_ns, inside.time_ns);
      }
      inside.match = static_cast<std::uint32_t>(life.ops.size());
      life.ops.push_back(op);
    }
  }
  return added;
}

}  // namespace dpm::twin
