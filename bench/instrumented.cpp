// links: dpm_monitor dpm_instrumented dpm_os
// S3's test 5.1.1: a loop that counts with an Integer in place of an int, without a monitor, with a monitor that wants other
// objects, and recorded. S3 measured 4 times the loop without monitoring, and 50 to 100 times with it. Then two threads that do
// nothing but record.
#include <atomic>
#include <chrono>
#include <dpm/monitor/integer.hpp>
#include <string>
#include <thread>

#include "backends/instrumented/program_folder.hpp"
#include "bench/measure.hpp"

namespace {

using namespace dpm;

constexpr int kTurns = 20'000'000, kRecords = 2'000'000;

template <typename Counter>
__attribute__((noinline)) void count(Counter& i, int turns, std::uint64_t& state) {
  std::uint64_t x = state;
  for (i = 0; i < turns; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  state = x;
}

// Wants what `wants` says of the objects that are declared while it lives, and takes all records.
class Watcher {
 public:
  template <typename Wants>
  Watcher(ProgramFolder folder, Wants wants)
      : folder_(std::move(folder)), thread_([this, wants] {
          std::vector<std::string> complaints;
          std::vector<ProgramFolder::Found> programs;
          while (!is_over_) {
            for (auto& found : folder_.take_new(complaints)) programs.push_back(std::move(found));
            for (auto& found : programs) {
              if (const std::size_t added = found.program.take_objects(); added != 0) {
                const std::size_t objects = found.program.objects().size();
                for (std::size_t o = objects - added; o < objects; ++o)
                  found.program.want(o, wants(found.program.objects()[o].name));
                found.program.answer();
              }
              taken_ += found.program.take_records().size();
            }
            std::this_thread::sleep_for(std::chrono::microseconds(200));
          }
        }) {}
  ~Watcher() {
    is_over_ = true;
    thread_.join();
  }
  std::uint64_t taken() const { return taken_; }

 private:
  ProgramFolder folder_;
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> taken_ = 0;
  std::thread thread_;
};

std::uint32_t assignments(const std::string& name) {
  return name == "recorded" ? static_cast<std::uint32_t>(monitor::Action::kAssign) : 0;
}

void compare(const char* what, monitor::Monitor* owner, const char* object, int turns) {
  std::uint64_t state = 88172645463325252u;
  int plain = 0;
  monitor::Integer<int> seen(owner, "main", object, 0);
  print_ratio(what, Way{"ints", [&] { count(plain, turns, state); }},
              Way{"Integers", [&] { count(seen, turns, state); }}, static_cast<std::uint64_t>(turns), "turn");
}

void two_threads(monitor::Monitor* owner, const Watcher& watcher) {
  const std::uint64_t before = watcher.taken();
  const auto start = std::chrono::steady_clock::now();
  const auto work = [owner] {
    monitor::Integer<int> seen(owner, "main", "recorded", 0);
    for (int i = 0; i < kRecords; ++i) seen = i;
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::printf("two threads: %.1f million events a second, of which the monitor took %.0f %%; the others are counted\n",
              2e-6 * kRecords / seconds, 100.0 * static_cast<double>(watcher.taken() - before) / (2.0 * kRecords));
}

}  // namespace

int main() {
  monitor::Monitor owner;
  if (!owner.is_connected()) {
    std::printf("not connected: %s\n", owner.reason());
    return 1;
  }
  compare("no monitor", &owner, "alone", kTurns);
  auto folder = ProgramFolder::take();
  if (!folder) {
    std::printf("%s\n", folder.error().what.c_str());
    return 1;
  }
  const Watcher watcher(std::move(*folder), assignments);
  compare("a monitor that wants other objects", &owner, "unwanted", kTurns);
  compare("recorded", &owner, "recorded", kRecords);
  two_threads(&owner, watcher);
}
