// A way to meter unmodified programs of this machine. Each live source offers one; commands see no other difference
// between sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/live_source.hpp"
#include "model/result.hpp"

namespace dpm {

// Names of sources, as users give them. One had another name up to version 0.1.
inline constexpr const char* kEbpf = "ebpf";
inline constexpr const char* kFormerEbpf = "kernel";

struct MeteredFacts {
  std::uint32_t pid = 0;             // its first process
  std::string command;               // as typed, or the name of a program that was already running
  bool privileges_given_up = false;  // setuid programs it starts run without their privileges
  std::string source;                // the method that meters it, and why: "ebpf (--source ebpf)"
  bool waits_are_measured = false;   // events have the time that a process was ready, and that it waited for a disk
};

// A program that is ready to be metered: started up to its first instruction, or found running.
class MeteredRun {
 public:
  virtual ~MeteredRun() = default;
  virtual const MeteredFacts& facts() const = 0;

  // Once. The program of launch() executes its first instruction when the source is ready.
  virtual std::unique_ptr<LiveSource> meter(MeterOptions options) = 0;

  // Once: the program of launch_child() executes its first instruction. Destroyed before that, the run ends it.
  virtual void start() = 0;

  // After the source's run() was stopped: the program needs nothing of this process any more.
  virtual Result<void> release() = 0;
};

class MeteringMethod {
 public:
  struct Options {
    bool exact_paths = false;    // also notice calls that only name or end paths; risks: docs/metering.md
    std::size_t ring_bytes = 0;  // where records wait to be read, of each processor; 0: the source's choice
    bool hand_overs = false;     // also record what threads hand over at futexes, where the source sees it
  };

  virtual ~MeteringMethod() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;  // what it costs and what it sees, in a line
  // Why this account cannot use it on this machine, and what would help. Changes nothing and starts nothing.
  struct Obstacle {
    std::string reason, advice;
  };
  virtual std::optional<Obstacle> obstacle() const { return std::nullopt; }
  // Where there is no obstacle: does what comes before metering, and undoes it at once. Why that fails; none: it works.
  virtual std::optional<std::string> trial() const { return std::nullopt; }
  // Why another method serves better here, although this one could be used; empty: nothing speaks for another.
  virtual std::string drawback() const { return ""; }
  // It meters this process already, or has let it go and left something in it.
  virtual bool has_custody(std::uint32_t) const { return false; }
  virtual bool finds_callers() const { return true; }      // MeterOptions::callers
  virtual bool finds_hand_overs() const { return false; }  // Options::hand_overs
  // The program's calls wait for us, which the kernel must allow, and programs gain no privileges without root.
  virtual bool notifies() const { return true; }

  // The calling process becomes the program; returns in a process that supervises it. `command` is searched in PATH.
  virtual Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>& command,
                                                     const Options& options) const = 0;
  // A child of the calling process, which must wait(2) for it, in a session of its own.
  struct ChildStreams {
    int input = -1, output = -1, error = -1;    // of the program
    int output_reader = -1, error_reader = -1;  // the caller's ends, which another process must read when it is dead
  };
  virtual Result<std::unique_ptr<MeteredRun>> launch_child(const std::vector<std::string>& command,
                                                           const ChildStreams& streams) const = 0;
  // Instead of one process: those of a cgroup and of those below it, or all of this machine but our own; also those that enter or
  // are started later. Or several processes, and those that they start.
  struct Scope {
    std::string cgroup;  // its folder; empty: this machine
    std::vector<std::uint32_t> pids = {};
  };
  virtual bool meters_scopes() const { return false; }
  virtual Result<std::unique_ptr<MeteredRun>> acquire_scope(const Scope&, const Options&) const {
    return Error{"this source meters single processes only"};
  }
  // A process that runs already, with its threads.
  virtual Result<std::unique_ptr<MeteredRun>> acquire(std::uint32_t pid, const Options& options) const = 0;
};

}  // namespace dpm
