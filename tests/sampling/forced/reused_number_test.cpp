// A process ends, and its number is given to another: the other is never taken for the first.
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "os/read_file.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "tests/sampling/forced/forced_process.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

constexpr useconds_t kTwoTicks_us = 20'000;  // start times have hundredths of a second

// A child with this number (0: the kernel chooses) that waits for a time or for a signal; -1: the number may not be chosen.
pid_t start_with_number(pid_t number, State waits) {
  clone_args arguments = {};
  arguments.exit_signal = SIGCHLD;
  if (number != 0) {
    arguments.set_tid = reinterpret_cast<std::uint64_t>(&number);
    arguments.set_tid_size = 1;
  }
  const auto child = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) waits == State::sleep ? ::sleep(100) : static_cast<unsigned>(::pause());
}

void bury(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// It sleeps; the one that gets its number waits for a signal.
class ReusedNumber {
 public:
  ReusedNumber() : pid_(start_with_number(0, State::sleep)) { ::usleep(kTwoTicks_us); }
  ReusedNumber(const ReusedNumber&) = delete;
  ~ReusedNumber() { bury(pid_); }

  std::uint32_t number() const { return static_cast<std::uint32_t>(pid_); }
  // False, with the reason on the standard output, if that is not possible here.
  bool give_to_another() {
    bury(pid_);
    const pid_t other = start_with_number(pid_, State::signal);
    ::usleep(kTwoTicks_us);
    if (other == pid_) return true;
    std::cout << "SKIPPED: the number of a process may not be chosen here" << std::endl;
    return false;
  }

 private:
  pid_t pid_;
};

StatLine stat_of(std::uint32_t pid) {
  const auto stat = read_stat(read_file("/proc/" + std::to_string(pid) + "/stat"));
  REQUIRE(stat);
  return *stat;
}

std::uint64_t count_of(const CountArray& counts, State state) {
  return counts.total().states[static_cast<std::size_t>(state)];
}

TEST_CASE("reused number: a selection has the process that was chosen, and not a later one with its number",
          "[sampling]") {
  for (const bool with_iterator : {false, true}) {
    auto looker = with_iterator ? iterator_if_possible() : nullptr;
    if (with_iterator && !looker) return;
    ReusedNumber process;
    auto selection = read_selection({"pid", std::to_string(process.number())});
    REQUIRE(selection);
    ProcSampler sampler(*std::move(selection), std::move(looker));
    CountArray counts({.source = std::string(kProcSource)});
    sampler.take(counts);
    REQUIRE(count_of(counts, State::sleep) == 1);
    if (!process.give_to_another()) return;
    for (int i = 0; i < 20; ++i) sampler.take(counts);
    INFO((with_iterator ? "from the iterator: " : "from /proc: ") << found_text(counts.total()));
    CHECK(sampler.is_over());
    CHECK(count_of(counts, State::sleep) == 1);
    CHECK(count_of(counts, State::signal) == 0);
  }
}

TEST_CASE("reused number: a later process is not one that was named", "[sampling]") {
  ReusedNumber process;
  const auto tree = select_tree({process.number()}, "");
  REQUIRE(tree);
  CHECK(is_selected(*tree, process.number(), stat_of(process.number()), false));
  if (!process.give_to_another()) return;
  CHECK_FALSE(is_selected(*tree, process.number(), stat_of(process.number()), false));
}

TEST_CASE("reused number: files that are opened for each read are not those of a later process", "[sampling]") {
  ReusedNumber number;
  DescriptorLookup descriptors;
  std::string buffer;
  SampledProcess process(number.number(), 0, "");
  REQUIRE(process.look(descriptors, buffer, false).threads.size() == 1);
  if (!number.give_to_another()) return;
  const auto found = process.look(descriptors, buffer, false);
  CHECK(found.gone);
  CHECK(found.ending == 1);
  CHECK(found.threads.empty());
}

TEST_CASE("reused number: a process that was chosen and ended before the first look is ending", "[sampling]") {
  ReusedNumber number;
  const std::uint64_t began_ticks = stat_of(number.number()).start_ticks;
  if (!number.give_to_another()) return;
  DescriptorLookup descriptors;
  std::string buffer;
  SampledProcess process(number.number(), began_ticks, "");
  const auto found = process.look(descriptors, buffer, true);
  CHECK(found.gone);
  CHECK(found.ending == 1);
}

}  // namespace
}  // namespace dpm::sampling
