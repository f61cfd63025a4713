#include "control/controller/help_texts.hpp"

#include <fstream>

#include "tests/control/controller/scratch_folder.hpp"
#include "tests/support/catch.hpp"

using namespace dpm::control;

namespace {

std::string written(const test::ScratchFolder& folder, const std::string& text) {
  const std::string path = folder.path() / "texts";
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("help texts: those of the user's file stand in place of ours, each of the others as ever", "[controller]") {
  const test::ScratchFolder folder;
  const auto texts = HelpTexts::read(written(folder,
                                             "\n    before the first: of no command\n"
                                             "Add JOB MACHINES PROGRAM\n    start it on green\n\n    only\n"
                                             "ps\n"));
  REQUIRE(texts);
  const auto& addprocess = **find_command("addprocess");
  const auto& jobs = **find_command("jobs");
  CHECK(texts->of(addprocess) == "Add JOB MACHINES PROGRAM\n    start it on green\n    only");
  CHECK(texts->of(jobs) == help_text(jobs));
  CHECK(texts->menu().find("start it on green\n    only\nacquire ") != std::string::npos);
  CHECK(texts->menu().find(menu_text(jobs)) != std::string::npos);
  CHECK(texts->menu().find("create a process of the job") == std::string::npos);
  CHECK(HelpTexts().menu().find("create a process of the job") != std::string::npos);
}

TEST_CASE("help texts: a file with another command is refused with its line", "[controller]") {
  const test::ScratchFolder folder;
  const std::string path = written(folder, "help\n    all of it\nsetflgs JOB\n");
  const auto texts = HelpTexts::read(path);
  REQUIRE_FALSE(texts);
  CHECK(texts.error().what == path + ":3: no command 'setflgs' (did you mean 'setflags'?)");
  CHECK_FALSE(HelpTexts::read("nowhere"));
}

TEST_CASE("help texts: what help prints is a file of them that changes nothing", "[controller]") {
  const test::ScratchFolder folder;
  std::string menu = HelpTexts().menu();
  menu.resize(menu.rfind(flags_text()));
  const auto texts = HelpTexts::read(written(folder, menu));
  REQUIRE(texts);
  CHECK(texts->menu() == HelpTexts().menu());
}
