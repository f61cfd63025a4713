#include "control/controller/filter_reach.hpp"

#include "control/transport/frames/meter_scope.hpp"
#include "tests/control/controller/fake_machines.hpp"
#include "tests/support/catch.hpp"

namespace dpm::control::test {
namespace {

FilterRecord filter_on_blue() {
  FilterRecord filter;
  filter.name = "f1";
  filter.machine = "blue";
  filter.address = {{"blue", "10.0.0.3"}, 4000, std::string(64, 'a'), "f1", false, "id"};
  return filter;
}

TEST_CASE("filter reach: a machine gets the key of its own name and the job, and not the filter's secret",
          "[controller]") {
  FakeMachines machines;
  machines.have_own_name("10.0.0.1", std::string("red"));
  const auto filter = filter_on_blue();
  const auto address = address_for("10.0.0.1", "foo", filter, machines).value();
  CHECK(address.secret == meter_key(filter.address.secret, "dpm meter red/foo").value());
  CHECK(address.hosts == filter.address.hosts);
  CHECK(address.id == "id");
  CHECK(address_for("10.0.0.1", "bar", filter, machines).value().secret != address.secret);
  CHECK(address_for("blue", "foo", filter, machines).value().secret != filter.address.secret);
}

TEST_CASE("filter reach: a machine with the name of another one gets no key", "[controller]") {
  FakeMachines machines;
  machines.have_own_name("green", Error{"it calls itself 'red'"});
  const auto refused = address_for("green", "foo", filter_on_blue(), machines);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().what == "it calls itself 'red'");
}

}  // namespace
}  // namespace dpm::control::test
