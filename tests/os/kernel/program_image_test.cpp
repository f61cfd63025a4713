#include "os/kernel/program_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <span>

#include "os/kernel/children.hpp"
#include "os/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

template <typename Word>
std::uint64_t found_in(const std::array<Word, 6>& vector) {
  const auto bytes = std::as_bytes(std::span(vector));
  return random_bytes_at(bytes.data(), bytes.size());
}

// A child that closes its end of a pipe when it executes a program, and lives until it is killed.
class Child {
 public:
  explicit Child(bool executes) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd ours(ends[0]);
    UniqueFd its(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (executes) ::execl("/bin/sleep", "sleep", "60", nullptr);
      for (;;) ::pause();
    }
    its = UniqueFd();
    char byte = 0;
    if (executes) CHECK(::read(ours.get(), &byte, 1) == 0);
  }
  ~Child() { ::waitpid(pid_, nullptr, 0); }

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
  void kill() const {
    ::kill(pid_, SIGKILL);
    siginfo_t ended = {};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("program image: its bytes are found in the vector of 64-bit and of 32-bit programs", "[os]") {
  CHECK(found_in<std::uint64_t>({AT_PAGESZ, 4096, AT_RANDOM, 0x7ffc0000beef, AT_NULL, 0}) == 0x7ffc0000beef);
  CHECK(found_in<std::uint32_t>({AT_PAGESZ, 4096, AT_RANDOM, 0xffc0beef, AT_NULL, 0}) == 0xffc0beef);
  CHECK(found_in<std::uint64_t>({AT_PAGESZ, 4096, AT_NULL, 0, AT_RANDOM, 1}) == 0);
}

TEST_CASE("program image: a fork keeps it, an exec does not, and a dead process tells whether it executed", "[os]") {
  const bool executes = GENERATE(false, true);
  const auto own = static_cast<std::uint32_t>(::getpid());
  const auto before = read_program_image(own, own);
  REQUIRE(before);
  const Child child(executes);
  const auto after = read_program_image(child.pid(), child.pid());
  REQUIRE(after);
  CHECK((*after == *before) == !executes);
  CHECK(read_child(child.pid())->has_executed == executes);
  child.kill();
  CHECK_FALSE(read_program_image(child.pid(), child.pid()));
  const auto dead = read_child(child.pid());
  REQUIRE(dead);
  CHECK(dead->has_executed == executes);
  if (executes) CHECK(dead->name == "sleep");
}

}  // namespace dpm
