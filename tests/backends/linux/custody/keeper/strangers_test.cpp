#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/keeper_protocol.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/keeper/test_processes.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Start = SmallMeter::Start;
using Habit = SmallMeter::Habit;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

bool is_root() {
  if (::geteuid() == 0) return true;
  WARN("SKIPPED: acting as another account needs root");
  return false;
}

// Runs `action` in a process of the account nobody.
pid_t start_as_nobody(const std::function<bool()>& action) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(2);
    ::prctl(PR_SET_DUMPABLE, 1);
    ::_exit(action() ? 0 : 1);
  }
  return pid;
}

bool said_yes(pid_t pid) {
  int status = -1;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool as_nobody(const std::function<bool()>& action) { return said_yes(start_as_nobody(action)); }

// Memory shared with the processes forked after it.
class SharedWord {
 public:
  SharedWord() {
    void* page = ::mmap(nullptr, sizeof *word_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    word_ = new (page) std::atomic<std::uint32_t>(0);
  }
  ~SharedWord() { ::munmap(word_, sizeof *word_); }
  std::atomic<std::uint32_t>& operator*() const { return *word_; }

 private:
  std::atomic<std::uint32_t>* word_;
};

UniqueFd connect_to(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket.reset();
  return socket;
}

std::string keeper_socket(const PrivateRuntime& runtime) {
  for (const auto& entry : fs::directory_iterator(runtime.path() + "/dpm")) return entry.path().string();
  return "";
}

}  // namespace

TEST_CASE("socket folder: only its owner can enter, and no link or foreign folder is used", "[keeper]") {
  const PrivateRuntime runtime;
  const std::string folder = runtime.path() + "/dpm";
  SECTION("made private") {
    REQUIRE(SocketFolder::own());
    struct stat status = {};
    REQUIRE(::lstat(folder.c_str(), &status) == 0);
    CHECK(status.st_mode == (S_IFDIR | S_IRWXU));
    CHECK(SocketFolder::own());  // again
  }
  SECTION("a link") {
    fs::create_directory(runtime.path() + "/elsewhere");
    fs::create_symlink(runtime.path() + "/elsewhere", folder);
    CHECK(!SocketFolder::own());
  }
  SECTION("a file") {
    REQUIRE(::mknod(folder.c_str(), S_IFREG | S_IRUSR, 0) == 0);
    CHECK(!SocketFolder::own());
  }
  SECTION("others may enter") {
    REQUIRE(::mkdir(folder.c_str(), S_IRWXU) == 0);
    REQUIRE(::chmod(folder.c_str(), S_IRWXU | S_IXOTH) == 0);
    const auto refused = SocketFolder::own();
    REQUIRE(!refused);
    CHECK(refused.error().what.find("other users may enter it") != std::string::npos);
    CHECK(refused.error().what.find(folder) != std::string::npos);
  }
  SECTION("another user's") {
    if (!is_root()) return;
    REQUIRE(::mkdir(folder.c_str(), S_IRWXU) == 0);
    REQUIRE(::chown(folder.c_str(), kNobody, kNobody) == 0);
    CHECK(!SocketFolder::own());
  }
}

TEST_CASE("socket folder: connecting to a dead process's socket removes it", "[keeper]") {
  const PrivateRuntime runtime;
  const auto folder = SocketFolder::own();
  REQUIRE(folder);
  auto listening = folder->listen("keeper-1-2", SOCK_SEQPACKET);
  REQUIRE(listening);
  CHECK(folder->connect("keeper-1-2", SOCK_SEQPACKET));
  CHECK(!folder->connect("keeper-1-3", SOCK_SEQPACKET));
  CHECK(folder->names("keeper-") == std::vector<std::string>{"keeper-1-2"});
  listening->reset();
  CHECK(!folder->connect("keeper-1-2", SOCK_SEQPACKET));
  CHECK(folder->names("").size() == 2);  // "." and ".."
}

TEST_CASE("keeper: nonsense gets no answer, and the program notices nothing", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  program.begin();
  meter.kill();
  const std::string path = keeper_socket(runtime);
  std::minstd_rand random(7);
  std::vector<UniqueFd> silent;  // connected, and nothing more
  for (int i = 0; i < 200; ++i) {
    const UniqueFd stranger = connect_to(path);
    REQUIRE(stranger);
    std::vector<std::byte> nonsense(1 + random() % 5000);
    for (auto& byte : nonsense) byte = static_cast<std::byte>(random());
    KeeperRequest request;
    if (random() % 2 == 0) {  // the right words, and then
      request.kind = static_cast<KeeperRequest::Kind>(3 + random() % 5);
      std::copy_n(std::as_bytes(std::span(&request, 1)).begin(), std::min(nonsense.size(), sizeof request),
                  nonsense.begin());
      if (random() % 2 == 0) nonsense.resize(sizeof request);
    }
    const std::array<int, 2> descriptors = {stranger.get(), stranger.get()};
    CHECK(send_packet(stranger.get(), nonsense, std::span(descriptors).first(random() % 3)));
    const auto answer = receive_packet(stranger.get());
    CHECK((answer && answer->bytes.empty()));
    silent.push_back(connect_to(path));
  }
  CHECK(program.goes_on());
  SmallMeter next(program, Start::take_over);
  CHECK(next.meters());
  CHECK(program.end() == 0);
  CHECK(next.ends());
}

TEST_CASE("keeper: a request to take over without proof of the asking process is refused", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  program.begin();
  meter.kill();
  const std::string path = keeper_socket(runtime);
  KeeperRequest request;
  request.kind = KeeperRequest::Kind::take_over;
  // No pidfd, that of another process, and something else altogether.
  const UniqueFd other(static_cast<int>(::syscall(SYS_pidfd_open, program.pid(), 0)));
  for (const std::vector<int>& descriptors : {std::vector<int>{}, {other.get()}, {STDIN_FILENO}}) {
    const UniqueFd stranger = connect_to(path);
    CHECK(send_message(stranger.get(), request, descriptors));
    const auto packet = receive_packet(stranger.get());
    REQUIRE(packet);
    const auto answer = message_in<KeeperReply>(*packet);
    REQUIRE(answer);
    CHECK(answer->granted == 0);
    CHECK(packet->descriptors.empty());
  }
  CHECK(program.goes_on());
  CHECK(program.end() == 0);
}

TEST_CASE("keeper: only the meter can tell it to answer", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first, Habit::holds_all);
  program.begin();
  const UniqueFd stranger = connect_to(keeper_socket(runtime));
  KeeperRequest request;
  request.kind = KeeperRequest::Kind::answer;
  REQUIRE(send_message(stranger.get(), request));
  const auto packet = receive_packet(stranger.get());
  REQUIRE(packet);
  const auto answer = message_in<KeeperReply>(*packet);
  REQUIRE(answer);
  CHECK(answer->granted == 0);
  CHECK(answer->meter_pid == meter.pid());
  CHECK(program.stands_still());
}

TEST_CASE("keeper: other accounts are not heard", "[keeper]") {
  if (!is_root()) return;
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  program.begin();
  meter.kill();
  const std::string path = keeper_socket(runtime);
  CHECK(as_nobody([&] { return !connect_to(path); }));
  // Even if its owner has opened the folder to others.
  REQUIRE(::chmod(runtime.path().c_str(), 0755) == 0);
  REQUIRE(::chmod((runtime.path() + "/dpm").c_str(), 0755) == 0);
  REQUIRE(::chmod(path.c_str(), 0777) == 0);
  CHECK(as_nobody([&] {
    const UniqueFd stranger = connect_to(path);
    if (!stranger) return false;
    send_message(stranger.get(), KeeperRequest{});
    const auto answer = receive_packet(stranger.get());
    return answer && answer->bytes.empty();
  }));
  CHECK(as_nobody([&] { return custody_of(program.pid()) == Custody::none && !take_over(program.pid()); }));
  CHECK(program.end() == 0);
}

TEST_CASE("keeper: all of it works for an ordinary account", "[keeper]") {
  if (!is_root()) return;
  const PrivateRuntime runtime(kNobody);
  CHECK(as_nobody([] {
    ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
    SmallMeter meter(program, Start::first);
    program.begin();
    bool good = program.goes_on();
    meter.kill();
    SmallMeter second(program, Start::take_over);
    good = good && program.goes_on() && second.meters();
    kill_and_wait(keeper_of(program));
    second.kill();
    good = good && program.stands_still();
    SmallMeter third(program, Start::rescue);
    return good && third.meters() && program.goes_on() && program.end() == 0 && third.ends();
  }));
}

TEST_CASE("take_over: root finds the programs of other accounts", "[keeper]") {
  if (!is_root()) return;
  const PrivateRuntime runtime;
  const SharedWord found;
  const pid_t other_account = start_as_nobody([&found] {
    ::unsetenv("XDG_RUNTIME_DIR");
    ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
    SmallMeter meter(program, Start::first);
    program.begin();
    meter.kill();
    *found = program.pid();
    const bool told = becomes_true([&found] { return *found == 0; });
    return told && program.goes_on() && program.end() == 0;
  });
  REQUIRE(becomes_true([&found] { return *found != 0; }));
  auto program = take_over(*found);
  REQUIRE(program);
  CHECK(program->pid == *found);
  CHECK(program->command == "ping pong");
  CHECK(take_over(*found).error().what.ends_with("is already metered by process " + std::to_string(::getpid())));
  CHECK(leave_to_keeper(*program));
  program->listener.reset();
  *found = 0;
  CHECK(said_yes(other_account));
}

TEST_CASE("rescue: another account's process does not pass for the keeper by its name", "[keeper]") {
  if (!is_root()) return;
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  auto meter = std::make_unique<SmallMeter>(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  kill_and_wait(keeper_of(program));
  meter->kill();
  const std::string called = fs::temp_directory_path() / "dpm-keeper", pid = std::to_string(program.pid());
  REQUIRE(fs::copy_file("/bin/sleep", called, fs::copy_options::overwrite_existing));
  const pid_t impostor =
      start_as_nobody([&] { return ::execl(called.c_str(), "dpm-keeper", pid.c_str(), nullptr) == 0; });
  const auto has_begun = [&] {
    return read_command_name(static_cast<std::uint32_t>(impostor), static_cast<std::uint32_t>(impostor)) ==
           "dpm-keeper";
  };
  REQUIRE(becomes_true(has_begun));
  meter = std::make_unique<SmallMeter>(program, Start::rescue);
  CHECK(meter->said().starts_with("meters " + pid));
  CHECK(program.goes_on());
  ::kill(impostor, SIGKILL);
  ::waitpid(impostor, nullptr, 0);
  fs::remove(called);
  CHECK(program.end() == 0);
}

TEST_CASE("keeper protocol: what is not a whole message of this version is not a message", "[keeper]") {
  KeeperReply reply;
  reply.pid = 77;
  reply.set_command(std::string(10'000, 'x'));
  CHECK(reply.command_text() == std::string(4067, 'x'));
  const auto bytes = std::as_bytes(std::span(&reply, 1));
  Packet packet{{bytes.begin(), bytes.end()}, {}};
  const auto whole = message_in<KeeperReply>(packet);
  REQUIRE(whole);
  CHECK(whole->pid == 77);
  CHECK(!message_in<KeeperRequest>(packet));
  packet.bytes[7] = std::byte{'9'};
  CHECK(!message_in<KeeperReply>(packet));
  packet.bytes[7] = std::byte{'1'};
  packet.bytes.pop_back();
  CHECK(!message_in<KeeperReply>(packet));
  CHECK(!message_in<KeeperReply>(Packet{}));
}
