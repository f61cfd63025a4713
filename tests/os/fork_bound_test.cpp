// Children that do not outlive the process that forked them.
#include "os/fork_bound.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "os/unique_fd.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("fork_bound: a child does not outlive its parent, however soon that ends", "[model]") {
  constexpr int kRounds = 300, kLimitMs = 60'000;
  for (int round = 0; round < kRounds; ++round) {
    std::array<int, 2> ends = {};
    REQUIRE(::pipe(ends.data()) == 0);
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    const pid_t parent = ::fork();
    REQUIRE(parent >= 0);
    if (parent == 0) {
      if (fork_bound() == 0) ::sleep(100);  // with the pipe
      if (round % 2 == 1) ::usleep(static_cast<unsigned>(round));
      ::_exit(0);
    }
    writing.reset();
    REQUIRE(::waitpid(parent, nullptr, 0) == parent);
    pollfd closed{reading.get(), 0, 0};
    REQUIRE(::poll(&closed, 1, kLimitMs) == 1);
  }
}

}  // namespace dpm
