#include "twin/outside.hpp"

#include <algorithm>

namespace dpm::twin {
namespace {

// An operation of a metered process whose other end is outside.
struct Contact {
  std::int64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t operation = 0;
};

std::uint64_t delivery_ns(const DelayModel& delays, std::uint32_t bytes) {
  return static_cast<std::uint64_t>(DelayModel::delivery(delays.remote, bytes).ns);
}

// By process outside.
std::vector<std::vector<Contact>> contacts_of(const Recording& recording) {
  std::vector<std::vector<Contact>> contacts(recording.records.size());
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    const auto& operations = recording.records[p].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      const bool open = operation.kind != OperationKind::move && operation.match == kNone && operation.peer != kNone;
      if (open && !recording.records[operation.peer].metered)
        contacts[operation.peer].push_back({operation.time_ns, p, i});
    }
  }
  return contacts;
}

// The other end of `inside`, without CPU time.
Operation other_end(const Operation& inside, const Contact& contact) {
  Operation operation;
  operation.kind = inside.kind == OperationKind::send ? OperationKind::receive : OperationKind::send;
  operation.peer = contact.process;
  operation.match = contact.operation;
  operation.code = inside.code;
  operation.bytes = inside.bytes;
  operation.channel = inside.channel;
  operation.time_ns = inside.time_ns;
  return operation;
}

// `contacts` by time.
void fill_in(Recording& recording, std::uint32_t outside, const std::vector<Contact>& contacts) {
  ProcessRecord& record = recording.records[outside];
  std::int64_t free_at_ns = contacts.front().time_ns;
  for (const Contact& contact : contacts) {
    Operation& inside = recording.records[contact.process].operations[contact.operation];
    Operation operation = other_end(inside, contact);
    if (operation.kind == OperationKind::send) {
      const auto taken = static_cast<std::uint64_t>(std::max<std::int64_t>(0, inside.time_ns - free_at_ns));
      const std::uint64_t on_the_way = 2 * delivery_ns(recording.info.delays, operation.bytes);
      operation.cpu_ns = taken - std::min(taken, on_the_way);
      free_at_ns = inside.time_ns;
    } else {
      free_at_ns = std::max(free_at_ns, inside.time_ns);
    }
    inside.match = static_cast<std::uint32_t>(record.operations.size());
    record.operations.push_back(operation);
  }
}

}  // namespace

std::vector<std::uint32_t> add_outside(Recording& recording) {
  auto contacts = contacts_of(recording);
  std::vector<std::uint32_t> added;
  for (std::uint32_t outside = 0; outside < contacts.size(); ++outside) {
    if (contacts[outside].empty()) continue;
    added.push_back(outside);
    // Clocks of several machines may differ; only the order within one process matters.
    std::stable_sort(contacts[outside].begin(), contacts[outside].end(),
                     [](const Contact& a, const Contact& b) { return a.time_ns < b.time_ns; });
    fill_in(recording, outside, contacts[outside]);
  }
  return added;
}

}  // namespace dpm::twin
