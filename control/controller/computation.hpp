// The controller's records of a computation: its filters, its jobs and their processes (metering report 4.2). They are found
// by name; the error for an unknown name contains the nearest known one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/controller/process_output.hpp"
#include "control/protocol/control_message.hpp"
#include "model/result.hpp"

namespace dpm::control {

struct FilterRecord {
  std::string name, machine;
  std::uint32_t pid = 0;  // 0: adopted processes report to it, but it was not adopted itself
  FilterAddress address;
  std::string log;    // its path on the machine
  std::string ended;  // why; empty: it has not ended
  bool is_unreachable = false;
  bool may_be_given_up = false;  // it is unreachable, and the user knows
  bool is_in_doubt = false;      // its machine was lost, and has not been found again
  bool is_forgotten = false;     // its machine does not know it any more, and may give its number to another
  // Its log. What a filter writes when its input ends is not in one that was fetched before.
  enum class Fetched : std::uint8_t { no, before_its_end, whole };
  Fetched fetched = Fetched::no;

  Delivery delivery;  // whether it can write its log

  bool is_unadopted() const { return pid == 0; }
  void note_new_process() {
    if (fetched == Fetched::whole) fetched = Fetched::before_its_end;
  }
};

struct ProcessRecord {
  std::string name, machine;  // the name is unique in the job
  std::uint32_t pid = 0;
  ProcessState state = ProcessState::fresh;
  std::string ended;  // why; empty: it has not ended. An acquired process stays acquired
  MeterFlags flags;
  bool is_unreachable = false;
  bool may_be_given_up = false;   // it is unreachable, and the user knows
  bool is_in_doubt = false;       // its machine was lost, and has not been found again
  bool is_forgotten = false;      // its machine does not know it any more, and may give its number to another
  bool is_changed_since = false;  // its machine has answered since: what it reported when it was found is older
  bool is_unmetered = false;      // its supervisor was killed
  Delivery delivery;
  std::string source;  // how it is metered, and why
  ProcessOutput output;

  bool is_active() const { return ended.empty() && state != ProcessState::killed; }
  // As its machine has answered. The report about it that was made when the machine was found may be taken later.
  void enter(ProcessState now) {
    state = now;
    is_changed_since = is_in_doubt;
  }
};

// Events of a process that has been removed, which have not reached its filter.
struct RemovedDelivery {
  std::string filter, job, process, machine;
  std::uint32_t pid = 0;
  Delivery delivery;
};

struct Job {
  unsigned number = 0;
  std::string name, filter;
  std::string adopted_from, adopted_as;          // from which controller, and its name there; empty: created here
  MeterFlags flags;                              // of processes that are added
  std::string source;                            // likewise; empty: each machine's daemon decides
  std::map<std::string, std::string> placement;  // machine by process, as predicted; empty: none
  std::deque<ProcessRecord> processes;
};

class Computation {
 public:
  std::deque<FilterRecord>& filters() { return filters_; }
  std::deque<Job>& jobs() { return jobs_; }
  const std::deque<FilterRecord>& filters() const { return filters_; }
  const std::deque<Job>& jobs() const { return jobs_; }

  Result<FilterRecord*> filter(std::string_view name);
  Result<Job*> job(std::string_view name);
  Result<ProcessRecord*> process(Job& job, std::string_view name);
  bool has_filter(std::string_view name) const;
  // Names may differ between controllers; an id belongs to one filter.
  FilterRecord* filter_with(const FilterAddress& address);
  // Those that report to it and have not ended: "'A' in job 'foo'".
  std::vector<std::string> active_processes_of(const FilterRecord& filter) const;
  bool has_job(std::string_view name) const;

  Job& add_job(const std::string& name, const std::string& filter);
  // Named `name`, or "name.2", "name.3" if the job has that already.
  ProcessRecord& add_process(Job& job, const std::string& name);
  void remove_job(const Job& job);
  void remove_filter(const FilterRecord& filter);
  // A process that is acquired again has another record.
  void remove_unmetered(std::string_view machine, std::uint32_t pid);

  std::deque<RemovedDelivery>& removed_deliveries() { return removed_deliveries_; }
  const std::deque<RemovedDelivery>& removed_deliveries() const { return removed_deliveries_; }

  // The machine has given this number to a new process or filter, whose record comes next: it has forgotten an older one.
  void note_new(std::string_view machine, std::uint32_t pid);

  // Null if there is no such record: it may have been removed, or be forgotten by its machine.
  ProcessRecord* process_at(std::string_view machine, std::uint32_t pid, const Job** its_job = nullptr);
  FilterRecord* filter_at(std::string_view machine, std::uint32_t pid);

  // Processes and filters that were removed although their machine cannot be reached.
  void give_up(const std::string& machine, std::uint32_t pid) { given_up_.emplace(machine, pid); }
  bool is_given_up(const std::string& machine, std::uint32_t pid) const { return given_up_.contains({machine, pid}); }

  // The prefix of its output: its name, or "job/name" while another job has a process of that name.
  std::string mark(const Job& job, const ProcessRecord& process) const;

 private:
  std::deque<FilterRecord> filters_;
  std::deque<Job> jobs_;  // deques: records keep their place while others are added
  unsigned jobs_made_ = 0;
  std::deque<RemovedDelivery> removed_deliveries_;
  std::set<std::pair<std::string, std::uint32_t>> given_up_;  // by machine and pid
};

}  // namespace dpm::control
