#include "analysis/difference/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace dpm {
namespace {

// Messages by (aligned process of a, whether they were sent to it).
using Neighbours = std::map<std::pair<std::size_t, bool>, double>;

// The neighbours of the processes that are not aligned. `number` gives an aligned process its number in run a.
template <typename Number>
std::map<std::size_t, Neighbours> neighbours_of(const RunProfile& run, const Number& number) {
  std::map<std::size_t, Neighbours> all;
  for (const PairProfile& pair : run.pairs) {
    const std::optional<std::size_t> from = number(pair.from), to = number(pair.to);
    const auto messages = static_cast<double>(pair.messages);
    if (!from && to) all[pair.from][{*to, true}] += messages;
    if (from && !to) all[pair.to][{*from, false}] += messages;
  }
  return all;
}

double length(const Neighbours& of) {
  double squares = 0;
  for (const auto& [peer, messages] : of) squares += messages * messages;
  return std::sqrt(squares);
}

double cosine(const Neighbours& a, const Neighbours& b) {
  double product = 0;
  for (const auto& [peer, messages] : a)
    if (const auto found = b.find(peer); found != b.end()) product += messages * found->second;
  const double lengths = length(a) * length(b);
  return lengths > 0 ? product / lengths : 0;
}

struct Likeness {
  double cosine = 0;
  std::size_t a = 0, b = 0;
};

class Aligner {
 public:
  Aligner(const RunProfile& a, const RunProfile& b)
      : a_(a),
        b_(b),
        result_{std::vector<std::optional<std::size_t>>(a.processes.size()),
                std::vector<std::optional<std::size_t>>(b.processes.size())} {}

  Alignment align() {
    by_name();
    while (by_messages()) {
    }
    return std::move(result_);
  }

 private:
  void join(std::size_t a, std::size_t b) {
    result_.b_of_a[a] = b;
    result_.a_of_b[b] = a;
  }

  void by_name() {
    std::map<std::string, std::size_t> named;
    for (std::size_t b = 0; b < b_.processes.size(); ++b) named.emplace(b_.processes[b].name, b);
    for (std::size_t a = 0; a < a_.processes.size(); ++a)
      if (const auto found = named.find(a_.processes[a].name); found != named.end() && !result_.a_of_b[found->second])
        join(a, found->second);
  }

  // One round; true if it aligned anything.
  bool by_messages() {
    const auto of_a =
        neighbours_of(a_, [&](std::size_t p) { return result_.b_of_a[p] ? std::optional(p) : std::nullopt; });
    const auto of_b = neighbours_of(b_, [&](std::size_t p) { return result_.a_of_b[p]; });
    if (of_a.size() * of_b.size() > kComparedMax) return false;
    std::vector<Likeness> alike;
    for (const auto& [a, neighbours] : of_a)
      for (const auto& [b, others] : of_b)
        if (const double likeness = cosine(neighbours, others); likeness >= kAlike) alike.push_back({likeness, a, b});
    // Equal processes are joined in their order, so that the result does not depend on anything else.
    std::sort(alike.begin(), alike.end(), [](const Likeness& x, const Likeness& y) {
      return std::tuple(-x.cosine, x.a, x.b) < std::tuple(-y.cosine, y.a, y.b);
    });
    bool any = false;
    for (const Likeness& likeness : alike) {
      if (result_.b_of_a[likeness.a] || result_.a_of_b[likeness.b]) continue;
      join(likeness.a, likeness.b);
      any = true;
    }
    return any;
  }

  const RunProfile& a_;
  const RunProfile& b_;
  Alignment result_;
};

}  // namespace

Alignment align(const RunProfile& a, const RunProfile& b) { return Aligner(a, b).align(); }

}  // namespace dpm
