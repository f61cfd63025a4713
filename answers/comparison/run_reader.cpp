#include "answers/comparison/run_reader.hpp"

#include <map>

#include "analysis/blame/blame_causes.hpp"
#include "analysis/causality/letters.hpp"
#include "analysis/statistics/threads.hpp"
#include "answers/findings/blame_findings.hpp"
#include "answers/findings/findings.hpp"
#include "answers/results/process_groups.hpp"
#include "view/blame_words.hpp"

namespace dpm::cli {
namespace {

// "client x 1780": the number is not a part of what the group is called, because the other run may have more of them.
std::string name_of_group(const std::string& name, std::size_t members) {
  const std::string count = " x " + std::to_string(members);
  return members > 1 && name.ends_with(count) ? name.substr(0, name.size() - count.size()) : name;
}

class ProfileMaker {
 public:
  ProfileMaker(const TraceInfo& info, Grouping grouping)
      : grouped_(grouping == Grouping::alike ? group_processes(info) : info), extents_(group_extents(grouped_)) {}

  void add_statistics(const Statistics& by_process) {
    const Statistics statistics = sum_threads(by_process, grouped_);
    for (const ProcessStatistics& process : statistics.processes)
      profile_.processes[number(process.process)].cpu_s += static_cast<double>(process.cpu_ns) * 1e-9;
    for (const Traffic& traffic : statistics.messages)
      profile_.pairs.push_back({number(traffic.from), number(traffic.to), traffic.messages(), traffic.bytes()});
  }

  void add_queues(const Queues& queues) {
    for (const QueueStatistics& queue : group_queues(queues, grouped_).processes)
      if (queue.measured && queue.received > 0)
        profile_.processes[number(queue.process)].wait_mean_s = queue.waits.mean_ns() * 1e-9;
  }

  void add_paths(const Causality& by_process) {
    const Causality causality = group_causality(by_process, grouped_);
    std::map<std::string, std::size_t> by_letter;
    for (std::uint32_t p = 0; p < causality.letters.size(); ++p)
      if (!causality.letters[p].empty()) by_letter.emplace(causality.letters[p], p);
    for (const CausalPath& string : causality.strings) {
      PathProfile path{{}, string.count};
      for (const std::string& letter : designators_of(string.path))
        if (const auto found = by_letter.find(letter); found != by_letter.end())
          path.processes.push_back(number({static_cast<std::uint32_t>(found->second)}));
      profile_.paths.push_back(std::move(path));
    }
  }

  void add_parallelism(const ParallelismStep& step) {
    profile_.T_s = step.T_s;
    profile_.t_max_s = step.t_max_s;
    profile_.P = step.P;
  }

  void add_elapsed(const BlameNode& root) {
    profile_.elapsed_of = number(root.process);
    for (const BlameCause& cause : longest_causes(root)) {
      const auto add = [&](const std::string& rival, std::int64_t time_ns) {
        profile_.elapsed.push_back(
            {number(cause.process), view::part_text(cause.part), rival, static_cast<double>(time_ns) * 1e-9});
      };
      std::int64_t left_ns = cause.time_ns;
      for (const BlameRival& rival : cause.rivals) {
        add(rival.process.is_none() ? rival.name : name_of(rival.process), rival.time_ns);
        left_ns -= rival.time_ns;
      }
      if (left_ns != 0) add("", left_ns);
    }
  }

  RunProfile take() { return std::move(profile_); }

 private:
  std::string name_of(ProcessId process) const {
    const ProcessId group = row_of(process, grouped_);
    return name_of_group(grouped_[group].name, extents_[group.value].processes);
  }

  std::size_t number(ProcessId process) {
    const ProcessId group = row_of(process, grouped_);
    const auto [found, is_new] = numbers_.try_emplace(group.value, profile_.processes.size());
    if (is_new && group.value >= grouped_.processes.size()) {  // the other end of a message was not seen
      profile_.processes.push_back({.name = "(unknown)"});
    } else if (is_new) {
      const ProcessInfo& info = grouped_[group];
      const GroupExtent& extent = extents_[group.value];
      const std::string machine = info.machine.is_none() ? "" : grouped_[info.machine].name;
      profile_.processes.push_back({name_of(group), info.program, extent.processes > 1 ? extent.place : machine});
    }
    return found->second;
  }

  TraceInfo grouped_;
  std::vector<GroupExtent> extents_;
  std::map<std::uint32_t, std::size_t> numbers_;
  RunProfile profile_;
};

}  // namespace

Result<ComparedRun> read_run(const std::string& trace, const RunOptions& options) {
  ClockAnalysis clocks;
  EventKeeper keeper;
  const auto found = find_all(trace, {.history = options.history, .sinks = {&clocks, &keeper}});
  if (!found) return found.error();
  const auto blame = find_blame(keeper.events(), clocks, found->input, {.of = options.of});
  if (!blame) return Error{trace + ": " + blame.error().what};
  ProfileMaker maker(found->input.info, options.grouping);
  maker.add_statistics(found->statistics);
  maker.add_queues(found->queues);
  if (found->causality) maker.add_paths(*found->causality);
  if (found->parallel) maker.add_parallelism(found->parallel->parallelism.delay_cpu);
  if (*blame) maker.add_elapsed((*blame)->root);
  return ComparedRun{maker.take(), trace, found->input.ledger, found->missing};
}

}  // namespace dpm::cli
