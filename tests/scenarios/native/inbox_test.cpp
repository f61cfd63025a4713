// The receiving end alone, with senders made by hand.
#include "scenarios/native/inbox.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::native;

namespace {

const RunIdentity kRun{42, 3};

FrameSelection only(Fits fits) {
  return {
      [fits = std::move(fits)](const FrameHeader& header) { return fits(header) ? std::optional(0.0) : std::nullopt; }};
}
const FrameSelection any = only([](const FrameHeader& header) { return header.kind == FrameKind::message; });
FrameSelection of_code(std::uint32_t code) {
  return only([code](const FrameHeader& header) { return header.code == code; });
}

// A process with an inbox, and the senders that connect to it.
class Post {
 public:
  Post() {
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener.get(), 8) == 0);
    REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    address_ = address;
    inbox.emplace(std::move(listener), kRun, outbox);
  }

  UniqueFd connect() {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_) == 0);
    inbox->look(false);  // accepts
    return socket;
  }

  // What the kernel holds for the inbox from this sender, not received yet.
  std::size_t waiting_from(const UniqueFd& sender) const {
    sockaddr_in theirs{};
    socklen_t size = sizeof theirs;
    ::getsockname(sender.get(), reinterpret_cast<sockaddr*>(&theirs), &size);
    std::ifstream file("/proc/net/tcp");
    std::string line;
    while (std::getline(file, line)) {
      unsigned ours = 0, other = 0;
      unsigned long queued = 0;
      if (std::sscanf(line.c_str(), " %*d: %*x:%x %*x:%x %*x %*x:%lx", &ours, &other, &queued) == 3 &&
          ours == ntohs(address_.sin_port) && other == ntohs(theirs.sin_port))
        return queued;
    }
    return 0;
  }

  Outbox outbox{{}};
  std::optional<Inbox> inbox;

 private:
  sockaddr_in address_{};
};

std::vector<std::byte> frame_of(std::uint32_t code, std::int64_t sent_ns, std::uint32_t length_bytes = 10) {
  FrameHeader header;
  header.token = kRun.token;
  header.sender = 1;
  header.code = code;
  header.sent_ns = sent_ns;
  header.length_bytes = length_bytes;
  return encode(header, {});
}

void write_all(const UniqueFd& socket, std::span<const std::byte> bytes) {
  REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

// The stranger's side of a connection that was closed.
bool is_closed(const UniqueFd& socket) {
  pollfd polled{socket.get(), POLLIN | POLLRDHUP, 0};
  return ::poll(&polled, 1, 1000) == 1 && (polled.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace

TEST_CASE("native: a message stays with the kernel until it is received", "[native]") {
  Post post;
  const UniqueFd sender = post.connect();
  for (std::uint32_t code = 1; code <= 3; ++code) write_all(sender, frame_of(code, code));
  post.inbox->look(true);
  CHECK(post.waiting_from(sender) == 3 * 114);
  CHECK_FALSE(post.inbox->take(of_code(9)));
  CHECK(post.waiting_from(sender) == 3 * 114);
  CHECK(post.inbox->take(any)->header.code == 1);
  CHECK(post.waiting_from(sender) == 2 * 114);
  CHECK(post.inbox->take(of_code(3))->header.code == 3);  // the second stands in front of it
  CHECK(post.waiting_from(sender) == 0);
  CHECK(post.inbox->take(any)->header.code == 2);
  CHECK_FALSE(post.inbox->take(any));
}

TEST_CASE("native: the earliest message comes first, from whichever sender", "[native]") {
  Post post;
  const UniqueFd one = post.connect();
  const UniqueFd other = post.connect();
  write_all(one, frame_of(2, 200));
  write_all(other, frame_of(1, 100));
  write_all(one, frame_of(3, 300));
  write_all(other, frame_of(4, 400));
  post.inbox->look(true);
  for (std::uint32_t code = 1; code <= 4; ++code) CHECK(post.inbox->take(any)->header.code == code);
}

TEST_CASE("native: more than a kernel's buffer in front of the message that is wanted does not hide it", "[native]") {
  Post post;
  const UniqueFd sender = post.connect();
  constexpr std::uint32_t kMessages = 400;
  std::vector<std::byte> bytes;
  for (std::uint32_t code = 1; code <= kMessages; ++code) {
    const auto frame = frame_of(code, code, 20'000);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  std::size_t written = 0;
  std::optional<Frame> last;
  while (!last) {
    const ssize_t taken = ::send(sender.get(), bytes.data() + written, bytes.size() - written, MSG_DONTWAIT);
    if (taken > 0) written += static_cast<std::size_t>(taken);
    post.inbox->look(false);
    last = post.inbox->take(of_code(kMessages));
  }
  for (std::uint32_t code = 1; code < kMessages; ++code) REQUIRE(post.inbox->take(any)->header.code == code);
}

TEST_CASE("native: a stranger that connects is disconnected or ignored, and does no harm", "[native]") {
  Post post;
  const UniqueFd talker = post.connect();
  const UniqueFd mute = post.connect();
  const UniqueFd stammerer = post.connect();
  const UniqueFd sender = post.connect();
  write_all(talker, std::vector<std::byte>(500));
  write_all(stammerer, std::vector<std::byte>(5));
  write_all(sender, frame_of(1, 1));
  for (int i = 0; i < 3; ++i) post.inbox->look(false);
  CHECK(post.inbox->take(any)->header.code == 1);
  CHECK(is_closed(talker));
  write_all(sender, frame_of(2, 2));
  post.inbox->look(true);  // connections that send nothing do not wake it again and again
  CHECK(post.inbox->take(any)->header.code == 2);
}

TEST_CASE("native: of a sender that dies what it sent whole is received", "[native]") {
  Post post;
  UniqueFd sender = post.connect();
  const UniqueFd other = post.connect();
  write_all(sender, frame_of(1, 1));
  write_all(sender, frame_of(2, 2));
  const auto long_one = frame_of(3, 3, 1000);
  write_all(sender, std::span(long_one).first(300));
  sender.reset();
  write_all(other, frame_of(4, 4));
  for (int i = 0; i < 3; ++i) post.inbox->look(false);
  CHECK(post.inbox->take(any)->header.code == 1);
  CHECK(post.inbox->take(any)->header.code == 2);
  CHECK(post.inbox->take(any)->header.code == 4);
  CHECK_FALSE(post.inbox->take(any));
}
