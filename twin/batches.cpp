#include "twin/batches.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace dpm::twin {
namespace {

constexpr std::uint32_t kFarthest = 256;  // operations between a message and its answer
constexpr double kOften = 0.02;           // of all batches: a size that is not an accident

// Receives, then sends: operations [begin, middle) and [middle, end).
struct Batch {
  std::uint32_t begin = 0, middle = 0, end = 0;

  std::uint32_t receives() const { return middle - begin; }
};

std::vector<Batch> batches_of(const std::vector<Operation>& operations) {
  std::vector<Batch> batches;
  std::uint32_t i = 0;
  const auto end = static_cast<std::uint32_t>(operations.size());
  while (i < end) {
    Batch batch;
    while (i < end && operations[i].kind != OperationKind::receive) ++i;
    batch.begin = i;
    while (i < end && operations[i].kind == OperationKind::receive) ++i;
    batch.middle = i;
    while (i < end && operations[i].kind == OperationKind::send) ++i;
    batch.end = i;
    if (batch.receives() > 0 && batch.end > batch.middle) batches.push_back(batch);
  }
  return batches;
}

bool sizes_vary(const std::vector<Batch>& batches) {
  std::map<std::uint32_t, std::size_t> sizes;
  for (const Batch& batch : batches) ++sizes[batch.receives()];
  const auto often = std::count_if(sizes.begin(), sizes.end(), [&](const auto& size) {
    return static_cast<double>(size.second) > kOften * static_cast<double>(batches.size());
  });
  return often >= 2;
}

// The new order: each send directly after the oldest receive from its peer that has no answer yet.
std::vector<std::uint32_t> answers_after_requests(const std::vector<Operation>& operations) {
  std::map<std::uint32_t, std::deque<std::uint32_t>> unanswered;  // by peer: receives
  std::vector<std::uint32_t> answer(operations.size(), kNone);
  std::vector<bool> is_answer(operations.size(), false);
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].what != Passes::message) continue;
    auto& receives = unanswered[operations[i].peer];
    if (operations[i].kind == OperationKind::receive) receives.push_back(i);
    if (operations[i].kind != OperationKind::send) continue;
    while (!receives.empty() && receives.front() + kFarthest < i) receives.pop_front();
    if (receives.empty()) continue;
    answer[receives.front()] = i;
    is_answer[i] = true;
    receives.pop_front();
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (is_answer[i]) continue;
    order.push_back(i);
    if (answer[i] != kNone) order.push_back(answer[i]);
  }
  return order;
}

}  // namespace

std::uint64_t split_batches(Recording& recording) {
  std::uint64_t count = 0;
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    ProcessRecord& record = recording.records[p];
    const bool to_itself = std::any_of(record.operations.begin(), record.operations.end(),
                                       [p](const Operation& operation) { return operation.peer == p; });
    if (to_itself || !sizes_vary(batches_of(record.operations))) continue;
    const auto order = answers_after_requests(record.operations);
    std::vector<Operation> operations;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      operations.push_back(record.operations[order[i]]);
      count += order[i] != i;
      if (operations.back().match != kNone)
        recording.records[operations.back().peer].operations[operations.back().match].match = i;
    }
    record.operations = std::move(operations);
  }
  return count;
}

}  // namespace dpm::twin
