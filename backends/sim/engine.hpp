// The simulation engine as the rest of this folder sees it: machines that share their CPU fairly, streams of execution
// that can be suspended, and one alarm. engine.cpp is the only file that includes
// SimGrid.
//
// CPU time is counted in whole nanoseconds of the machine it is used on. All machines are equally fast to the engine:
// on a machine twice as fast, half the time is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backends/sim/true_time.hpp"

namespace dpm::sim {

// A stream of execution with a stack of its own.
class Actor {
 public:
  virtual ~Actor() = default;

  // Begins with the next round of actors. `body` must not throw, except for what kill() makes pass through it; anything
  // else goes to `on_unknown_exception`.
  virtual void start(const std::string& name, std::uint32_t host, std::function<void()> body,
                     std::function<void()> on_unknown_exception) = 0;

  // ---- called by the actor itself
  virtual void suspend() = 0;
  // Uses `cpu_ns` of `host`. False if interrupt() ended it early; then left_ns() is what is left.
  virtual bool execute(std::uint32_t host, std::int64_t cpu_ns) = 0;

  // ---- called by others
  virtual void resume() = 0;
  virtual void interrupt() = 0;  // ends execute(); nothing happens if it does not execute
  virtual void kill() = 0;       // unwinds its stack the next time it would run
  // Of the execution that goes on: what is left now. Of an interrupted one: what was left.
  virtual std::int64_t left_ns() const = 0;
};

class Engine {
 public:
  struct Calls {
    std::function<void()> on_alarm;
    std::function<void()> on_standstill;  // no actor can run and no alarm is set: nothing can happen any more
  };

  // One per operating system process, ever. `expected_actors` decides about the kind of stacks. `log_path` takes SimGrid's
  // log.
  Engine(Calls calls, std::size_t expected_actors, const std::string& log_path);
  ~Engine();

  std::uint32_t add_host(const std::string& name, std::uint16_t cores);
  void hosts_are_complete();

  std::unique_ptr<Actor> create_actor();

  TrueTime now() const;

  // Replaces the alarm that was set. A time that has passed means "as soon as everything that can run now has run".
  void set_alarm(TrueTime at);
  void clear_alarm();

  void run();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dpm::sim
