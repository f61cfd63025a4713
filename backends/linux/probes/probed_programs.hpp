// Programs that were not made for it, seen from inside: sets the probes that events want in the files of programs, knows which
// processes of them come and go, and tells each passage. A program that uses libdpm is left alone: it tells its events itself.
//
// Only what is wanted has a probe, and the kernel takes it out when this object, or the process that has it, is gone.
#pragma once

#include <cstdint>
#include <dpm/monitor/actions.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/linux/probes/probe_kernel.hpp"
#include "backends/linux/probes/program_probes.hpp"
#include "model/result.hpp"

namespace dpm {

class ProbedPrograms {
 public:
  struct Wanted {
    const monitor::ActionName* action = nullptr;
    std::string program, object, function;  // no program: nothing to place a probe for
  };
  struct Hit {
    std::uint64_t time_ns = 0;  // since 1970
    std::size_t event = 0;      // in the list of wanted events
    std::uint32_t process = 0, thread = 0;
    WholeNumber value;
  };
  struct Uses {
    // `events`: those that have a probe in this program.
    std::function<void(const std::string& program, std::uint32_t process, std::uint32_t parent,
                       const std::set<std::size_t>& events)>
        on_begin;
    // Of a process that has begun: whether these events, which were defined in another way since, have a probe now.
    std::function<void(std::uint32_t process, const std::set<std::size_t>& redefined,
                       const std::set<std::size_t>& events)>
        on_redefined;
    std::function<void(const Hit&)> on_hit;
  };

  // Nothing is set where all programs that can be found use libdpm. `paths` are words that may name programs by path. With `only`, those
  // processes are looked at and what they fork, and no others.
  ProbedPrograms(std::vector<Wanted> wanted, std::vector<std::string> paths, std::set<std::uint32_t> only = {});

  // Events of this program will be wanted. What takes long, the kernel's part and the symbols of the program, is made ready now, so that
  // redefine() does not wait for it.
  void expect(const std::string& program);
  // The event of this number is wanted in another way, is new, or (without a program) is not wanted any more. It is in force when this
  // returns; of what is not wanted by any event, nothing is reported any more, and its probe is taken out in the background.
  void redefine(std::size_t event, Wanted wanted);

  void take(const Uses& uses);
  std::vector<std::string> take_complaints();
  // Those that run.
  std::vector<std::uint32_t> processes() const;
  // Why this account cannot look at functions; "" if it can, or nothing wanted it.
  const std::string& refusal() const { return refusal_; }
  // Why an event cannot be seen; "" if it can, or nothing is known yet.
  const std::string& reason(std::size_t event) const { return reasons_[event]; }

  struct Loss {
    std::uint32_t process = 0;
    std::vector<std::size_t> events;
    std::uint64_t records = 0;  // for each of them
  };
  std::vector<Loss> losses() const;
  std::uint64_t lost_otherwise() const;

 private:
  struct Placed {
    Probe probe;
    std::vector<std::size_t> events;
  };
  struct Image {
    std::string path, program;
    bool uses_library = false;
    std::set<std::size_t> events;           // that have a probe
    std::unique_ptr<ProgramProbes> probes;  // null: it cannot be looked at
    // With the libraries that processes of it have loaded by themselves, by the files that one has.
    std::map<std::vector<std::string>, std::unique_ptr<ProgramProbes>> loaded;
  };

  bool may_look();
  void refuse(std::size_t event);
  bool uses_library(const std::string& file);
  void prepare_all();
  const std::string& file_of(const std::string& program);
  void scan(const Uses& uses);
  void tell_redefined(const Uses& uses);
  Image& prepare(const std::string& path, const std::string& program);
  void plan_loaded(Image& image, std::uint32_t process);
  void forget(std::size_t event);
  bool plan_again(std::size_t event);
  void plan_all(Image& image, ProgramProbes& probes);
  void plan(Image& image, ProgramProbes& probes, std::size_t event);
  void place(std::size_t event, const Probe& probe);
  std::string program_of(const std::string& path, const std::string& called) const;
  std::string running_file(const std::string& program) const;
  void begin(const std::string& program, std::uint32_t process, std::uint32_t parent, const std::string& path,
             const Uses& uses);
  void use(const dpm_probe_record& record, const Uses& uses);
  void use_exec(const dpm_probe_exec_record& record, const Uses& uses);

  std::vector<Wanted> wanted_;
  std::vector<std::string> paths_;
  std::set<std::uint32_t> only_;  // empty: every process
  std::vector<std::string> complaints_, reasons_;
  std::optional<ProbeKernel> kernel_;
  std::map<std::string, std::string> files_;  // by program, where it was found
  std::map<std::string, bool> with_library_;  // by file
  std::set<std::string> complained_;          // files that cannot be looked at
  std::string refusal_;                       // why, of all
  std::map<std::string, Image> images_;       // by file and program
  std::set<std::size_t> redefined_;           // since the processes were last told
  std::map<Probe, std::uint32_t> numbers_;
  std::vector<Placed> placed_;  // by number
  struct Process {
    std::string program, path;
  };
  std::map<std::uint32_t, Process> processes_;
  std::string own_file_;  // supervisors run it under the names of the programs that they supervise
  std::uint64_t scanned_ns_ = 0;
  std::int64_t to_real_ns_ = 0;
  bool is_scanned_ = false;
};

}  // namespace dpm
