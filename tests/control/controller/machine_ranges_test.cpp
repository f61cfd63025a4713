// Many machines as one word.
#include "control/controller/machine_ranges.hpp"

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

using Names = std::vector<std::string>;

Names names(std::string_view word) { return expand_machines(word).value(); }
std::string error_of(std::string_view word) {
  const auto machines = expand_machines(word);
  return machines ? "" : machines.error().what;
}

TEST_CASE("machine ranges: a name without brackets is itself", "[controller]") {
  for (const std::string name : {"red", "user@red.lan", "10.0.0.1", "fe80::1%eth0", "r-1_2:22"})
    CHECK(names(name) == Names{name});
}

TEST_CASE("machine ranges: ranges, lists, leading zeros, several brackets, repetitions", "[controller]") {
  CHECK(names("red[1-3]") == Names{"red1", "red2", "red3"});
  CHECK(names("red[08-11].lan") == Names{"red08.lan", "red09.lan", "red10.lan", "red11.lan"});
  CHECK(names("red[1,3,8-9]") == Names{"red1", "red3", "red8", "red9"});
  CHECK(names("r[1-2]n[1-2]") == Names{"r1n1", "r1n2", "r2n1", "r2n2"});
  CHECK(names("red,green,b[1-2]") == Names{"red", "green", "b1", "b2"});
  CHECK(names("a[1-2]=2,b") == Names{"a1", "a1", "a2", "a2", "b"});
  CHECK(names("red,red") == Names{"red", "red"});
  CHECK(names("red[7]") == Names{"red7"});
  CHECK(names("red[4294967294-4294967295]").size() == 2);
  CHECK(names("r[1-4096]").size() == kMachinesMax);
}

TEST_CASE("machine ranges: what is not understood is refused", "[controller]") {
  CHECK(error_of("") == "'' cannot be the name of a machine");
  CHECK(error_of("red[1-3") == "'red[1-3': a range begins with '[' and does not end");
  CHECK(error_of("red]") == "'red]' cannot be the name of a machine");
  CHECK(error_of("red[]") == "'red[]': in brackets stand numbers and ranges, as in red[1-3,8]");
  CHECK(error_of("red[a-b]") == "'red[a-b]': in brackets stand numbers and ranges, as in red[1-3,8]");
  CHECK(error_of("red[3-1]") == "'red[3-1]': the range 3-1 begins above its end");
  CHECK(error_of("red=0") == "'red=0': after '=' comes how often, as in red[1-16]=2");
  CHECK(error_of("red=x") == "'red=x' cannot be the name of a machine");
  CHECK(error_of("red,,green") == "'' cannot be the name of a machine");
  CHECK(error_of("-x[1-2]") == "'-x1' cannot be the name of a machine");
}

TEST_CASE("machine ranges: more than the limit is refused before it is made", "[controller]") {
  for (const auto* word : {"r[1-4097]", "r[0-4294967295]", "r[1-100]n[1-100]", "r=4294967295", "r[1-4096],x",
                           "r[1-4000]n[1-4000]n[1-4000]n[1-4000]", "r[1-4096,1-4096,1-4096]"})
    CHECK(error_of(word) == "'" + std::string(word) + "': these are more than 4096 machines");
}

}  // namespace
}  // namespace dpm::control
