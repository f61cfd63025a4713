#include "analysis/causality/letters.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::string letters_of(const std::vector<std::string>& names, const std::map<std::string, std::string>& wished = {}) {
  std::string all;
  const auto letters = assign_letters(names, wished).value();
  for (const auto& letter : letters) all += (all.empty() ? "" : " ") + letter;
  return all;
}

}  // namespace

TEST_CASE("letters: the examples of the header", "[causality]") {
  CHECK(letters_of({"alpha", "beta", "gamma"}) == "A B G");
  CHECK(letters_of({"disk", "buffer_manager", "directory_manager", "request"}) == "D B M R");
  CHECK(letters_of({"DiskInterface", "BufferMgr", "DirectoryMgr", "RequestInterp"}) == "D B M R");
  CHECK(letters_of({"controller", "server1", "server2", "server16"}) == "C S1 S2 S16");
  CHECK(letters_of({"x", "x1", "12", "xx"}) == "X A B C");
}

TEST_CASE("letters: wishes go first, and are checked", "[causality]") {
  CHECK(letters_of({"disk", "data"}, {{"data", "D"}}) == "A D");
  const std::vector<std::string> names = {"disk", "data"};
  CHECK(assign_letters(names, {{"dsk", "D"}}).error().what ==
        "letters: no process 'dsk' in the computation (did you mean 'disk'?)");
  CHECK_FALSE(assign_letters(names, {{"disk", "d"}}).has_value());
  CHECK_FALSE(assign_letters(names, {{"disk", "D"}, {"data", "D"}}).has_value());
}

TEST_CASE("letters: a thousand processes get different designators that a string splits into again", "[causality]") {
  const std::vector<std::string> names(3000, "p");
  const auto letters = assign_letters(names).value();
  CHECK(std::set<std::string>(letters.begin(), letters.end()).size() == names.size());
  for (const auto& letter : letters) {
    REQUIRE(std::isupper(static_cast<unsigned char>(letter[0])) != 0);
    for (const char c : letter.substr(1)) REQUIRE(std::islower(static_cast<unsigned char>(c)) != 0);
  }
}
