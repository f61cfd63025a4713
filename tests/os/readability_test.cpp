#include "os/readability.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

bool can_be_read(int fd) {
  pollfd item{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&item, 1, 0) == 1;
}

}  // namespace

TEST_CASE("readability: follows a pipe, and leaves it blocking", "[os]") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const UniqueFd readability = readability_of(reading.get());
  REQUIRE(readability);
  CHECK_FALSE(can_be_read(readability.get()));
  REQUIRE(::write(writing.get(), "x", 1) == 1);
  CHECK(can_be_read(readability.get()));
  REQUIRE(::fcntl(readability.get(), F_SETFL, O_NONBLOCK) == 0);  // as Boost.Asio does
  CHECK((::fcntl(reading.get(), F_GETFL) & O_NONBLOCK) == 0);
  char byte = 0;
  REQUIRE(::read(reading.get(), &byte, 1) == 1);
  CHECK_FALSE(can_be_read(readability.get()));
  writing.reset();
  CHECK(can_be_read(readability.get()));  // its end
}

TEST_CASE("readability: what the kernel cannot wait for can always be read", "[os]") {
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  for (const int fd : {nothing.get(), file.get(), -1}) {
    const UniqueFd readability = readability_of(fd);
    REQUIRE(readability);
    CHECK(can_be_read(readability.get()));
    CHECK(can_be_read(readability.get()));
  }
}
