#include "twin/batches.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace dpm::twin {
namespace {

constexpr std::uint32_t kFarthest = 256;  // ops between a message and its answer
constexpr double kOften = 0.02;           // of all batches: a size that is no accident

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

// The order in which all is told: each send behind the oldest receive from where it goes that has none yet.
std::vector<std::uint32_t> told(const std::vector<Op>& ops) {
  std::map<std::uint32_t, std::deque<std::uint32_t>> unanswered;  // by peer: receives
  std::vector<std::uint32_t> answer(ops.size(), kNone);
  std::vector<bool> is_answer(ops.size(), false);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops[i].what != Passes::message) continue;
    auto& receives = unanswered[ops[i].peer];
    if (ops[i].kind == OpKind::receive) receives.push_back(i);
    if (ops[i].kind != OpKind::send) continue;
    while (!receives.empty() && receives.front() + kFarthest < i) receives.pop_front();
    if (receives.empty()) continue;
    answer[receives.front()] = i;
    is_answer[i] = true;
    receives.pop_front();
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (is_answer[i]) continue;
    order.push_back(i);
    if (answer[i] != kNone) order.push_back(answer[i]);
  }
  return order;
}

}  // namespace

std::uint64_t take_batches_apart(Recording& recording) {
  std::uint64_t apart = 0;
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    Life& life = recording.lives[p];
    const bool to_itself = std::any_of(life.ops.begin(), life.ops.end(), [p](const Op& op) { return op.peer == p; });
    if (to_itself || !sizes_vary(batches_of(life.ops))) continue;
    const auto order = told(life.ops);
    std::vector<Op> ops;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      ops.push_back(life.ops[order[i]]);
      apart += order[i] != i;
      if (ops.back().match != kNone) recording.lives[ops.back().peer].ops[ops.back().match].match = i;
    }
    life.ops = std::move(ops);
  }
  return apart;
}

}  // namespace dpm::twin
