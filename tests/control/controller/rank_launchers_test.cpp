// Programs that start processes on other machines themselves.
#include "control/controller/rank_launchers.hpp"

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

TEST_CASE("rank launchers: mpirun gets the recipe, others the fact", "[controller]") {
  CHECK(remark_on_ranks("mpirun", {"-H", "red,green", "ring"}).find("orte_launch_agent") != std::string::npos);
  CHECK(remark_on_ranks("/opt/openmpi/bin/mpiexec", {}).find("orte_launch_agent") != std::string::npos);
  CHECK(remark_on_ranks("srun", {}) ==
        "starts processes on other machines itself; those are not metered (docs/control.md, 'MPI')");
}

TEST_CASE("rank launchers: no remark on other programs and on metered agents", "[controller]") {
  CHECK(remark_on_ranks("redis-server", {"mpirun"}).empty());
  CHECK(remark_on_ranks("mpirun", {"--mca", "orte_launch_agent", "/opt/dpm meter -o a -- orted"}).empty());
}

}  // namespace
}  // namespace dpm::control
