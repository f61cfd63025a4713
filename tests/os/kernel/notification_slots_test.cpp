// Memory that one process hands to another, which may run for another user.
#include "os/kernel/notification_slots.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("notification slots: memory that was handed over cannot become shorter", "[linux]") {
  auto slots = NotificationSlots::create().value();
  CHECK(::ftruncate(slots.fd(), 0) == -1);
  const auto shared = NotificationSlots::share(UniqueFd(::fcntl(slots.fd(), F_DUPFD_CLOEXEC, 0)));
  REQUIRE(shared);
  shared->all()[0].id = 7;
  CHECK(slots[0].id == 7);
}

TEST_CASE("notification slots: memory of the right size that its owner can make shorter is refused", "[linux]") {
  const auto slots = NotificationSlots::create().value();
  struct stat status = {};
  REQUIRE(::fstat(slots.fd(), &status) == 0);
  UniqueFd memory(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(memory.get(), status.st_size) == 0);
  const auto shared = NotificationSlots::share(std::move(memory));
  REQUIRE_FALSE(shared);
  CHECK(shared.error().what.find("can become shorter") != std::string::npos);
}

}  // namespace dpm
