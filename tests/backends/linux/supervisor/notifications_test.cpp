// What notifications mean, decided on a scripted kernel: the calls of one program, and what happens between them.
#include <netinet/in.h>

#include <span>

#include "tests/backends/linux/supervisor/scripted_program.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

// ---- partial writes

TEST_CASE("notifications: a send into a TCP stream is as long as the stream has moved by the next", "[linux]") {
  Program program;
  ScriptedFile& file = program.tcp();
  program.send(4096);
  file.sent += 96;
  program.send(4000);
  file.sent += 4000;
  program.send(1);
  CHECK(program.lengths(EventType::send) == Lengths{96, 4000});
}

TEST_CASE("notifications: a write into a pipe is as long as the thread's counters say at its next call", "[linux]") {
  Program program;
  program.pipe();
  program.write(4096);
  program.kernel.threads[kServer].transferred.written_bytes += 1000;
  program.write(3096);
  CHECK(program.lengths(EventType::send) == Lengths{1000});
  program.kernel.threads[kServer].transferred.written_bytes += 3096;
  program.write(1);
  CHECK(program.lengths(EventType::send) == Lengths{1000, 3096});
}

TEST_CASE("notifications: the thread's next call shows what it wrote, whatever call that is", "[linux]") {
  Program program;
  program.pipe();
  program.write(4096);
  auto& transferred = program.kernel.threads[kServer].transferred;
  transferred.written_bytes += 1000;
  program.wait_for_any_child();
  transferred.written_bytes += 500;  // into a file
  program.write(1);
  CHECK(program.lengths(EventType::send) == Lengths{1000});
}

// A loaded machine lets a thread wait for a CPU for longer than a length is left open.
TEST_CASE("notifications: a write that waits for a CPU is open, however long its thread computed before", "[linux]") {
  Program program;
  program.pipe();
  auto& thread = program.kernel.threads[kServer];
  program.write(4096);
  thread.transferred.written_bytes += 4096;
  for (int looks = 0; looks < 10; ++looks) {
    thread.cpu_ns += 10'000'000;
    program.look_around_later();
  }
  CHECK(program.lengths(EventType::send) == Lengths{4096});
  thread.cpu_ns += 10'000'000;
  program.write(1000);
  for (int looks = 0; looks < 10; ++looks) program.look_around_later();
  thread.transferred.written_bytes += 1000;
  program.write(1);
  CHECK(program.lengths(EventType::send) == Lengths{4096, 1000});
}

TEST_CASE("notifications: what passes unseen behind the last send is a gap when the send's length becomes known",
          "[linux]") {
  Program program;
  ScriptedFile& file = program.tcp();
  program.send(100);
  file.sent += 100 + 900;
  for (int looks = 0; looks < 10; ++looks) {
    program.kernel.threads[kServer].cpu_ns += 10'000'000;
    program.look_around_later();
  }
  CHECK(program.lengths(EventType::send) == Lengths{100});
  CHECK(program.lengths(EventType::gap) == Lengths{900});
  CHECK(program.shared.meter.gaps().bytes == 900);
}

// ---- held receives

TEST_CASE("notifications: a receive is held until its data is there, and recorded then", "[linux]") {
  Program program;
  ScriptedFile& file = program.tcp();
  const auto id = program.receive();
  CHECK(program.waits(id));
  CHECK(program.is_in_a_slot(id));
  program.attend();
  CHECK(program.waits(id));
  CHECK(program.count(EventType::receive) == 0);
  file.bytes_come(10);
  program.attend();
  CHECK(program.was_let_go(id));
  CHECK_FALSE(program.is_in_a_slot(id));
  file.bytes_are_taken(10);
  program.receive();
  CHECK(program.lengths(EventType::receive) == Lengths{10});
}

TEST_CASE("notifications: a receive that may not wait and finds nothing fails at once", "[linux]") {
  Program program;
  program.tcp();
  CHECK(program.answer(program.receive(kServer, 4096, MSG_DONTWAIT)) == EAGAIN);
  CHECK(program.count(EventType::receive) == 0);
}

TEST_CASE("notifications: a held receive fails when the time limit of its socket is over", "[linux]") {
  Program program;
  program.tcp().receive_timeout_ns = 1'000'000'000;
  const auto id = program.receive();
  const std::int64_t deadline_ns = program.handler.held().next_deadline_ns();
  CHECK(deadline_ns == program.kernel.now_ns + 1'000'000'000);
  program.handler.held().fail_late(deadline_ns - 1);
  CHECK(program.waits(id));
  program.handler.held().fail_late(deadline_ns);
  CHECK(program.answer(id) == EAGAIN);
}

TEST_CASE("notifications: a read of an eventfd is held until units are there, and takes all of them", "[linux]") {
  Program program;
  ScriptedFile& file = program.kernel.file(DescriptorIdentity::Kind::eventfd, 7);
  program.kernel.processes[kServer].files[kFd] = &file;
  const auto id = program.call(kServer, SYS_read, {kFd, 0x2000, 8});
  CHECK(program.waits(id));
  file.units_come(3);
  program.attend();
  CHECK(program.was_let_go(id));
  program.units_are_taken(kServer, file);
  CHECK(program.lengths(EventType::receive) == Lengths{3});
  CHECK(program.count(EventType::receive_call) == 1);
  CHECK(program.answer(program.call(kServer, SYS_read, {kFd, 0x2000, 7})) == 0);  // the kernel refuses it
}

// ---- EINTR and restart

TEST_CASE("notifications: a receive that a signal takes away and that comes again asks once", "[linux]") {
  Program program;
  ScriptedFile& file = program.tcp();
  const auto first = program.receive();
  program.kernel.take_away(first);
  const auto again = program.receive();
  CHECK(program.waits(again));
  CHECK_FALSE(program.is_in_a_slot(first));
  CHECK(program.count(EventType::receive_call) == 1);
  file.bytes_come(10);
  program.attend();
  CHECK(program.was_let_go(again));
  CHECK(program.answer(first) == -1);
}

TEST_CASE("notifications: another receive after a signal is another question", "[linux]") {
  Program program;
  program.tcp();
  program.kernel.take_away(program.receive());
  program.receive(kServer, 100);
  CHECK(program.count(EventType::receive_call) == 2);
}

TEST_CASE("notifications: data that comes for a call that a signal took away is not recorded", "[linux]") {
  Program program;
  ScriptedFile& file = program.udp();
  const auto id = program.receive();
  program.kernel.take_away(id);
  file.datagram_comes(30, 1);
  program.attend();
  CHECK(program.answer(id) == -1);
  CHECK(program.count(EventType::receive) == 0);
  CHECK(program.was_let_go(program.receive()));
  CHECK(program.lengths(EventType::receive) == Lengths{30});
  CHECK(program.count(EventType::receive_call) == 1);
}

TEST_CASE("notifications: a call that a signal takes away before it is let go is recorded once, when it is made again",
          "[linux]") {
  Program program;
  SECTION("a receive from a TCP stream") {
    ScriptedFile& file = program.tcp();
    file.bytes_come(10);
    program.interrupt_next();
    program.receive();
    program.receive();
    file.bytes_are_taken(10);
    program.receive();
    CHECK(program.lengths(EventType::receive) == Lengths{10});
    CHECK(program.count(EventType::receive_call) == 2);
  }
  SECTION("a receive of a datagram, and a call of the signal's handler") {
    program.udp().datagram_comes(30, 1);
    program.interrupt_next();
    program.receive();
    program.call(kServer, SYS_write, {kFd + 1, 0x2000, 1});
    program.receive();
    CHECK(program.lengths(EventType::receive) == Lengths{30});
  }
  SECTION("a receive of a datagram, much later: another call") {
    program.udp().datagram_comes(30, 1);
    program.interrupt_next();
    program.receive();
    program.look_around_later();
    program.receive();
    CHECK(program.lengths(EventType::receive) == Lengths{30, 30});
  }
  SECTION("a send into a TCP stream") {
    ScriptedFile& file = program.tcp();
    program.interrupt_next();
    program.send(100);
    program.send(100);
    file.sent += 100;
    program.send(7);
    CHECK(program.lengths(EventType::send) == Lengths{100});
  }
}

TEST_CASE("notifications: a receive with a time limit is not restarted after a signal, as by the kernel", "[linux]") {
  Program program;
  program.tcp().receive_timeout_ns = 1'000'000'000;
  program.kernel.take_away(program.receive());
  CHECK(program.answer(program.receive()) == EINTR);
  const auto made_by_program = program.receive();  // after it has seen EINTR
  CHECK(program.waits(made_by_program));
}

TEST_CASE("notifications: a receive with a time limit that comes much later was made by the program", "[linux]") {
  Program program;
  program.tcp().receive_timeout_ns = 1'000'000'000;
  program.kernel.take_away(program.receive());
  program.handler.look_around(program.kernel.now_ns);
  program.kernel.now_ns += 200'000'000;
  CHECK(program.waits(program.receive()));
}

// ---- exec between two calls

TEST_CASE("notifications: counters of another program do not tell what the last call moved", "[linux]") {
  Program program;
  program.pipe();
  program.write(100);
  // Announced, and not yet read when the new program makes its first call.
  program.kernel.processes[kServer].program = "/usr/bin/other";
  program.kernel.threads[kServer].transferred.written_bytes += 832;
  program.kernel.announce(ProcessChange::Kind::exec, kServer, kServer);
  program.kernel.now_ns += 300'000;
  program.write(10);
  program.kernel.threads[kServer].transferred.written_bytes += 10;
  program.write(1);
  CHECK(program.lengths(EventType::send) == Lengths{100, 10});
  REQUIRE(program.count(EventType::exec) == 1);
  const auto is = [](EventType type) { return [type](const Event& event) { return event.type == type; }; };
  const auto exec = std::find_if(program.events.begin(), program.events.end(), is(EventType::exec));
  CHECK(std::count_if(program.events.begin(), exec, is(EventType::send)) == 1);
}

TEST_CASE("notifications: an eventfd that a new program used before its start was read stays one channel", "[linux]") {
  Program program;
  ScriptedFile& file = program.kernel.file(DescriptorIdentity::Kind::eventfd, 7);
  program.kernel.processes[kServer].files[kFd] = &file;
  program.kernel.announce(ProcessChange::Kind::exec, kServer, kServer);
  program.kernel.now_ns += 300'000;
  for (int i = 0; i < 2; ++i) {
    file.units_come(1);
    program.call(kServer, SYS_read, {kFd, 0x2000, 8});
    file.units = 0;
    program.handler.look_around(program.kernel.now_ns);
  }
  program.units_are_taken(kServer, file);
  const auto received = program.of(EventType::receive);
  REQUIRE(received.size() == 2);
  CHECK(received[0].channel == received[1].channel);
}

// ---- accepted connections

// The child waits for a CPU for longer than an accept waits for its connection.
TEST_CASE("notifications: an accepted connection that only a child has, which has not used it yet, is found",
          "[linux]") {
  Program program;
  ScriptedFile& listener = program.tcp();
  listener.description.connected = false;
  listener.description.listening = true;
  listener.bytes_come(1);
  sockaddr_in peer = {};
  SECTION("with its name") {
    peer.sin_family = AF_INET;
    peer.sin_port = htons(2000);
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  SECTION("when the program does not ask for its name") {}
  program.call(kServer, SYS_accept, {kFd, peer.sin_family == 0 ? 0u : 0x3000u});
  listener.bytes_are_taken(1);
  const auto name = std::as_bytes(std::span(&peer, 1));
  program.kernel.memory[0x3000] = {name.begin(), name.end()};
  program.kernel.threads[kServer].state = CallState::elsewhere;
  program.start_child();
  ScriptedFile& connection = program.kernel.tcp(9, "127.0.0.1:80", "127.0.0.1:2000");
  program.kernel.processes[kChild].files[kFd + 1] = &connection;
  program.look_around_later();
  connection.bytes_come(5);
  program.call(kChild, SYS_recvfrom, {kFd + 1, 0x2000, 100});
  connection.bytes_are_taken(5);
  program.handler.finish();
  const auto accepts = program.of(EventType::accept), receives = program.of(EventType::receive);
  REQUIRE(accepts.size() == 1);
  REQUIRE(receives.size() == 1);
  CHECK(accepts[0].passed_channel == receives[0].channel);
}

// ---- a descriptor that is replaced

TEST_CASE("notifications: a held receive goes on when its descriptor is another file by now", "[linux]") {
  Program program;
  ScriptedFile& file = program.tcp();
  const auto id = program.receive();
  program.kernel.processes[kServer].files[kFd] = &program.kernel.tcp(9, "127.0.0.1:80", "127.0.0.1:2000");
  SECTION("found when data comes for the old file") {
    file.bytes_come(10);
    program.attend();
  }
  SECTION("found by looking now and then") { program.handler.look_around(program.kernel.now_ns); }
  CHECK(program.was_let_go(id));
  CHECK(program.count(EventType::receive) == 0);
}

TEST_CASE("notifications: a held receive goes on when its descriptor was closed", "[linux]") {
  Program program;
  program.tcp();
  const auto id = program.receive();
  program.kernel.processes[kServer].files.erase(kFd);
  program.handler.look_around(program.kernel.now_ns);
  CHECK(program.was_let_go(id));
}

TEST_CASE("notifications: what is sent by the same descriptor goes where it leads now", "[linux]") {
  Program program;
  ScriptedFile& first = program.tcp();
  program.send(100);
  first.sent += 100;
  ScriptedFile& second = program.kernel.tcp(9, "127.0.0.1:80", "127.0.0.1:2000");
  program.kernel.processes[kServer].files[kFd] = &second;
  program.send(50);
  second.sent += 50;
  program.handler.finish();
  const auto sends = program.of(EventType::send);
  REQUIRE(program.lengths(EventType::send) == Lengths{100, 50});
  CHECK(sends[0].channel != sends[1].channel);
}

// ---- a thread that ends during a hold

TEST_CASE("notifications: a thread that ends while its call is held leaves the data to the next", "[linux]") {
  Program program;
  ScriptedFile& file = program.udp();
  program.start_worker();
  const auto workers = program.receive(kWorker), servers = program.receive(kServer);
  REQUIRE(program.waits(workers));
  REQUIRE(program.waits(servers));
  program.end_worker();
  CHECK_FALSE(program.is_in_a_slot(workers));
  file.datagram_comes(30, 1);
  program.attend();
  CHECK(program.answer(workers) == -1);
  CHECK(program.was_let_go(servers));
  CHECK(program.lengths(EventType::receive) == Lengths{30});
}

TEST_CASE("notifications: a thread that ends before it has taken its share does not keep the next waiting", "[linux]") {
  Program program;
  ScriptedFile& file = program.udp();
  program.start_worker();
  const auto workers = program.receive(kWorker), servers = program.receive(kServer);
  file.datagram_comes(30, 1);
  program.attend();
  REQUIRE(program.was_let_go(workers));
  REQUIRE(program.waits(servers));
  program.end_worker();
  CHECK(program.was_let_go(servers));
}

// ---- two readers

TEST_CASE("notifications: of two readers one gets a message, the one that asked first", "[linux]") {
  Program program;
  ScriptedFile& file = program.udp();
  program.start_worker();
  const auto workers = program.receive(kWorker), servers = program.receive(kServer);
  file.datagram_comes(30, 1);
  program.attend();
  program.attend();
  CHECK(program.was_let_go(workers));
  CHECK(program.waits(servers));  // what it sees may be what the worker is about to take
  file.datagram_is_taken();
  const auto next = program.receive(kWorker);
  CHECK(program.waits(next));
  CHECK(program.waits(servers));
  CHECK(program.lengths(EventType::receive) == Lengths{30});
  file.datagram_comes(40, 2);
  program.attend();
  CHECK(program.was_let_go(servers));
  CHECK(program.waits(next));
  CHECK(program.lengths(EventType::receive) == Lengths{30, 40});
}

TEST_CASE("notifications: a message behind the one that is being taken goes to the other reader", "[linux]") {
  Program program;
  ScriptedFile& file = program.udp();
  program.start_worker();
  const auto workers = program.receive(kWorker), servers = program.receive(kServer);
  file.datagram_comes(30, 1);
  file.datagram_comes(40, 2);
  program.attend();
  CHECK(program.was_let_go(workers));
  CHECK(program.waits(servers));
  file.datagram_is_taken();
  program.attend();
  CHECK(program.was_let_go(servers));
  CHECK(program.lengths(EventType::receive) == Lengths{30, 40});
}

TEST_CASE("notifications: of two readers of an eventfd one takes its units", "[linux]") {
  Program program;
  ScriptedFile& file = program.kernel.file(DescriptorIdentity::Kind::eventfd, 7);
  file.non_blocking = true;
  program.kernel.processes[kServer].files[kFd] = &file;
  program.start_worker();
  file.units_come(1);
  const auto workers = program.call(kWorker, SYS_read, {kFd, 0x2000, 8});
  CHECK(program.was_let_go(workers));
  const auto servers = program.call(kServer, SYS_read, {kFd, 0x2000, 8});
  CHECK(program.waits(servers));  // the worker has not taken the unit
  SECTION("the worker takes it") {
    file.units = 0;
    program.kernel.threads[kWorker].state = CallState::elsewhere;
    program.attend();
    CHECK(program.answer(servers) == EAGAIN);
    program.units_are_taken(kWorker, file);
    CHECK(program.lengths(EventType::receive) == Lengths{1});
  }
  SECTION("and another one is added") {
    program.call(kWorker, SYS_read, {kFd, 0x2000, 8});
    CHECK(program.was_let_go(servers));
    program.units_are_taken(kServer, file);
    CHECK(program.lengths(EventType::receive) == Lengths{1, 1});
  }
}

TEST_CASE("notifications: a socket and an eventfd with one number are two queues", "[linux]") {
  Program program;
  ScriptedFile& file = program.kernel.file(DescriptorIdentity::Kind::eventfd, 2);
  program.udp().datagram_comes(30, 1);  // its cookie is 2
  program.kernel.processes[kServer].files[kFd + 1] = &file;
  program.start_worker();
  file.units_come(30);
  CHECK(program.was_let_go(program.call(kWorker, SYS_read, {kFd + 1, 0x2000, 8})));
  CHECK(program.was_let_go(program.receive()));
}

TEST_CASE("notifications: a connection lets one accept go, two connections let both go", "[linux]") {
  Program program;
  ScriptedFile& listener = program.tcp();
  listener.description.connected = false;
  listener.description.listening = true;
  program.start_worker();
  const auto workers = program.call(kWorker, SYS_accept, {kFd}), servers = program.call(kServer, SYS_accept, {kFd});
  REQUIRE(program.waits(workers));
  REQUIRE(program.waits(servers));
  listener.bytes_come(1);
  program.attend();
  CHECK(program.was_let_go(workers));
  CHECK(program.waits(servers));
  listener.bytes_come(1);  // the worker has not taken the first
  program.attend();
  CHECK(program.was_let_go(servers));
}

// ---- calls that passed the meter

TEST_CASE("notifications: when calls have passed the meter every call that waits goes on", "[linux]") {
  Program program;
  program.udp();
  program.start_worker();
  program.start_child();
  const auto receive = program.receive(kWorker), wait = program.wait_for_any_child();
  CHECK(program.handler.pass_all() == 2);
  CHECK(program.was_let_go(receive));
  CHECK(program.was_let_go(wait));
}

}  // namespace dpm
