// Text of other machines on the user's terminal.
#include "control/controller/visible.hpp"

#include "control/controller/controller.hpp"
#include "tests/control/controller/fake_machines.hpp"
#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

TEST_CASE("visible: control characters are shown, not obeyed", "[controller]") {
  CHECK(visible("\x1b[2Jred\x7f\ta\r") == "^[[2Jred^?\ta^M");
  CHECK(visible(std::string_view("a\0b", 3)) == "a^@b");
  CHECK(visible("M\xc3\xa4rz \xe2\x82\xac \xf0\x9f\x90\xa7") == "M\xc3\xa4rz \xe2\x82\xac \xf0\x9f\x90\xa7");
  CHECK(visible("\xc2\x9b"
                "31m") == "?31m");
  // Marks that turn the direction of the text, and others that are not seen.
  CHECK(visible("\xe2\x80\xae"
                "fdp.exe\xe2\x81\xa6\xef\xbb\xbf") == "?fdp.exe??");
  CHECK(visible("\xd8\x9c \xf3\xa0\x80\x81") == "? ?");
}

TEST_CASE("visible: a byte that is not UTF-8 is shown as a number", "[controller]") {
  CHECK(visible("\x9b"
                "31m") == "\\x9b31m");                           // a control character of an 8-bit terminal
  CHECK(visible("\xc0\x9b") == "\\xc0\\x9b");                    // overlong
  CHECK(visible("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");           // overlong
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(visible("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last character
  CHECK(visible("cut \xe2\x82") == "cut \\xe2\\x82");            // incomplete
  CHECK(visible("\xe2\x1b[0m") == "\\xe2^[[0m");
}

TEST_CASE("visible: every byte, alone and between others, becomes text that does not change again", "[controller]") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string shown = visible(std::string{static_cast<char>(first), static_cast<char>(second)});
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto byte = static_cast<unsigned char>(shown[i]);
        REQUIRE((byte >= 0x20 || byte == '\t'));
        REQUIRE(byte != 0x7f);
        REQUIRE_FALSE((byte == 0xc2 && static_cast<unsigned char>(shown[i + 1]) < 0xa0));
      }
      REQUIRE(visible(shown) == shown);
    }
  }
}

TEST_CASE("visible: text of another machine cannot look like another line, nor fill the screen", "[controller]") {
  CHECK(visible_lines({"no\n'A' removed", "two"}) == "no^J'A' removed\ntwo");
  CHECK(visible_lines({std::string(kShownLineBytesMax + 7, 'x')}) ==
        std::string(kShownLineBytesMax, 'x') + "... and 7 bytes");
}

// What a hostile host can name: everything of it that the controller shows passes through the same function.
constexpr const char* kHostile = "\x1b]0;stolen\x07\x9b\x32J\r\nDONE";

class Shown : public Screen {
 public:
  std::string text;

 private:
  void put(std::string_view lines) override { text += std::string(lines) + "\n"; }
};

ManagedProcess left_process() {
  ManagedProcess managed;
  managed.pid = 77;
  managed.name = managed.job = managed.controller = managed.reason = managed.log = kHostile;
  managed.filter.filter = kHostile;
  return managed;
}

TEST_CASE("visible: no byte of another host reaches the terminal raw", "[controller]") {
  test::FakeMachines machines;
  Shown screen;
  Controller controller(machines, screen, KnownMachines(""));
  const auto perform = [&](const std::string& line) {
    controller.perform(line, "script:1");
    controller.show_reports();
  };
  machines.refuse("red", "CreateFilter", kHostile);
  perform("filter f0 red");
  machines.cut_off("green", kHostile);
  perform("filter f0 green");
  perform("filter f1 red");
  perform("newjob foo");
  machines.warn(kHostile);
  perform("add foo red cat");
  machines.next_name(kHostile);
  perform("acquire foo red 99");
  perform("jobs foo");
  machines.report({"red", Output{.pid = 99, .bytes = kHostile}});
  machines.report({"red", StateChanged{99, ProcessState::killed, kHostile}});
  machines.report({"red", FilterEnded{2001, kHostile}});
  machines.report({"red", MachineLost{kHostile}});
  perform("filter");
  auto attended = left_process();
  attended.attended = true;
  machines.leave_managed("red", attended);
  machines.leave_managed("red", left_process());
  perform("adopt red");
  perform("jobs");
  machines.have_log(kHostile, "");
  machines.have_log("../" + std::string(kHostile), "");
  perform("getlog f1 /nowhere/" + std::string("log"));
  perform("die");
  perform("die");
  CHECK(screen.text.find("stolen") != std::string::npos);
  for (const char byte : screen.text) {
    const bool is_plain = (byte >= 0x20 && byte < 0x7f) || byte == '\n';
    REQUIRE(is_plain);
  }
  CHECK(screen.text.find("\nDONE") == std::string::npos);
}

}  // namespace
}  // namespace dpm::control
