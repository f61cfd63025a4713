// Copies of descriptors, and the limit on their number.
#include "os/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "os/whole_io.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("descriptors: a copy lies above the standard streams and is closed at exec", "[os]") {
  const UniqueFd copy = duplicate(STDERR_FILENO);
  CHECK(copy.get() > STDERR_FILENO);
  CHECK((::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("descriptors: borrowed standard streams are given back", "[os]") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  bool is_written = false;
  {
    const BorrowedStandardStreams borrowed({nowhere.get(), writing.get(), nowhere.get()});
    is_written = write_all(STDOUT_FILENO, "borrowed");
  }
  writing.reset();
  CHECK(is_written);
  CHECK(read_to_end(reading.get()) == "borrowed");  // ends: our standard output is not the pipe any more
}

TEST_CASE("descriptors: a process gets as many as its hard limit allows", "[os]") {
  rlimit usual = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit few = {usual.rlim_max / 2, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  allow_many_descriptors();
  rlimit now = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &now) == 0);
  CHECK(now.rlim_cur == usual.rlim_max);
  CHECK(now.rlim_max == usual.rlim_max);
  CHECK(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
}

TEST_CASE("descriptors: all are closed but those that are kept", "[os]") {
  const pid_t child = ::fork();
  if (child == 0) {
    std::array<int, 6> opened = {};
    for (int& fd : opened) fd = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close_descriptors_but({opened[4], opened[1]});
    bool right = true;
    for (int fd = 0; fd <= opened.back(); ++fd) {
      const bool stays = fd <= STDERR_FILENO || fd == opened[1] || fd == opened[4];
      right &= (::fcntl(fd, F_GETFD) != -1) == stays;
    }
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace dpm
