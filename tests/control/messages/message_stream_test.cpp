// Control messages over a socket whose other end may do anything.
#include "control/messages/message_stream.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <vector>

#include "control/messages/request_link.hpp"
#include "os/net/asio.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using namespace control;
using namespace std::chrono_literals;

// The other end: bytes, without any rules.
struct Peer {
  Peer() {
    std::array<int, 2> ends = {};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    socket.reset(ends[0]);
    ours.reset(ends[1]);
  }
  void say(const std::string& bytes) const {
    REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  std::string hear() const {
    std::array<char, 256 * 1024> part;
    const ssize_t length = ::recv(socket.get(), part.data(), part.size(), MSG_DONTWAIT);
    return length > 0 ? std::string(part.data(), static_cast<std::size_t>(length)) : "";
  }
  UniqueFd socket, ours;
};

std::string bytes_of(const ControlMessage& message) {
  std::string bytes;
  REQUIRE(append_message(bytes, message));
  return bytes;
}

template <typename Condition>
void run_until(asio::io_context& context, Condition is_met) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!is_met() && std::chrono::steady_clock::now() < until) context.run_one_until(until);
  REQUIRE(is_met());
}

struct Fixture {
  MessageStream& open(std::chrono::milliseconds frame_patience = MessageStream::kFramePatience) {
    MessageStream::Handlers handlers;
    handlers.on_message = [this](ControlMessage message) {
      messages.push_back(std::move(message));
      if (on_message) on_message();
    };
    handlers.on_end = [this](const std::string& why, bool broken) { end = why + (broken ? " (broken)" : ""); };
    handlers.on_drained = [this] { ++drained; };
    return stream.emplace(context, std::move(peer.ours), std::move(handlers), frame_patience);
  }
  void run_to_end() {
    run_until(context, [this] { return !end.empty(); });
  }

  asio::io_context context;
  Peer peer;
  std::vector<ControlMessage> messages;
  std::function<void()> on_message;
  std::string end;
  int drained = 0;
  std::optional<MessageStream> stream;
};

const ControlMessage kQuestion = Request{1, ListManaged{}};

TEST_CASE("message stream: messages come whole, however they are cut, until the other end closes", "[daemon]") {
  Fixture at;
  at.open();
  const std::string bytes = bytes_of(kQuestion) + bytes_of(kQuestion) + bytes_of(kQuestion);
  for (const char byte : bytes) {
    at.peer.say(std::string(1, byte));
    at.context.poll();
  }
  run_until(at.context, [&] { return at.messages.size() == 3; });
  at.peer.socket.reset();
  at.run_to_end();
  CHECK(at.end == "the other end closed");
  CHECK(at.stream->has_ended());
}

TEST_CASE("message stream: a peer that closes in the middle of a message cut it off", "[daemon]") {
  Fixture at;
  at.open();
  at.peer.say(bytes_of(kQuestion).substr(0, 11));
  at.peer.socket.reset();
  at.run_to_end();
  CHECK(at.end == "it was cut off in a message");
  CHECK(at.messages.empty());
}

TEST_CASE("message stream: a frame that is begun and not ended in time is the end", "[daemon]") {
  Fixture at;
  at.open(50ms);
  const std::string bytes = bytes_of(kQuestion);
  at.peer.say(bytes + bytes.substr(0, 5));
  at.run_to_end();
  CHECK(at.messages.size() == 1);
  CHECK(at.end == "a message was begun and not ended in time (broken)");
}

TEST_CASE("message stream: between messages, and while we do not read, there is all the time", "[daemon]") {
  Fixture at;
  at.open(20ms);
  at.peer.say(bytes_of(kQuestion));
  at.context.run_for(100ms);
  at.peer.say(bytes_of(kQuestion).substr(0, 5));
  run_until(at.context, [&] { return at.messages.size() == 1; });
  at.stream->set_reading(false);
  at.context.run_for(100ms);
  CHECK(at.end.empty());
}

TEST_CASE("message stream: hostile frames end it, and cost nothing", "[daemon]") {
  const std::string header_of_4_gb = {'\xff', '\xff', '\xff', '\x7f', 1, 1, 0, 0};
  const std::string other_version = {4, 0, 0, 0, 9, 1, 0, 0};
  std::string no_message;
  append_frame(no_message, 1, "\x05\0\0\0hello");
  for (const auto& bytes : {header_of_4_gb, other_version, no_message, std::string("Welcome to this machine!\n")}) {
    Fixture at;
    at.open();
    at.peer.say(bytes_of(kQuestion) + bytes);
    at.run_to_end();
    CHECK(at.messages.size() == 1);
    CHECK(at.end.ends_with("(broken)"));
  }
}

TEST_CASE("message stream: a peer that sends a broken message is told why, outside of any request", "[daemon]") {
  Fixture at;
  at.open();
  std::string no_message;
  append_frame(no_message, 1, "\x05\0\0\0hello");
  at.peer.say(no_message);
  at.run_to_end();
  FrameReader frames;
  frames.feed(at.peer.hear());
  const auto frame = frames.next();
  REQUIRE((frame && frame->has_value()));
  const auto reply = std::get<Reply>(decode_message(**frame).value());
  CHECK(reply.number == 0);
  CHECK(std::holds_alternative<Refused>(reply.body));
}

TEST_CASE("message stream: what the other end does not take waits, and on_drained says when it is gone", "[daemon]") {
  Fixture at;
  at.open();
  const Report report{Output{1, false, std::string(100'000, 'x'), 0}};
  const std::string bytes = bytes_of(report);
  for (int i = 0; i < 40; ++i) REQUIRE(at.stream->send(report));
  at.context.poll();
  CHECK(at.stream->queued_bytes() > bytes.size());
  CHECK(at.drained == 0);
  std::string heard;
  while (heard.size() < 40 * bytes.size()) {
    heard += at.peer.hear();
    at.context.poll();
  }
  run_until(at.context, [&] { return at.drained > 0; });
  CHECK(at.stream->queued_bytes() == 0);
  CHECK(heard.substr(39 * bytes.size()) == bytes);
}

TEST_CASE("message stream: while it does not read, the end of the other end is seen, and nothing is lost", "[daemon]") {
  Fixture at;
  at.open();
  at.on_message = [&] { at.stream->set_reading(false); };  // in the middle of what has come
  at.peer.say(bytes_of(kQuestion) + bytes_of(kQuestion));
  run_until(at.context, [&] { return at.messages.size() == 1; });
  at.context.run_for(20ms);
  CHECK(at.messages.size() == 1);
  at.stream->set_reading(true);
  run_until(at.context, [&] { return at.messages.size() == 2; });
  at.peer.socket.reset();
  at.run_to_end();
  CHECK(at.end == "the other end is gone");
}

TEST_CASE("message stream: closes when all is sent, or when the other end takes too long", "[daemon]") {
  Fixture at;
  at.open();
  SECTION("at once") {
    at.stream->close_when_sent("bye");
    at.run_to_end();
    CHECK(at.end == "bye");
  }
  SECTION("later") {
    const Report report{Output{1, false, std::string(100'000, 'x'), 0}};
    for (int i = 0; i < 20; ++i) REQUIRE(at.stream->send(report));
    at.stream->close_when_sent("bye");
    SECTION("when it has taken all") {
      while (at.end.empty()) {
        at.peer.hear();
        at.context.poll();
      }
      CHECK(at.end == "closed");
    }
    SECTION("when it takes nothing") {
      at.run_to_end();
      CHECK(at.end == "bye");
    }
  }
}

TEST_CASE("message stream: one that is destroyed in a handler calls no other", "[daemon]") {
  Fixture at;
  at.open();
  at.on_message = [&] { at.stream.reset(); };
  at.peer.say(bytes_of(kQuestion) + bytes_of(kQuestion));
  run_until(at.context, [&] { return at.messages.size() == 1; });
  at.context.run_for(20ms);
  CHECK(at.messages.size() == 1);
  CHECK(at.end.empty());
  CHECK(::recv(at.peer.socket.get(), nullptr, 0, MSG_DONTWAIT) == 0);  // it is closed
}

// ---- the end that asks

struct Asking {
  Asking() {
    link.emplace(context, std::move(peer.ours),
                 RequestLink::Handlers{[this](const ReportBody&) { ++reports; },
                                       [this](const std::string& why, bool broken) {
                                         end = why + (broken ? " (broken)" : "");
                                         link->fail("gone: " + why);
                                       }});
  }
  void ask() {
    link->ask(ListManaged{},
              [this](const Result<ReplyBody>& reply) { answers.push_back(reply ? "answered" : reply.error().what); });
  }
  void run_to_end() {
    run_until(context, [this] { return !end.empty(); });
  }

  asio::io_context context;
  Peer peer;
  int reports = 0;
  std::string end;
  std::vector<std::string> answers;
  std::optional<RequestLink> link;
};

TEST_CASE("request link: a reply that never comes fails with the connection", "[daemon]") {
  Asking at;
  at.ask();
  at.ask();
  at.peer.say(bytes_of(Reply{2, Done{}}) + bytes_of(Report{FilterEnded{7, "normal"}}));
  at.peer.socket.reset();
  at.run_to_end();
  CHECK(at.reports == 1);
  CHECK(at.answers == std::vector<std::string>{"answered", "gone: the other end closed"});
  at.ask();
  CHECK(at.answers.back() == "gone: the other end closed");
}

TEST_CASE("request link: an end that answers what was not asked, or asks itself, is dropped", "[daemon]") {
  Asking at;
  at.ask();
  std::string expected;
  SECTION("a number that was not asked") {
    at.peer.say(bytes_of(Reply{99, Done{}}));
    expected = "it answered a request that was not made";
  }
  SECTION("twice the same") {
    at.peer.say(bytes_of(Reply{1, Done{}}) + bytes_of(Reply{1, Done{}}));
    expected = "it answered a request that was not made";
  }
  SECTION("a question") {
    at.peer.say(bytes_of(kQuestion));
    expected = "it sent a request instead of an answer";
  }
  SECTION("it could not read what was asked") {
    at.peer.say(bytes_of(Reply{0, Refused{"what?"}}));
    expected = "it does not understand this dpm: what?";
  }
  at.run_to_end();
  CHECK(at.end == expected + " (broken)");
  CHECK(at.answers.size() == 1);
}

}  // namespace
}  // namespace dpm
