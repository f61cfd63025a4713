// Texts of descriptors and addresses.
#include "sampling/waits/other_ends.hpp"

#include "sampling/waits/wait_places.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

TEST_CASE("waits: addresses of the kernel's tables are written as people write them", "[sampling]") {
  CHECK(address_text("0100007F:1F90") == "127.0.0.1:8080");
  CHECK(address_text("00000000:0050") == "0.0.0.0:80");
  CHECK(address_text("00000000000000000000000001000000:1F90") == "[::1]:8080");
  CHECK(address_text("no address") == "");
}

TEST_CASE("waits: of many descriptors the first are named", "[sampling]") {
  CHECK(descriptors_text({5}) == "5");
  CHECK(descriptors_text({5, 7, 9}) == "5, 7, 9");
  CHECK(descriptors_text({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) == "1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
}

}  // namespace
}  // namespace dpm::sampling
