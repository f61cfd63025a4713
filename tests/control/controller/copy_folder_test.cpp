// Where copies of logs are: one whose controller was killed is removed, and nothing else is.
#include "control/controller/copy_folder.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

using namespace dpm::control;
using dpm::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// As `dpm control` leaves it when it is killed.
void leave_copy(const std::string& scratch) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto copy = CopyFolder::make(scratch, "f1");
    if (copy) std::ofstream(copy->trace() / "trace.json") << "{}";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("copy folder: it goes with its object, and names of filters stay inside the folder", "[controller]") {
  TemporaryFolder scratch;
  {
    auto copy = CopyFolder::make(std::string(scratch / ""), "../../f1");
    REQUIRE(copy.has_value());
    CHECK(copy->trace().parent_path().parent_path() == fs::path(scratch / "").parent_path());
    CHECK(fs::is_empty(copy->trace()));
    std::ofstream(copy->trace() / "trace.json") << "{}";
    CHECK(entries(scratch / "") == 1);
  }
  CHECK(entries(scratch / "") == 0);
  CHECK_FALSE(CopyFolder::make(std::string(scratch / "missing"), "f1").has_value());
}

TEST_CASE("copy folder: what a killed controller has left is removed, and a copy in use stays", "[controller]") {
  TemporaryFolder scratch;
  auto used = CopyFolder::make(std::string(scratch / ""), "f1");
  REQUIRE(used.has_value());
  leave_copy(scratch / "");
  leave_copy(scratch / "");
  CHECK(entries(scratch / "") == 3);
  CHECK(remove_abandoned_copies(std::string(scratch / "")) == 2);
  CHECK(entries(scratch / "") == 1);
  CHECK(fs::exists(used->trace()));
}

TEST_CASE("copy folder: other folders stay, and links are not followed", "[controller]") {
  TemporaryFolder scratch;
  fs::create_directories(scratch / "elsewhere/dpm-watch-precious");
  fs::create_directory(scratch / "another");
  fs::create_directory_symlink(scratch / "another", scratch / "dpm-watch-link");
  std::ofstream(scratch / "dpm-watch-file") << "text";
  CHECK(remove_abandoned_copies(std::string(scratch / "")) == 0);
  CHECK(entries(scratch / "") == 4);
  CHECK(fs::exists(scratch / "elsewhere/dpm-watch-precious"));
  CHECK(remove_abandoned_copies(std::string(scratch / "missing")) == 0);
}
