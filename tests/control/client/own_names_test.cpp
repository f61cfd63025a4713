#include "control/client/own_names.hpp"

#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

TEST_CASE("own names: a machine that was never reached has the name that the user gave it", "[client]") {
  CHECK(OwnNames().of("red").value() == "red");
}

TEST_CASE("own names: no machine gets the name of another one", "[client]") {
  OwnNames names;
  names.learn("10.0.0.1", "red");
  names.learn("local", "home");
  names.learn("green", "green");
  CHECK(names.of("10.0.0.1").value() == "red");
  CHECK(names.of("local").value() == "home");
  CHECK(names.of("green").value() == "green");
  // It says that it is green; the launcher led to another machine under that name.
  names.learn("blue", "green");
  CHECK(
      names.of("blue").error().what ==
      "machine blue calls itself 'green', as machine green does: their events could not be told apart. Give it another "
      "host name");
  CHECK(names.of("green").value() == "green");
  // The user gave the name to neither.
  names.learn("10.0.0.2", "red");
  CHECK_FALSE(names.of("10.0.0.1"));
  CHECK_FALSE(names.of("10.0.0.2"));
  // Now the user has given it to one.
  names.learn("red", "red");
  CHECK(names.of("red").value() == "red");
  CHECK_FALSE(names.of("10.0.0.1"));
  // It has changed its name.
  names.learn("blue", "azure");
  CHECK(names.of("blue").value() == "azure");
}

TEST_CASE("own names: a name that would be ambiguous in an identity is refused", "[client]") {
  OwnNames names;
  names.learn("red", "a/b");
  CHECK_FALSE(names.of("red"));
  names.learn("red", "");
  CHECK_FALSE(names.of("red"));
}

}  // namespace
}  // namespace dpm::control
