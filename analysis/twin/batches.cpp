#include "analysis/twin/batches.hpp"

#include <algorithm>
#include <map>

namespace dpm::twin {
namespace {

constexpr double kOften = 0.02;  // of all batches: a size that is no accident

// Receives, then sends: ops [begin, middle) and [middle, end).
struct Batch {
  std::uint32_t begin = 0, middle = 0, end = 0;

  std::uint32_t receives() const { return middle - begin; }
};

std::vector<Batch> batches_of(const std::vector<Op>& ops) {
  std::vector<Batch> batches;
  std::uint32_t i = 0;
  const auto end = static_cast<std::uint32_t>(ops.size());
  while (i < end) {
    Batch batch;
    while (i < end && ops[i].kind != OpKind::receive) ++i;
    batch.begin = i;
    while (i < end && ops[i].kind == OpKind::receive) ++i;
    batch.middle = i;
    while (i < end && ops[i].kind == OpKind::send) ++i;
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

// The order in which the batch is told: each send behind the first receive from where it goes that has none yet. Empty
// if a send goes to somebody nothing was received from.
std::vector<std::uint32_t> told(const std::vector<Op>& ops, const Batch& batch) {
  std::vector<std::uint32_t> answer(batch.receives(), kNone);
  for (std::uint32_t send = batch.middle; send < batch.end; ++send) {
    std::uint32_t i = 0;
    while (i < answer.size() && (answer[i] != kNone || ops[batch.begin + i].peer != ops[send].peer)) ++i;
    if (i == answer.size()) return {};
    answer[i] = send;
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < answer.size(); ++i) {
    order.push_back(batch.begin + i);
    if (answer[i] != kNone) order.push_back(answer[i]);
  }
  return order;
}

}  // namespace

std::uint64_t take_batches_apart(Recording& recording) {
  std::uint64_t apart = 0;
  for (Life& life : recording.lives) {
    const auto batches = batches_of(life.ops);
    if (!sizes_vary(batches)) continue;
    for (const Batch& batch : batches) {
      if (batch.receives() < 2) continue;
      const auto order = told(life.ops, batch);
      if (order.empty()) continue;
      std::vector<Op> ops;
      for (const std::uint32_t from : order) ops.push_back(life.ops[from]);
      std::copy(ops.begin(), ops.end(), life.ops.begin() + batch.begin);
      for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        const Op& op = life.ops[i];
        if (op.match != kNone) recording.lives[op.peer].ops[op.match].match = i;
      }
      apart += batch.end - batch.middle;
    }
  }
  return apart;
}

}  // namespace dpm::twin
