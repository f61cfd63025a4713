#include "parallel/reading/divided_passes.hpp"

#include <algorithm>

#include "parallel/reading/process_shares.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatchArrivals = 4096;

using Group = std::vector<std::uint32_t>;  // numbers of workers

// The worker's place in a group that passes through one step together.
class Company : public PassCompany {
 public:
  Company(Ranks& ranks, const Group& group, const History& history, int lane)
      : ranks_(ranks), group_(group), lane_(lane), batches_(group.size()) {
    std::vector<std::uint64_t> events(history.process_count());
    for (std::uint32_t p = 0; p < events.size(); ++p) events[p] = history.first_event[p + 1] - history.first_event[p];
    part_of_ = divide_processes(history.info, events, static_cast<std::uint32_t>(group.size()));
    own_ = static_cast<std::uint32_t>(std::find(group.begin(), group.end(), ranks.own()) - group.begin());
  }

  bool has(std::uint32_t process) const override { return part_of_[process] == own_; }

  void tell(const Arrival& arrival) override {
    const std::uint32_t part = part_of_[arrival.process];
    batches_[part].push_back(arrival);
    if (batches_[part].size() == kBatchArrivals) flush(part);
  }

  std::vector<Arrival> wait() override {
    flush();
    const Bytes bytes = ranks_.receive_any(lane_);
    ByteReader in(bytes);
    std::vector<Arrival> arrivals;
    in.get(arrivals);
    return arrivals;
  }

  void flush() {
    for (std::uint32_t part = 0; part < batches_.size(); ++part)
      if (!batches_[part].empty()) flush(part);
  }

 private:
  void flush(std::uint32_t part) {
    ByteWriter out;
    out.put(batches_[part]);
    ranks_.send(group_[part], out.take(), lane_);
    batches_[part].clear();
  }

  Ranks& ranks_;
  const Group& group_;
  const int lane_;
  std::uint32_t own_ = 0;
  std::vector<std::uint32_t> part_of_;  // by process: place in the group
  std::vector<std::vector<Arrival>> batches_;
};

bool is_in(const Group& group, std::uint32_t rank) {
  return std::find(group.begin(), group.end(), rank) != group.end();
}

void add(LongestPath& sum, const LongestPath& part) {
  sum.t_max_ns = std::max(sum.t_max_ns, part.t_max_ns);
  sum.cpu_ns += part.cpu_ns;
  sum.not_reached += part.not_reached;
}

}  // namespace

void DividedPasses::pass(const History& history, MessageCosts& costs, bool with_first) {
  Group all;
  for (std::uint32_t rank = with_first || ranks_.count() == 1 ? 0 : 1; rank < ranks_.count(); ++rank)
    all.push_back(rank);
  // The step with delays takes longer: of an odd number it gets one more.
  const auto half = all.begin() + static_cast<std::ptrdiff_t>((all.size() + 1) / 2);
  const Group of_delay(all.begin(), half);
  const Group of_no_delay = all.size() == 1 ? all : Group(half, all.end());
  own_ = {};
  reporting_.clear();
  std::copy_if(all.begin(), all.end(), std::back_inserter(reporting_), [](std::uint32_t rank) { return rank != 0; });
  const auto pass_in = [&](const Group& group, MessageDelays delays, int lane, LongestPath& found) {
    if (!is_in(group, ranks_.own())) return;
    Company company(ranks_, group, history, lane);
    found = longest_path(history, costs, delays, group.size() > 1 ? &company : nullptr);
    company.flush();
  };
  pass_in(of_no_delay, MessageDelays::none, 1, own_.no_delay);
  pass_in(of_delay, MessageDelays::target, 2, own_.delay);
  if (ranks_.is_first()) return;
  ByteWriter out;
  out.put(own_);
  ranks_.send(0, out.take());
}

StepPaths DividedPasses::paths() {
  StepPaths paths = own_;
  for (const std::uint32_t rank : reporting_) {
    const Bytes bytes = ranks_.receive(rank);
    ByteReader in(bytes);
    const auto part = in.get<StepPaths>();
    add(paths.no_delay, part.no_delay);
    add(paths.delay, part.delay);
  }
  return paths;
}

}  // namespace dpm
