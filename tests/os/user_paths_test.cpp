// The user's folders, as the environment names them.
#include "os/user_paths.hpp"

#include <cstdlib>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

}  // namespace

TEST_CASE("user paths: state is below $XDG_STATE_HOME, or else below the home", "[os]") {
  const Variable home("HOME", "/h");
  {
    const Variable state("XDG_STATE_HOME", "/s");
    CHECK(state_folder() == "/s/dpm");
  }
  const Variable state("XDG_STATE_HOME", nullptr);
  CHECK(state_folder() == "/h/.local/state/dpm");
}

TEST_CASE("user paths: relative folders in the environment do not count", "[os]") {
  const Variable home("HOME", "h"), state("XDG_STATE_HOME", "s");
  CHECK(home_folder().starts_with("/"));
  CHECK(state_folder().starts_with("/"));
  CHECK(state_folder().ends_with("/.local/state/dpm"));
}

TEST_CASE("user paths: paths begin at the home", "[os]") {
  const Variable home("HOME", "/h");
  CHECK(expand_path("~") == "/h");
  CHECK(expand_path("~/x") == "/h/x");
  CHECK(expand_path("x/y") == "/h/x/y");
  CHECK(expand_path("/x") == "/x");
}

}  // namespace dpm
