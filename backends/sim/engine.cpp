#include "backends/sim/engine.hpp"

#include <cxxabi.h>
#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <vector>

#include "backends/sim/simgrid.hpp"
#include "model/check.hpp"
#include "model/whole_ns.hpp"

namespace dpm::sim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

constexpr double kFlopsPerSecond = 1e9;  // one flop is one nanosecond of CPU time
constexpr int kStackKilobytes = 256;
constexpr int kSmallStackKilobytes = 64;
// A guard page costs two mappings for each stack, and a process may have 65530 (vm.max_map_count). More actors get
// stacks without guard pages. Those are touched as a whole (142 KB of 256 were measured), so they are small.
constexpr std::size_t kMostGuardedStacks = 30000;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers understand threads, but not stacks that are swapped
#else
constexpr bool kSanitized = false;
#endif

// Actors share one thread, and the C++ runtime keeps the exceptions being handled per thread. Without this a program
// that makes a call in a catch block would mix its exception with those of the others.
class HandledExceptions {
 public:
  HandledExceptions() { std::memcpy(saved_.data(), abi::__cxa_get_globals(), saved_.size()); }
  ~HandledExceptions() { std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), saved_.data(), saved_.size()); }
  HandledExceptions(const HandledExceptions&) = delete;
  HandledExceptions& operator=(const HandledExceptions&) = delete;

 private:
  // __cxa_eh_globals of the C++ ABI: a pointer and an unsigned int, padded.
  std::array<std::byte, 2 * sizeof(void*)> saved_;
};

// SimGrid decides when executions end. How far the others are is asked at moments at which it cannot answer
// (Exec::get_remaining() aborts between the end of an execution and the wake-up of its actor, which is when alarms go
// off), so each host keeps its virtual time: the CPU time an execution has got that has been there from the beginning.
class Host {
 public:
  Host(s4u::Host* host, std::uint16_t cores) : host_(host), cores_(cores) {}

  s4u::Host* simgrid() const { return host_; }

  double virtual_ns() const {
    const double elapsed_ns = (s4u::Engine::get_clock() - changed_at_) * 1e9;
    return virtual_ns_ + elapsed_ns * std::min(1.0, cores_ / std::max(1.0, executing_));
  }
  void change_executing(double by) {
    virtual_ns_ = virtual_ns();
    changed_at_ = s4u::Engine::get_clock();
    executing_ += by;
  }

 private:
  s4u::Host* host_;
  double cores_;
  double executing_ = 0;   // a whole number
  double virtual_ns_ = 0;  // up to changed_at_
  double changed_at_ = 0;
};

// While it exists, one more execution shares the host; it ends by itself when the actor is killed.
class Share {
 public:
  explicit Share(Host& host) : host_(host) { host_.change_executing(1); }
  ~Share() { host_.change_executing(-1); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

 private:
  Host& host_;
};

class SimgridActor : public Actor {
 public:
  explicit SimgridActor(std::deque<Host>& hosts) : hosts_(hosts) {}

  void start(const std::string& name, std::uint32_t host, std::function<void()> body,
             std::function<void()> on_unknown_exception) override {
    // The new actor may run before add_actor() has returned to the one that creates it, so it introduces itself.
    simgrid_names::add_actor(name, hosts_[host].simgrid(),
                             [this, body = std::move(body), on_unknown_exception = std::move(on_unknown_exception)] {
                               actor_ = s4u::Actor::self();
                               try {
                                 body();
                               } catch (const simgrid::ForcefulKillException&) {
                                 throw;
                               } catch (...) {
                                 on_unknown_exception();
                               }
                             });
  }

  void suspend() override {
    const HandledExceptions mine;
    s4u::this_actor::suspend();
  }

  bool execute(std::uint32_t host, std::int64_t cpu_ns) override {
    const HandledExceptions mine;
    host_ = &hosts_[host];
    const Share share(*host_);
    begun_at_virtual_ns_ = host_->virtual_ns();
    asked_ns_ = left_ns_ = cpu_ns;  // others may ask before there is an execution
    interrupted_ = false;
    execution_ = s4u::this_actor::exec_init(static_cast<double>(cpu_ns))->set_host(host_->simgrid());
    execution_->start();
    try {
      execution_->wait();
    } catch (const simgrid::CancelException&) {
      DPM_CHECK(interrupted_);
    }
    execution_ = nullptr;
    return !interrupted_;
  }

  void resume() override { actor_->resume(); }

  void interrupt() override {
    if (!execution_ || interrupted_) return;
    left_ns_ = left_ns();
    interrupted_ = true;
    execution_->cancel();
  }

  void kill() override {
    if (actor_) actor_->kill();
  }

  std::int64_t left_ns() const override {
    if (!execution_ || interrupted_) return left_ns_;
    const std::int64_t used_ns = std::llround(host_->virtual_ns() - begun_at_virtual_ns_);
    return std::clamp<std::int64_t>(asked_ns_ - used_ns, 0, asked_ns_);
  }

 private:
  std::deque<Host>& hosts_;
  s4u::ActorPtr actor_;
  s4u::ExecPtr execution_;
  Host* host_ = nullptr;
  double begun_at_virtual_ns_ = 0;
  std::int64_t asked_ns_ = 0;
  std::int64_t left_ns_ = 0;
  bool interrupted_ = false;
};

// SimGrid installs handlers of its own. Without them a crash ends the child the way it would end the parent.
class SignalHandlers {
 public:
  SignalHandlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &saved_[i]);
  }
  ~SignalHandlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &saved_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGSEGV, SIGBUS, SIGABRT};
  std::array<struct sigaction, kSignals.size()> saved_ = {};
};

}  // namespace

struct Engine::Implementation {
  Calls calls;
  std::unique_ptr<s4u::Engine> engine;
  s4u::NetZone* zone = nullptr;
  std::deque<Host> hosts;
  Timer* alarm = nullptr;
};

Engine::Engine(Calls calls, std::size_t expected_actors, const std::string& log_path)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->calls = std::move(calls);
  const SignalHandlers restored_afterwards;
  const std::string log = "root.thres:critical root.app:file:" + log_path;
  xbt_log_control_set(log.c_str());
  // An argv of our own: SimGrid would take --cfg, --log and --help from the program's command line.
  const bool too_many_to_guard = expected_actors > kMostGuardedStacks;
  const int stack_kilobytes = too_many_to_guard ? kSmallStackKilobytes : kStackKilobytes;
  std::vector<std::string> words = {"dpm", "--cfg=contexts/stack-size:" + std::to_string(stack_kilobytes),
                                    "--cfg=debug/clean-atexit:no",
                                    // What is nearer than this happens at once. The default is a whole nanosecond, by
                                    // which every computation may then end early.
                                    std::string(simgrid_names::kPrecision) + "1e-12"};
  if (too_many_to_guard) words.push_back("--cfg=contexts/guard-size:0");
  if (kSanitized) words.push_back("--cfg=contexts/factory:thread");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  implementation_->engine = std::make_unique<s4u::Engine>(&count, arguments.data());
  implementation_->zone = simgrid_names::add_zone(*implementation_->engine, "world");
  s4u::Engine::on_deadlock_cb([this] { implementation_->calls.on_standstill(); });
}

Engine::~Engine() = default;

std::uint32_t Engine::add_host(const std::string& name, std::uint16_t cores) {
  s4u::Host* host = simgrid_names::add_host(*implementation_->zone, name, kFlopsPerSecond);
  host->set_core_count(cores);
  implementation_->hosts.emplace_back(host, cores);
  return static_cast<std::uint32_t>(implementation_->hosts.size() - 1);
}

void Engine::hosts_are_complete() { implementation_->zone->seal(); }

std::unique_ptr<Actor> Engine::create_actor() { return std::make_unique<SimgridActor>(implementation_->hosts); }

TrueTime Engine::now() const { return {whole_ns(s4u::Engine::get_clock() * 1e9)}; }

void Engine::set_alarm(TrueTime at) {
  clear_alarm();
  // The clock is a double: an alarm for this very nanosecond may lie a fraction of it in the past, which SimGrid
  // refuses.
  const double date = std::max(at.seconds(), s4u::Engine::get_clock());
  implementation_->alarm = Timer::set(date, [this] {
    implementation_->alarm = nullptr;
    implementation_->calls.on_alarm();
  });
}

void Engine::clear_alarm() {
  if (implementation_->alarm != nullptr) implementation_->alarm->remove();
  implementation_->alarm = nullptr;
}

void Engine::run() {
  implementation_->engine->run();
  implementation_->calls.on_standstill();
}

}  // namespace dpm::sim
