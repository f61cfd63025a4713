// Many calls that wait: what each other call costs then, and what is recorded of those that wait in the kernel.
#include <csignal>
#include <functional>

#include "tests/backends/linux/supervisor/scripted_program.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr auto kPipe = DescriptorIdentity::Kind::pipe;
constexpr auto kSocket = DescriptorIdentity::Kind::socket;
constexpr std::size_t kHeldMost = HeldCalls::kHeldMost;

// The instructions of `work`: the processor traps at each (the trap flag). A system call is one.
volatile std::uint64_t trapped = 0;
std::uint64_t instructions_of(const std::function<void()>& work) {
  constexpr unsigned long long kTrapFlag = 0x100;
  struct sigaction count = {}, before = {};
  count.sa_handler = [](int) { trapped = trapped + 1; };
  ::sigaction(SIGTRAP, &count, &before);
  trapped = 0;
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | kTrapFlag);
  work();
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~kTrapFlag);
  ::sigaction(SIGTRAP, &before, nullptr);
  return trapped;
}

struct Waiting : Program {
  explicit Waiting(int count, DescriptorIdentity::Kind kind) {
    for (int i = 0; i < count; ++i) {
      idle.push_back(start_reader(kind));
      read(idle.back());
    }
    attend();
    busy = start_reader(kind);
    request();  // whatever is allocated once
  }

  // A thread waits for its data, which comes, and the next call is made.
  void request() {
    const std::uint64_t id = read(busy);
    busy.file->bytes_come(10);
    attend();
    if (!was_let_go(id)) std::abort();
    takes(busy, 10);
    write(10);
  }

  std::vector<Reader> idle;
  Reader busy;
};

// How much more the work costs when twice as many calls wait.
double growth(DescriptorIdentity::Kind kind, const std::function<void(Waiting&)>& work) {
  constexpr int kCalls = 300;
  Waiting some(kCalls, kind), twice(2 * kCalls, kind);
  const std::uint64_t cost = instructions_of([&] { work(some); });
  return static_cast<double>(instructions_of([&] { work(twice); })) / static_cast<double>(cost);
}

constexpr double kGrowthMax = 1.1;  // the depth of a search tree grows

}  // namespace

TEST_CASE("many calls: what a call costs does not grow with the number of calls that wait", "[linux]") {
  for (const auto kind : {kPipe, kSocket}) {
    CHECK(growth(kind, [](Waiting& program) { program.request(); }) < kGrowthMax);
    CHECK(growth(kind, [](Waiting& program) {
            program.idle.front().file->bytes_come(10);
            program.attend();
            program.takes(program.idle.front(), 10);
          }) < kGrowthMax);
  }
}

TEST_CASE("many calls: a look around is at a bounded number of them", "[linux]") {
  Waiting program(1000, kPipe);
  const std::uint64_t before = program.kernel.borrowed;
  program.look_around_later();
  CHECK(program.kernel.borrowed - before <= kHeldMost);
}

TEST_CASE("many calls: a look at each call that waits is found by its cost", "[linux]") {
  const double scan = growth(kPipe, [](Waiting& program) {
    program.request();
    for (const auto& [tid, thread] : program.shared.table.threads())
      if (thread->hold && thread->hold->deadline_ns != 0) std::abort();
  });
  CHECK(scan > kGrowthMax);
}

TEST_CASE("many calls: only the youngest are held, and their number is bounded", "[linux]") {
  Program program;
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < 3 * kHeldMost; ++i) ids.push_back(program.read(program.start_reader(kPipe)));
  CHECK(program.kernel.unanswered.size() == kHeldMost);
  CHECK(program.was_let_go(ids.front()));
  CHECK_FALSE(program.is_in_a_slot(ids.front()));
  CHECK(program.waits(ids.back()));
  CHECK(program.count(EventType::receive) == 0);
}

TEST_CASE("many calls: datagram sockets and accepts are held, however many they are", "[linux]") {
  Program program;
  for (std::size_t i = 0; i < kHeldMost + 10; ++i) {
    const auto reader = program.start_reader(kPipe);
    ScriptedFile& udp = program.kernel.udp(5000 + i, "127.0.0.1:" + std::to_string(5000 + i));
    program.kernel.processes[kServer].files[reader.fd] = &udp;
    program.read(reader);
  }
  CHECK(program.kernel.unanswered.size() == kHeldMost + 10);
}

namespace {

// The first reader's call waits in the kernel.
struct InKernel : Program {
  explicit InKernel(DescriptorIdentity::Kind kind) : first(start_reader(kind)) {
    call_id = read(first);
    for (std::size_t i = 0; i < kHeldMost; ++i) read(start_reader(kPipe));
    if (!was_let_go(call_id)) std::abort();
  }

  Reader first;
  std::uint64_t call_id = 0;
};

}  // namespace

TEST_CASE("many calls: a receive that waits in the kernel has the time at which its data came, as far as it is known",
          "[linux]") {
  enum class When { before_the_look, after_the_look };  // the call takes it
  for (const auto kind : {kPipe, kSocket}) {
    for (const auto taken : {When::before_the_look, When::after_the_look}) {
      CAPTURE(static_cast<int>(taken), static_cast<int>(kind));
      InKernel program(kind);
      const std::int64_t came_ns = program.first.file->last_data_ns = program.kernel.now_ns;
      program.first.file->bytes_come(10);
      if (taken == When::after_the_look) program.attend();
      program.takes(program.first, 10);
      program.attend();
      const std::int64_t seen_ns = program.kernel.now_ns;
      program.kernel.now_ns += 1'000'000;
      program.read(program.first);
      const auto received = program.of(EventType::receive);
      REQUIRE(received.size() == 1);
      CHECK(received.front().length_bytes == 10);
      const bool is_known = kind == kSocket || taken == When::after_the_look;
      CHECK((received.front().local_time.ns <= seen_ns) == is_known);
      CHECK(received.front().local_time.ns >= came_ns);
      CHECK((received.front().evidence == Evidence::inferred) == !is_known);
      CHECK(program.count(EventType::gap) == 0);
      CHECK(program.count(EventType::receive_call) == kHeldMost + 2);
    }
  }
}

TEST_CASE("many calls: what a metered process sends to a receive that waits in the kernel comes when it is sent",
          "[linux]") {
  InKernel program(kPipe);
  program.call(kServer, SYS_write, {static_cast<std::uint64_t>(program.first.fd), 0x2000, 10});
  program.first.file->bytes_come(10);
  program.takes(program.first, 10);
  program.kernel.now_ns += 1'000'000;
  program.attend();
  program.kernel.threads[kServer].transferred.written_bytes += 10;
  program.write(1);
  const auto sent = program.of(EventType::send), received = program.of(EventType::receive);
  REQUIRE(sent.size() == 1);
  REQUIRE(received.size() == 1);
  CHECK(received.front().local_time == sent.front().local_time);
  CHECK(received.front().evidence == sent.front().evidence);
}

TEST_CASE("many calls: a receive that waits in the kernel and ends with its thread is recorded", "[linux]") {
  InKernel program(kPipe);
  program.first.file->bytes_come(10);
  program.takes(program.first, 10);
  program.kernel.announce(ProcessChange::Kind::exit, program.first.tid, kServer);
  program.handler.tracker().read_news();
  CHECK(program.lengths(EventType::receive) == Lengths{10});
}

TEST_CASE("many calls: a receive in the kernel that a signal interrupts and that is made again is one request",
          "[linux]") {
  for (const auto kind : {kPipe, kSocket}) {
    InKernel program(kind);
    program.read(program.first);
    CHECK(program.count(EventType::receive_call) == kHeldMost + 1);
    CHECK(program.count(EventType::receive) == 0);
  }
}

TEST_CASE("many calls: of two calls for one stream, the one that waits in the kernel gets what comes first",
          "[linux]") {
  InKernel program(kSocket);
  program.start_worker();
  const auto second = program.call(kWorker, SYS_read, {static_cast<std::uint64_t>(program.first.fd), 0x2000, 4096});
  CHECK(program.waits(second));
  program.first.file->bytes_come(10);
  program.takes(program.first, 10);
  program.attend();
  CHECK(program.waits(second));
  program.first.file->bytes_come(20);
  program.attend();
  CHECK(program.was_let_go(second));
  const auto received = program.of(EventType::receive);
  REQUIRE(received.size() == 1);
  CHECK(received.front().length_bytes == 10);
}

TEST_CASE("many calls: what waits in the kernel is let be when the meter ends", "[linux]") {
  InKernel program(kPipe);
  program.handler.finish();
  CHECK(program.kernel.unanswered.empty());
}

}  // namespace dpm
