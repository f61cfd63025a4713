#include "cli/run/ending_text.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using dpm::cli::ending_text;

namespace {

std::string waits(const std::string& name, const std::string& for_what) {
  return "process '" + name + "' on machine 'm" + name + "' waits for " + for_what;
}

}  // namespace

TEST_CASE("ending: processes that are alike share a line, the most frequent first", "[cli]") {
  std::vector<std::string> blocked = {waits("boss", "'done' from 'member_1'")};
  for (int i = 1; i <= 3; ++i)
    blocked.push_back(waits("member_" + std::to_string(i), "'token' from 'member_" + std::to_string(i % 3 + 1) + "'"));
  CHECK(ending_text("", "deadlock", false, blocked, false) ==
        "the run ended by deadlock\n"
        "  process 'member_1' on machine 'mmember_1' waits for 'token' from 'member_2' (2 others are like it)\n"
        "  process 'boss' on machine 'mboss' waits for 'done' from 'member_1'");
}

TEST_CASE("ending: processes that wait for different kinds or groups are not alike", "[cli]") {
  const std::string text = ending_text("", "deadlock", false,
                                       {waits("a_1", "'x' from 'b_1'"), waits("a_2", "'y' from 'b_1'"),
                                        waits("a_3", "'x' from 'c_1'"), waits("a_4", "'x_1 or 'x'")},
                                       false);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
}

TEST_CASE("ending: the report fits a screen, and counts all processes", "[cli]") {
  std::vector<std::string> blocked;
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k <= i; ++k) blocked.push_back(waits("kind" + std::to_string(i), "'x'"));
  const std::string text = ending_text("", "deadlock", false, blocked, false);
  CHECK(std::count(text.begin(), text.end(), '\n') == dpm::cli::kEndingLinesMost);
  CHECK(text.find("process 'kind99' on machine 'mkind99' waits for 'x' (99 others are like it)") != std::string::npos);
  CHECK(text.substr(text.rfind('\n')) == "\n  and 3741 other processes (--all shows them)");
  const std::string whole = ending_text("", "deadlock", false, blocked, true);
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 100);
  CHECK(whole.find("other processes") == std::string::npos);
}

TEST_CASE("ending: a limit that the scenario sets is reported as such", "[cli]") {
  CHECK(ending_text("", "the time limit of 10 s", true, {waits("a", "'x'")}, false) ==
        "the run ended at the time limit of 10 s that the scenario sets");
  CHECK(ending_text("process 'a' failed", "an error", false, {}, false) == "process 'a' failed");
}
