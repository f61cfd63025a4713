// Where a machine says that it can be reached.
#include "os/machine.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("machine: addresses that need the name of an interface are useless to other machines", "[linux]") {
  const std::vector<std::string> addresses = {"10.1.0.1", "fe80::10:ff:fe00:1", "fd00:1::1", "febf::1",
                                              "fec0::1",  "169.254.3.1"};
  CHECK(addresses_for_others(addresses) == std::vector<std::string>{"10.1.0.1", "fd00:1::1", "fec0::1", "169.254.3.1"});
  CHECK(addresses_for_others({}).empty());
}

}  // namespace dpm
