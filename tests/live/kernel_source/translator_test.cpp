// What records of the kernel's programs become, without a kernel.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "backends/linux/bpf/kernel_ledger.hpp"
#include "backends/linux/bpf/record_translator.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kServer = 4'000'001, kChild = 4'000'002;  // no process has these numbers
// The clock of the records.
template <typename Record>
void stamp(Record& record, dpm_record_kind kind, std::int64_t time_ns) {
  record.kind = static_cast<unsigned char>(kind);
  record.time_ns = static_cast<std::uint64_t>(time_ns) & ((std::uint64_t{1} << 56) - 1);
}

constexpr unsigned kClientSocket = 71, kServerSocket = 72, kPipe = 5;

// Plays records, a microsecond apart, and keeps the events.
class Kernel {
 public:
  Kernel() : translator_(meter_, {kServer, "server --port 1", MeterFlags::all()}, 0) {
    translator_.threads().begin_program(now_ns_);
  }

  dpm_record record(dpm_record_kind kind, std::uint32_t tid) {
    dpm_record record = {};
    stamp(record, kind, now_ns_ += 1000);
    record.tid = tid;
    record.descriptor = 3;
    record.flags = dpm_in_call;
    return record;
  }

  template <typename Record>
  void take(const Record& record) {
    translator_.take({reinterpret_cast<const std::byte*>(&record), sizeof record});
    keep_events();
  }

  void give_up_old(std::int64_t now_ns) {
    translator_.give_up_old(now_ns);
    keep_events();
  }

  void fork(std::uint32_t parent, std::uint32_t child) {
    dpm_task_record child_task = task(dpm_forked, parent, parent);
    child_task.child = child_task.child_pid = child_task.seen_as = child;
    std::strncpy(child_task.name, "worker", sizeof child_task.name);
    take(child_task);
  }

  dpm_task_record task(dpm_record_kind kind, std::uint32_t tid, std::uint32_t pid) {
    dpm_task_record record = {};
    stamp(record, kind, now_ns_ += 1000);
    record.tid = tid;
    record.pid = pid;
    return record;
  }

  void connection() {
    for (const unsigned file : {kClientSocket, kServerSocket}) {
      dpm_socket_record socket = {};
      stamp(socket, dpm_socket, now_ns_ += 1000);
      socket.file = file;
      socket.family = AF_INET;
      socket.type = SOCK_STREAM;
      socket.protocol = IPPROTO_TCP;
      socket.state = 1;
      socket.is_connected = 1;
      const std::uint32_t loopback = htonl(INADDR_LOOPBACK);
      std::memcpy(socket.local, &loopback, sizeof loopback);
      std::memcpy(socket.peer, &loopback, sizeof loopback);
      const bool is_client = file == kClientSocket;
      socket.syn_counted = is_client;
      socket.local_port = is_client ? 40000 : 1;
      socket.peer_port = is_client ? 1 : 40000;
      take(socket);
    }
  }

  std::string types() const {
    std::string text;
    for (const Event& event : events) text += (text.empty() ? "" : " ") + std::string(name_of(event.type));
    return text;
  }

  void passes(std::int64_t nanoseconds) { now_ns_ += nanoseconds; }
  RecordTranslator& translator() { return translator_; }
  std::vector<Event> events;

 private:
  void keep_events() {
    for (const Event& event : meter_.take().events) events.push_back(event);
  }

  Meter meter_;
  std::int64_t now_ns_ = 1'000'000'000;
  RecordTranslator translator_;
};

TEST_CASE("eBPF source: one record of a receive is its call and what it took", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.connection();
  kernel.events.clear();
  dpm_record received = kernel.record(dpm_received, kServer);
  received.file = kServerSocket;
  received.flags |= dpm_began;
  received.before_ns = 400;
  received.cpu_ns = 5000;
  received.result = 10;
  kernel.take(received);
  REQUIRE(kernel.types() == "ACCEPT RECEIVECALL RECEIVE");
  const Event& asked = kernel.events[1];
  const Event& got = kernel.events[2];
  CHECK(got.local_time.ns - asked.local_time.ns == 400);
  CHECK(got.proc_time_ns - asked.proc_time_ns == 400);
  CHECK(got.length_bytes == 10);
  CHECK(asked.code != 0);  // it might have waited for this channel
}

TEST_CASE("eBPF source: a send has the time and the CPU time of its beginning", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.connection();
  kernel.passes(1'000'000'000);
  dpm_record sent = kernel.record(dpm_sent, kServer);
  sent.file = kClientSocket;
  sent.before_ns = 3;
  sent.flags |= dpm_coarse;
  sent.cpu_ns = 7000;
  sent.result = 10;
  kernel.take(sent);
  const Event& event = kernel.events.back();
  CHECK(event.type == EventType::send);
  CHECK(event.local_time.ns == static_cast<std::int64_t>(sent.time_ns) - 3 * (1 << 20));
  CHECK(event.proc_time_ns == 7000);
}

TEST_CASE("eBPF source: what a thread waited is in its events from then on, and never less", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.connection();
  const auto waits = [&](std::uint64_t ready_ns, std::uint64_t disk_ns) {
    dpm_waits_record record = {};
    stamp(record, dpm_waits, 2'000'000'000);
    record.tid = kServer;
    record.ready_ns = ready_ns;
    record.disk_ns = disk_ns;
    kernel.take(record);
  };
  const auto sends = [&] {
    dpm_record sent = kernel.record(dpm_sent, kServer);
    sent.file = kClientSocket;
    sent.result = 10;
    kernel.take(sent);
    return kernel.events.back();
  };
  CHECK(sends().ready_time_ns == 0);
  waits(7000, 300);
  CHECK(sends().ready_time_ns == 7000);
  CHECK(sends().disk_time_ns == 300);
  waits(6000, 400);
  CHECK(sends().ready_time_ns == 7000);
  CHECK(sends().disk_time_ns == 400);
  kernel.fork(kServer, kChild);
  CHECK(kernel.events.back().type == EventType::start_process);
  CHECK(kernel.events.back().ready_time_ns == 0);
}

TEST_CASE("eBPF source: a program that asks by connect() what became of its connection has connected once",
          "[linux][kernel_source]") {
  Kernel kernel;
  kernel.connection();
  kernel.events.clear();
  for (const std::int32_t result : {-EINPROGRESS, 0}) {
    dpm_record connected = kernel.record(dpm_connected, kServer);
    connected.file = kClientSocket;
    connected.result = result;
    kernel.take(connected);
  }
  dpm_record sent = kernel.record(dpm_sent, kServer);
  sent.file = kClientSocket;
  sent.result = 10;
  kernel.take(sent);
  REQUIRE(kernel.types() == "CONNECT SEND");
  CHECK(kernel.events[0].channel == kernel.events[1].channel);
}

TEST_CASE("eBPF source: a connection that does not come about holds up the events of its thread for a moment only",
          "[linux][kernel_source]") {
  Kernel kernel;
  kernel.connection();
  kernel.events.clear();
  dpm_record connected = kernel.record(dpm_connected, kServer);
  connected.file = 99;  // not described: it was refused
  connected.result = -EINPROGRESS;
  kernel.take(connected);
  dpm_record sent = kernel.record(dpm_sent, kServer);
  sent.descriptor = 4;
  sent.file = kClientSocket;
  sent.result = 10;
  kernel.take(sent);
  CHECK(kernel.events.empty());
  const auto now_ns = static_cast<std::int64_t>(sent.time_ns);
  kernel.give_up_old(now_ns + 10'000'000);
  CHECK(kernel.events.empty());
  kernel.give_up_old(now_ns + 200'000'000);
  CHECK(kernel.types() == "CONNECT SEND");
}

namespace {

// Two clients of one socket, connected to it, as programs that log are.
class Log : public Kernel {
 public:
  static constexpr unsigned kFirstClient = 81, kSecondClient = 82, kLog = 83;

  Log() {
    fork(kServer, kChild);
    socket(kLog, "/run/log", "");
    socket(kFirstClient, "", "/run/log");
    socket(kSecondClient, "", "/run/log");
    events.clear();
  }
  dpm_record sent(std::uint32_t tid, unsigned file, int bytes) { return moved(dpm_sent, tid, file, bytes); }
  dpm_record received(unsigned from, int bytes) {
    dpm_record received = moved(dpm_received, kServer, kLog, bytes);
    received.offset = from;
    return received;
  }
  std::vector<Event> of(EventType type) const {
    std::vector<Event> found;
    std::ranges::copy_if(events, std::back_inserter(found), [type](const Event& event) { return event.type == type; });
    return found;
  }

 private:
  dpm_record moved(dpm_record_kind kind, std::uint32_t tid, unsigned file, int bytes) {
    dpm_record moved = record(kind, tid);
    moved.file = file;
    moved.result = bytes;
    return moved;
  }
  void socket(unsigned file, const std::string& own, const std::string& peer) {
    dpm_socket_record socket = {};
    stamp(socket, dpm_socket, 1'000'000'000);
    socket.file = file;
    socket.family = AF_UNIX;
    socket.type = SOCK_DGRAM;
    socket.is_connected = peer.empty() ? 0 : 1;
    socket.peer_file = peer.empty() ? 0 : kLog;
    socket.local_length = static_cast<unsigned short>(own.size());
    socket.peer_length = static_cast<unsigned short>(peer.size());
    own.copy(socket.local_path, sizeof socket.local_path);
    peer.copy(socket.peer_path, sizeof socket.peer_path);
    take(socket);
  }
};

}  // namespace

TEST_CASE("eBPF source: a UNIX datagram is from the thread that used the socket which the kernel names",
          "[linux][kernel_source]") {
  Log log;
  log.take(log.sent(kServer, Log::kFirstClient, 10));
  log.take(log.sent(kChild, Log::kSecondClient, 10));
  const auto sent = log.of(EventType::send);
  log.take(log.received(Log::kSecondClient, 10));
  log.take(log.received(Log::kFirstClient, 10));
  const auto received = log.of(EventType::receive);
  REQUIRE(received.size() == 2);
  CHECK(received[0].peer == sent.at(1).process);
  CHECK(received[1].peer == sent.at(0).process);
  CHECK(received[0].channel == sent.at(0).channel);
}

TEST_CASE("eBPF source: a UNIX datagram that is received before its send has returned waits for it a moment",
          "[linux][kernel_source]") {
  Log log;
  const dpm_record received = log.received(Log::kSecondClient, 10);
  log.take(received);
  CHECK(log.of(EventType::receive).empty());
  SECTION("it comes") {
    log.take(log.sent(kChild, Log::kSecondClient, 10));
    REQUIRE(log.of(EventType::receive).size() == 1);
    CHECK(log.of(EventType::receive)[0].peer == log.of(EventType::send).at(0).process);
  }
  SECTION("the sender is outside") {
    log.give_up_old(static_cast<std::int64_t>(received.time_ns) + 200'000'000);
    REQUIRE(log.of(EventType::receive).size() == 1);
    CHECK(log.of(EventType::receive)[0].peer.is_none());
  }
}

TEST_CASE("eBPF source: both ends of a connection are one channel each way", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  kernel.connection();
  dpm_record sent = kernel.record(dpm_sent, kServer);
  sent.file = kClientSocket;
  sent.result = 10;
  kernel.take(sent);
  const ChannelId channel = kernel.events.back().channel;
  dpm_record received = kernel.record(dpm_received, kChild);
  received.file = kServerSocket;
  received.result = 10;
  kernel.take(received);
  CHECK(kernel.events.back().channel == channel);
  CHECK(kernel.events.back().sequence == 0);
}

TEST_CASE("eBPF source: bytes that a full ring did not report are a gap", "[linux][kernel_source]") {
  Kernel kernel;
  dpm_pipe_record pipe = {};
  pipe.kind = dpm_pipe;
  pipe.file = kPipe;
  pipe.inode = 99;
  kernel.take(pipe);
  for (const unsigned offset : {0u, 100u}) {
    dpm_record sent = kernel.record(dpm_sent, kServer);
    sent.flags |= dpm_is_pipe;
    sent.file = kPipe;
    sent.offset = offset;
    sent.result = 10;
    kernel.take(sent);
    kernel.translator().some_are_lost();
  }
  REQUIRE(kernel.types() == "STARTPROCESS SEND GAP SEND");
  CHECK(kernel.events[2].sequence == 10);
  CHECK(kernel.events[2].length_bytes == 90);
  CHECK(kernel.events[3].sequence == 100);
}

TEST_CASE("eBPF source: an end is dated when the thread exits, and has all its CPU time", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  dpm_task_record exited = kernel.task(dpm_exited, kChild, kChild);
  exited.cpu_ns = 1000;
  exited.code = 3 << 8;
  kernel.take(exited);
  dpm_record waited = kernel.record(dpm_waited, kServer);
  waited.result = static_cast<int>(kChild);
  waited.before_ns = 500;
  kernel.take(waited);
  dpm_task_record gone = kernel.task(dpm_gone, kChild, kChild);
  gone.cpu_ns = 9000;
  kernel.take(gone);
  REQUIRE(kernel.types() == "STARTPROCESS CREATEPROCESS STARTPROCESS WAIT DESTROYPROCESS");
  CHECK(kernel.events[3].sequence == 500);
  const Event& end = kernel.events[4];
  CHECK(end.local_time.ns == static_cast<std::int64_t>(exited.time_ns));
  CHECK(end.proc_time_ns == 9000);
  CHECK(end.code == 3);
  CHECK_FALSE(kernel.translator().threads().none_left());
}

// A thread of the server that goes on because of the server.
dpm_record hand_over(Kernel& kernel, dpm_record_kind kind, std::uint64_t number, unsigned flags = 0) {
  const bool gives = kind == dpm_gave;
  dpm_record record = kernel.record(kind, gives ? kServer : kChild);
  record.file = gives ? kChild : kServer;
  record.offset = number;
  record.flags = static_cast<unsigned short>(flags);
  record.descriptor = 0xffff;
  return record;
}

TEST_CASE("eBPF source: what a thread hands over to one that waits is a message without bytes",
          "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  kernel.events.clear();
  for (const std::uint64_t number : {1u, 2u}) {
    dpm_record slept = hand_over(kernel, dpm_slept, 0);
    slept.cpu_ns = 10 * number;
    kernel.take(slept);
    kernel.take(hand_over(kernel, dpm_gave, number));
    dpm_record took = hand_over(kernel, dpm_took, number);
    took.cpu_ns = 10 * number + 1;
    kernel.take(took);
    REQUIRE(kernel.types() == "SEND RECEIVECALL RECEIVE");
    const Event sent = kernel.events[0], asked = kernel.events[1], received = kernel.events[2];
    CHECK(sent.peer == received.process);
    CHECK(received.peer == sent.process);
    CHECK(received.channel == sent.channel);
    CHECK(sent.sequence == number);
    CHECK(received.sequence == number);
    CHECK(received.length_bytes == 0);
    CHECK(asked.local_time < sent.local_time);
    CHECK(asked.proc_time_ns == 10 * number);
    CHECK(received.proc_time_ns == 10 * number + 1);
    kernel.events.clear();
  }
}

TEST_CASE("eBPF source: a sleep at a futex that no followed thread ended is not an event", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  kernel.events.clear();
  kernel.take(hand_over(kernel, dpm_slept, 0));
  kernel.take(hand_over(kernel, dpm_slept, 0));
  CHECK(kernel.events.empty());
}

TEST_CASE("eBPF source: of a hand-over whose giver or sleep was lost the rest is told", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  kernel.events.clear();
  kernel.take(hand_over(kernel, dpm_took, 5));
  REQUIRE(kernel.types() == "RECEIVE");
  CHECK(kernel.events[0].sequence == 5);
  CHECK_FALSE(kernel.events[0].peer.is_none());
}

TEST_CASE("eBPF source: a wait at a futex for the end of a thread is a WAIT", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  kernel.events.clear();
  const dpm_record slept = hand_over(kernel, dpm_slept, 0);
  kernel.take(slept);
  kernel.take(hand_over(kernel, dpm_gave, 1, dpm_at_end));
  const dpm_record took = hand_over(kernel, dpm_took, 1, dpm_at_end);
  kernel.take(took);
  REQUIRE(kernel.types() == "WAIT");
  CHECK(kernel.events[0].code == static_cast<std::uint32_t>(WaitKind::thread_end));
  CHECK(kernel.events[0].sequence == took.time_ns - slept.time_ns);
}

TEST_CASE("eBPF source: a child that only stopped has not ended a wait", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.fork(kServer, kChild);
  dpm_record waited = kernel.record(dpm_waited, kServer);
  waited.result = static_cast<int>(kChild);
  kernel.take(waited);
  CHECK(kernel.types() == "STARTPROCESS CREATEPROCESS STARTPROCESS");
}

TEST_CASE("eBPF source: CPU time goes on where 48 bits end", "[linux][kernel_source]") {
  Kernel kernel;
  const std::uint64_t span = std::uint64_t{1} << 48;
  FollowedThread& thread = *kernel.translator().threads().find(kServer);
  thread.read_cpu_time(span / 3);
  thread.read_cpu_time(span - span / 3);
  thread.read_cpu_time(span - 1);
  thread.read_cpu_time(4);
  CHECK(thread.metered->proc_time_ns() == span + 4);
}

TEST_CASE("eBPF source: pipes in use are known however many come and go, others are forgotten",
          "[linux][kernel_source]") {
  Kernel kernel;
  const auto asks = [&kernel](unsigned file) {
    dpm_record asked = kernel.record(dpm_asked, kServer);
    asked.flags |= dpm_is_pipe | dpm_began;
    asked.file = file;
    kernel.take(asked);
  };
  constexpr unsigned kPipes = 300'000, kBetween = 10'000;
  for (unsigned file = 1; file <= kPipes; ++file) {
    dpm_pipe_record pipe = {};
    pipe.kind = dpm_pipe;
    pipe.file = file;
    pipe.inode = file;
    kernel.translator().take({reinterpret_cast<const std::byte*>(&pipe), sizeof pipe});
    if (file % kBetween == 0) asks(1);
  }
  CHECK(kernel.translator().events_not_understood() == 0);
  asks(2);
  CHECK(kernel.translator().events_not_understood() == 1);
}

TEST_CASE("eBPF source: records of threads and pipes that are not known are counted", "[linux][kernel_source]") {
  Kernel kernel;
  kernel.take(kernel.record(dpm_sent, 77));
  CHECK(kernel.translator().events_not_understood() == 1);
  dpm_record asked = kernel.record(dpm_asked, kServer);
  asked.flags |= dpm_is_pipe | dpm_began;
  asked.file = kPipe;
  kernel.take(asked);
  CHECK(kernel.translator().events_not_understood() == 2);
  dpm_record received = kernel.record(dpm_received, kServer);
  received.flags |= dpm_is_pipe | dpm_began;
  received.file = kPipe;
  kernel.take(received);
  CHECK(kernel.translator().events_not_understood() == 4);
  const LossReport report = KernelLedger().report({}, 1);
  CHECK(report.lost() == 1);
  CHECK(report.seen == 1);
}

TEST_CASE("eBPF source: events of sockets that were not described are counted", "[linux][kernel_source]") {
  Kernel kernel;
  dpm_record received = kernel.record(dpm_received, kServer);
  received.flags |= dpm_began;
  received.file = kClientSocket;
  received.result = 10;
  kernel.take(received);
  CHECK(kernel.translator().events_not_understood() == 2);

  dpm_socket_record netlink = {};
  netlink.kind = dpm_socket;
  netlink.file = 99;
  netlink.family = AF_NETLINK;
  netlink.type = SOCK_RAW;
  kernel.take(netlink);
  dpm_record asked = kernel.record(dpm_asked, kServer);
  asked.file = 99;
  kernel.take(asked);
  CHECK(kernel.translator().events_not_understood() == 2);
  CHECK(kernel.types().find("RECEIVE") == std::string::npos);
}

// The kernel goes on counting for the thread, under the process's number.
TEST_CASE("eBPF source: the CPU time of a program that another thread executes is counted once", "[kernel]") {
  struct Case {
    std::uint64_t first_ns, executing_ns, program_ns;
    bool first_has_run_for_the_last_time;
  };
  const std::uint32_t executing_tid = kServer + 5;
  for (const Case& used : {Case{200, 150, 70, false}, Case{200, 150, 70, true}, Case{10, 150, 70, false},
                           Case{10, 150, 70, true}, Case{0, 150, 0, true}}) {
    Kernel kernel;
    dpm_task_record thread = kernel.task(dpm_forked, kServer, kServer);
    thread.child = executing_tid;
    thread.child_pid = thread.seen_as = kServer;
    kernel.take(thread);
    const auto says = [&](dpm_record_kind kind, std::uint32_t code, std::uint64_t cpu_ns) {
      dpm_task_record record = kernel.task(kind, kServer, kServer);
      record.code = code;
      record.cpu_ns = cpu_ns;
      kernel.take(record);
    };
    says(dpm_exited, 0, used.first_ns);
    if (used.first_has_run_for_the_last_time) says(dpm_gone, 0, used.first_ns);
    says(dpm_executed, executing_tid, used.executing_ns);
    says(dpm_exited, 0, used.executing_ns + used.program_ns);
    says(dpm_gone, 0, used.executing_ns + used.program_ns);
    std::map<ProcessId, std::uint64_t> cpu_ns;
    for (const Event& event : kernel.events)
      cpu_ns[event.process] = std::max(cpu_ns[event.process], event.proc_time_ns);
    std::uint64_t sum_ns = 0;
    for (const auto& [process, its_ns] : cpu_ns) sum_ns += its_ns;
    CHECK(sum_ns == used.first_ns + used.executing_ns + used.program_ns);
  }
}

}  // namespace
}  // namespace dpm
