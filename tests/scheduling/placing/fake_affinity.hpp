// Threads and CPUs that exist only here.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "scheduling/placing/affinity_calls.hpp"

namespace dpm::test {

struct FakeThread {
  std::uint32_t pid = 0;
  ThreadFacts facts;
  CpuSet cpus;
  int refuses = 0;  // errno of set_affinity()
};

class FakeAffinity : public AffinityCalls {
 public:
  CpuSet all = {0, 1, 2, 3};
  std::map<std::uint32_t, FakeThread> threads;  // by tid
  std::function<void(std::uint32_t tid)> before_set;
  int changes = 0;

  void start(std::uint32_t pid, std::uint32_t tid, CpuSet cpus, std::uint32_t parent = 1, std::uint32_t session = 50) {
    threads[tid] = {pid, {parent, session, ++ticks_, 0, false}, std::move(cpus)};
  }
  // A thread of the same process, or the first of a child, with what the starting one may use.
  void start_from(std::uint32_t from, std::uint32_t pid, std::uint32_t tid) {
    const FakeThread& starting = threads.at(from);
    start(pid, tid, starting.cpus, pid == starting.pid ? starting.facts.parent_pid : starting.pid,
          starting.facts.session);
  }
  // The same, but the new thread shows only after that many waits, with what the starting one may use now.
  void begin_start_from(std::uint32_t from, std::uint32_t pid, std::uint32_t tid, int waits) {
    start_from(from, pid, tid);
    starting_.push_back({waits, tid, threads.at(tid)});
    threads.erase(tid);
  }
  const CpuSet& cpus_of(std::uint32_t tid) const { return threads.at(tid).cpus; }

  std::vector<std::uint32_t> processes() override {
    std::set<std::uint32_t> pids;
    for (const auto& [tid, thread] : threads) pids.insert(thread.pid);
    return {pids.begin(), pids.end()};
  }
  std::vector<std::uint32_t> threads_of(std::uint32_t pid) override {
    std::vector<std::uint32_t> tids;
    for (const auto& [tid, thread] : threads)
      if (thread.pid == pid) tids.push_back(tid);
    return tids;
  }
  std::optional<ThreadFacts> facts_of(std::uint32_t, std::uint32_t tid) override {
    const auto found = threads.find(tid);
    return found == threads.end() ? std::nullopt : std::optional(found->second.facts);
  }
  std::optional<CpuSet> affinity_of(std::uint32_t tid) override {
    const auto found = threads.find(tid);
    return found == threads.end() ? std::nullopt : std::optional(common_to(found->second.cpus, all));
  }
  int set_affinity(std::uint32_t tid, const CpuSet& cpus) override {
    if (before_set) before_set(tid);
    const auto found = threads.find(tid);
    if (found == threads.end()) return ESRCH;
    if (found->second.refuses != 0) return found->second.refuses;
    if (common_to(cpus, all).empty()) return EINVAL;
    found->second.cpus = cpus;
    ++changes;
    return 0;
  }
  CpuSet online() override { return all; }
  void let_starts_end() override {
    for (Starting& one : starting_)
      if (--one.waits == 0) threads[one.tid] = one.thread;
  }

 private:
  struct Starting {
    int waits;
    std::uint32_t tid;
    FakeThread thread;
  };

  std::vector<Starting> starting_;
  std::uint64_t ticks_ = 0;
};

}  // namespace dpm::test
