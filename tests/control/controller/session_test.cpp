// The sessions of cases/*.session. With DPM_BLESS set, what is printed now becomes what is expected.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/control/controller/session_case.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::control::test {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("sessions with the controller print what their cases say", "[controller]") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / "tests/control/controller/cases"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() > 20);
  for (const auto& path : paths) {
    const std::string expected = text_of(path);
    const std::string printed = perform_session(expected);
    if (std::getenv("DPM_BLESS") != nullptr && printed != expected) {
      std::ofstream(path) << printed;
      continue;
    }
    INFO(path.filename() << ": DPM_BLESS=1 on this test accepts what is printed now");
    CHECK(printed == expected);
  }
}

}  // namespace
}  // namespace dpm::control::test
