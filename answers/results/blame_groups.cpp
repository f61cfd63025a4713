#include "answers/results/blame_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "answers/results/process_groups.hpp"

namespace dpm::cli {
namespace {

// Which processes are one row: sets that grow together.
class Sets {
 public:
  explicit Sets(std::size_t processes) : first_(processes) {
    for (std::uint32_t p = 0; p < processes; ++p) first_[p] = p;
  }
  std::uint32_t first_of(std::uint32_t process) {
    while (first_[process] != process) process = first_[process] = first_[first_[process]];
    return process;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [first, other] = std::minmax({first_of(a), first_of(b)});
    first_[other] = first;
  }

 private:
  std::vector<std::uint32_t> first_;
};

class Grouping {
 public:
  Grouping(const BlameTree& tree, const TraceInfo& info)
      : kinds_(process_kinds(info)), root_(tree.root.process), sets_(info.processes.size()) {
    find(tree.root);
    find_rivals(tree.root);
    for (std::uint32_t p = 0; p < info.processes.size(); ++p) members_[sets_.first_of(p)].push_back(p);
  }

  ProcessId row_of(ProcessId process) {
    return process.value < kinds_.size() ? ProcessId{sets_.first_of(process.value)} : process;
  }

  BlameNode grouped(const BlameNode& node) {
    BlameNode sum;
    sum.process = row_of(node.process);
    add(sum, node);
    sum.sort_longest_first();
    return sum;
  }

  TraceInfo named(TraceInfo info) const {
    for (const auto& [first, members] : members_)
      if (members.size() > 1)
        info.processes[first].name = fmt::format("{} x {}", kind_name(kinds_[first]), members.size());
    return info;
  }

 private:
  // The root is asked for by its name, and stays alone.
  bool may_join(ProcessId process) const {
    return process.value < kinds_.size() && process != root_ && !kinds_[process.value].empty();
  }

  void find(const BlameNode& node) {
    std::map<std::pair<BlameWait, std::string>, std::uint32_t> firsts;
    for (const BlameNode& child : node.waits) {
      find(child);
      if (!may_join(child.process)) continue;
      is_waited_for_.insert(child.process);
      const auto [first, is_new] = firsts.try_emplace({child.why, kinds_[child.process.value]}, child.process.value);
      if (!is_new) sets_.join(first->second, child.process.value);
    }
  }

  // Those that only had the CPU meanwhile.
  void find_rivals(const BlameNode& node) {
    std::map<std::string, std::uint32_t> firsts;
    for (const BlameRival& rival : node.rivals) {
      if (!may_join(rival.process) || is_waited_for_.contains(rival.process)) continue;
      const auto [first, is_new] = firsts.try_emplace(kinds_[rival.process.value], rival.process.value);
      if (!is_new) sets_.join(first->second, rival.process.value);
    }
    for (const BlameNode& child : node.waits) find_rivals(child);
  }

  void add(BlameNode& sum, const BlameNode& node) {
    for (std::size_t part = 0; part < kBlameParts; ++part) sum.parts_ns[part] += node.parts_ns[part];
    for (BlameRival rival : node.rivals) {
      rival.process = row_of(rival.process);
      add_rival(sum.rivals, rival);
    }
    sort_longest_first(sum.rivals);
    for (const BlameNode& child : node.waits) {
      BlameNode& row = sum.waited_for(row_of(child.process), child.why);
      row.times += child.times;
      add(row, child);
    }
  }

  std::vector<std::string> kinds_;  // by process
  ProcessId root_;
  Sets sets_;
  std::set<ProcessId> is_waited_for_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;  // by the first of them
};

}  // namespace

BlameGroups group_blame(const BlameTree& tree, const TraceInfo& info) {
  Grouping grouping(tree, info);
  BlameGroups groups{tree, grouping.named(info)};
  groups.tree.root = grouping.grouped(tree.root);
  return groups;
}

}  // namespace dpm::cli
