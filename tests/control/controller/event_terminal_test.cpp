#include "control/controller/event_terminal.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/control/controller/scratch_folder.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using control::EventTerminal;

namespace {

struct Window {
  UniqueFd near, far;
  std::string path;

  Window() {
    int own = -1, others = -1;
    char name[64];
    REQUIRE(::openpty(&own, &others, name, nullptr, nullptr) == 0);
    near.reset(own);
    far.reset(others);
    path = name;
  }
  std::string shown() const {
    std::string text(4096, '\0');
    const ssize_t length = ::read(near.get(), text.data(), text.size());
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
  }
};

}  // namespace

TEST_CASE("event terminal: another window shows the lines, and obeys nothing in them", "[controller]") {
  Window window;
  auto terminal = EventTerminal::open(window.path);
  REQUIRE(terminal);
  REQUIRE(terminal->show({"E: one", "  \x1b[2J"}));
  CHECK(window.shown() == "E: one\r\n  ^[[2J\r\n");
}

TEST_CASE("event terminal: one that takes nothing, or has gone, is an error and not waited for", "[controller]") {
  Window window;
  auto terminal = EventTerminal::open(window.path);
  REQUIRE(terminal);
  const control::Lines many(1000, std::string(100, 'x'));
  const auto full = terminal->show(many);
  REQUIRE_FALSE(full);
  CHECK(full.error().what == window.path + " takes nothing more");
  window.near.reset();
  const auto gone = terminal->show({"E"});
  REQUIRE_FALSE(gone);
  CHECK(gone.error().what == "show events at " + window.path + ": Input/output error");
}

TEST_CASE("event terminal: a pipe needs a reader, a file is made and appended to", "[controller]") {
  const control::test::ScratchFolder folder;
  const std::string pipe = folder.path() / "pipe", file = folder.path() / "file";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto unread = EventTerminal::open(pipe);
  REQUIRE_FALSE(unread);
  CHECK(unread.error().what == "nothing reads the pipe " + pipe + ": start 'cat " + pipe + "' first");
  for (const char* line : {"one", "two"}) REQUIRE(EventTerminal::open(file)->show({line}));
  struct stat status = {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK(status.st_size == 8);
}
