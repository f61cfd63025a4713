// Calls that move bytes through a UNIX stream, decided on a scripted kernel: no counter tells what they moved.
#include <sys/socket.h>

#include <cerrno>

#include "tests/backends/linux/supervisor/scripted_program.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::int32_t kSenderFd = 5, kReceiverFd = 6;

// The first thread sends to the second.
struct Pair : Program {
  ScriptedFile& sender = kernel.unix_stream(31, 32);
  ScriptedFile& receiver = kernel.unix_stream(32, 31);

  Pair() {
    kernel.processes[kServer].files[kSenderFd] = &sender;
    kernel.processes[kServer].files[kReceiverFd] = &receiver;
    start_worker();
  }
  std::uint64_t send_bytes(std::uint64_t bytes) { return call(kServer, SYS_sendto, {kSenderFd, 0x2000, bytes}); }
  std::uint64_t receive_bytes(std::uint64_t room) { return call(kWorker, SYS_recvfrom, {kReceiverFd, 0x2000, room}); }
  void are_out_of_their_calls() {
    for (auto& [tid, thread] : kernel.threads) thread.state = CallState::elsewhere;
  }
};

}  // namespace

TEST_CASE("unix streams: what came while a receive was being made is part of it, though its sender makes no other call",
          "[linux]") {
  Pair pair;
  pair.send_bytes(104);
  pair.send_bytes(64);
  pair.receiver.bytes_come(104);  // the second send is still being made
  pair.receive_bytes(4096);
  pair.receiver.bytes_are_taken(104);
  pair.are_out_of_their_calls();

  SECTION("known a moment later, when the thread receives again") {
    pair.kernel.now_ns += 100'000;
    pair.receiver.bytes_come(50);
    pair.send_bytes(50);
    pair.are_out_of_their_calls();
    pair.kernel.now_ns += 100'000;
    pair.receive_bytes(4096);
    pair.receiver.bytes_are_taken(50);
    pair.look_around_later();
    CHECK(pair.lengths(EventType::receive) == Lengths{168, 50});
  }
  SECTION("known later, without another receive") {
    pair.look_around_later();
    CHECK(pair.lengths(EventType::receive) == Lengths{168});
  }
  SECTION("not known before the send is over") {
    pair.kernel.threads[kServer].state = CallState::in_call;
    pair.look_around_later();
    CHECK(pair.lengths(EventType::receive).empty());
    pair.are_out_of_their_calls();
    pair.look_around_later();
    CHECK(pair.lengths(EventType::receive) == Lengths{168});
  }
}

TEST_CASE(
    "unix streams: calls that a signal takes away before they are let go are recorded once, when they are made again",
    "[linux]") {
  Pair pair;
  pair.interrupt_next();
  pair.send_bytes(110);
  pair.send_bytes(110);
  pair.receiver.bytes_come(110);
  pair.are_out_of_their_calls();
  pair.kernel.now_ns += 100'000;
  pair.interrupt_next();
  pair.receive_bytes(4096);
  SECTION("a moment later") {}
  SECTION("when its sender has closed the stream") { pair.kernel.processes[kServer].files.erase(kSenderFd); }
  pair.receive_bytes(4096);
  pair.receiver.bytes_are_taken(110);
  pair.look_around_later();
  CHECK(pair.lengths(EventType::send) == Lengths{110});
  CHECK(pair.lengths(EventType::receive) == Lengths{110});
}

TEST_CASE("unix streams: a non-blocking send into a full stream fails and is not recorded", "[linux]") {
  Pair pair;
  pair.sender.non_blocking = true;
  pair.sender.room = 0;
  CHECK(pair.answer(pair.send_bytes(100)) == EAGAIN);
  const auto with_name = pair.call(kServer, SYS_sendto, {kSenderFd, 0x2000, 100, 0, 0x3000, 16});
  CHECK(pair.was_let_go(with_name));  // the kernel refuses the name
  pair.sender.room = 1;
  CHECK(pair.was_let_go(pair.send_bytes(1)));
  pair.sender.non_blocking = false;
  pair.sender.room = 0;
  CHECK(pair.was_let_go(pair.send_bytes(7)));  // waits for room
  pair.sender.send_timeout_ns = 2'000'000'000;
  CHECK(pair.was_let_go(pair.send_bytes(11)));  // for some time
  pair.look_around_later();
  CHECK(pair.count(EventType::send) == 3);
}

TEST_CASE("unix streams: of a send that moves a part, the bytes that wait at the other end show how much", "[linux]") {
  Pair pair;
  pair.send_bytes(700);
  pair.receiver.bytes_come(700);
  pair.sender.room = 50'000;
  SECTION("non-blocking, when its thread makes another call") {
    pair.sender.non_blocking = true;
    pair.send_bytes(100'000);
    pair.receiver.bytes_come(73'088);
    pair.sender.room = 0;
    CHECK(pair.answer(pair.send_bytes(100'000)) == EAGAIN);
    CHECK(pair.lengths(EventType::send) == Lengths{700, 73'088});
    pair.are_out_of_their_calls();
    pair.receive_bytes(4096);
    pair.receiver.bytes_are_taken(4096);
    pair.receive_bytes(1'000'000);
    pair.receiver.bytes_are_taken(69'692);
    pair.look_around_later();
    CHECK(pair.lengths(EventType::receive) == Lengths{4096, 69'692});
  }
  SECTION("non-blocking, before anything is received meanwhile") {
    pair.sender.non_blocking = true;
    pair.send_bytes(100'000);
    const auto receive = pair.receive_bytes(4096);
    CHECK_FALSE(pair.was_let_go(receive));
    pair.receiver.bytes_come(36'544);
    pair.are_out_of_their_calls();
    pair.attend();
    CHECK(pair.was_let_go(receive));
    pair.receiver.bytes_are_taken(4096);
    pair.look_around_later();
    CHECK(pair.lengths(EventType::send) == Lengths{700, 36'544});
    CHECK(pair.lengths(EventType::receive) == Lengths{4096});
  }
  SECTION("one whose time limit ends it") {
    pair.sender.send_timeout_ns = 300'000'000;
    pair.send_bytes(1'000'000);
    pair.receiver.bytes_come(219'264);
    pair.are_out_of_their_calls();
    pair.look_around_later();
    CHECK(pair.lengths(EventType::send) == Lengths{700, 219'264});
    pair.send_bytes(1'000'000);
    pair.are_out_of_their_calls();
    pair.look_around_later();
    CHECK(pair.lengths(EventType::send) == Lengths{700, 219'264});
  }
  SECTION("one that a receive makes room for sends everything") {
    pair.send_bytes(100'000);
    pair.receive_bytes(4096);
    pair.look_around_later();
    CHECK(pair.lengths(EventType::send) == Lengths{700, 100'000});
  }
}

}  // namespace dpm
