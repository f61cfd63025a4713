// Calls that the kernel restarts although it has accepted the answer that lets them go, decided on a scripted kernel: the
// same call comes twice, and what it would have moved shows which of the two was carried out.
#include <cstddef>
#include <span>

#include "tests/backends/linux/supervisor/scripted_program.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::int32_t kSenderFd = 5, kReceiverFd = 6;
constexpr std::uint32_t kBytes = 100;

// One thread uses both ends of a socket pair.
struct Pair : Program {
  ScriptedFile& sender = kernel.unix_stream(31, 32);
  ScriptedFile& receiver = kernel.unix_stream(32, 31);
  const bool datagrams;

  explicit Pair(Medium medium) : datagrams(medium == Medium::unix_datagram) {
    sender.description.medium = receiver.description.medium = medium;
    kernel.processes[kServer].files[kSenderFd] = &sender;
    kernel.processes[kServer].files[kReceiverFd] = &receiver;
  }

  void asks_to_send() { call(kServer, SYS_sendto, {kSenderFd, 0x2000, kBytes}); }
  void is_sent() {
    sender.not_received += kBytes;
    if (datagrams) {
      receiver.datagram_comes(kBytes, 1);
    } else {
      receiver.bytes_come(kBytes);
    }
  }
  void sends() {
    asks_to_send();
    is_sent();
  }
  void asks_to_receive() { call(kServer, SYS_recvfrom, {kReceiverFd, 0x2000, kBytes}); }
  void is_received() {
    sender.not_received -= kBytes;
    if (datagrams) {
      receiver.datagram_is_taken();
    } else {
      receiver.bytes_are_taken(kBytes);
    }
  }
  void receives() {
    asks_to_receive();
    is_received();
  }
  // A signal takes a call away in the ordinary way, and the call is made again.
  void is_interrupted() {
    interrupt_next();
    asks_to_send();
    sends();
    receives();
  }
  std::size_t count_all(EventType type) {
    handler.finish();
    return count(type);
  }
};

}  // namespace

TEST_CASE("restarted calls: a send into a UNIX socket that has not moved anything is recorded once", "[linux]") {
  const Medium medium = GENERATE(Medium::unix_stream, Medium::unix_datagram);
  Pair pair(medium);
  pair.is_interrupted();
  pair.sends();
  pair.asks_to_send();
  SECTION("once") {}
  SECTION("twice") { pair.asks_to_send(); }
  pair.sends();
  pair.receives();
  pair.receives();
  CHECK(pair.count_all(EventType::send) == 3);
  CHECK(pair.count(EventType::receive) == 3);
}

TEST_CASE("restarted calls: the same call made again by the program is another one", "[linux]") {
  const Medium medium = GENERATE(Medium::unix_stream, Medium::unix_datagram);
  Pair pair(medium);
  pair.is_interrupted();
  SECTION("the first waits to be received") {
    for (int i = 0; i < 3; ++i) pair.sends();
    for (int i = 0; i < 3; ++i) pair.receives();
    CHECK(pair.count_all(EventType::send) == 4);
    CHECK(pair.count(EventType::receive) == 4);
  }
  SECTION("the first has been received") {
    for (int i = 0; i < 3; ++i) {
      pair.sends();
      pair.receives();
    }
    CHECK(pair.count_all(EventType::send) == 4);
  }
}

TEST_CASE("restarted calls: what a receiver may have taken says nothing about a send", "[linux]") {
  Pair pair(Medium::unix_stream);
  SECTION("its receiver is not metered") {
    pair.interrupt_next();
    for (int i = 0; i < 3; ++i) pair.asks_to_send();
    CHECK(pair.count_all(EventType::send) == 2);
  }
  SECTION("it may be receiving now") {
    pair.is_interrupted();
    pair.start_worker();
    pair.sends();
    pair.call(kWorker, SYS_recvfrom, {kReceiverFd, 0x2000, kBytes});
    pair.is_received();
    pair.asks_to_send();  // carried out, and received by the same call
    pair.asks_to_send();
    CHECK(pair.count_all(EventType::send) == 4);
  }
}

TEST_CASE("restarted calls: a receive from a UNIX socket that has not taken anything is recorded once", "[linux]") {
  const Medium medium = GENERATE(Medium::unix_stream, Medium::unix_datagram);
  Pair pair(medium);
  pair.is_interrupted();
  pair.sends();
  pair.sends();  // equal
  pair.asks_to_receive();
  pair.receives();
  pair.receives();
  CHECK(pair.count_all(EventType::receive) == 3);
  CHECK(pair.count(EventType::receive_call) == 3);
}

TEST_CASE("restarted calls: a receive of bytes that has not taken any asks once", "[linux]") {
  Program program;
  ScriptedFile& file = GENERATE(true, false) ? program.tcp() : program.pipe();
  const auto asks = [&] { program.call(kServer, SYS_read, {kFd, 0x2000, 10}); };
  const auto takes = [&](std::uint32_t bytes) {
    file.bytes_are_taken(bytes);
    program.kernel.threads[kServer].transferred.read_bytes += bytes;
  };
  file.bytes_come(30);
  program.interrupt_next();
  asks();
  asks();
  takes(10);
  asks();
  SECTION("restarted") {
    asks();
    takes(10);
    asks();
    CHECK(program.count(EventType::receive_call) == 3);
  }
  SECTION("and made again by the program, which has got something") {
    takes(1);
    asks();
    CHECK(program.count(EventType::receive_call) == 3);
  }
}

TEST_CASE("restarted calls: a write and a read of an eventfd that have not been carried out are recorded once",
          "[linux]") {
  Program program;
  ScriptedFile& file = program.kernel.file(DescriptorIdentity::Kind::eventfd, 7);
  program.kernel.processes[kServer].files[kFd] = &file;
  program.kernel.memory[0x2000] = {std::byte{1}, {}, {}, {}, {}, {}, {}, {}};
  const auto asks_to_write = [&] { program.call(kServer, SYS_write, {kFd, 0x2000, 8}); };
  const auto asks_to_read = [&] { program.call(kServer, SYS_read, {kFd, 0x2000, 8}); };
  program.interrupt_next();
  for (int i = 0; i < 3; ++i) {
    asks_to_write();
    asks_to_write();
    file.units_come(1);
    asks_to_read();
    if (i > 0) asks_to_read();
    file.units = 0;
  }
  program.units_are_taken(kServer, file);
  CHECK(program.lengths(EventType::send) == Lengths{1, 1, 1});
  CHECK(program.lengths(EventType::receive) == Lengths{1, 1, 1});
}

}  // namespace dpm
