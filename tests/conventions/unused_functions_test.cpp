#include "tests/conventions/unused_functions.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

Complaints complaints_about(const Files& path_and_text, const std::vector<CalledElsewhere>& rows = {}) {
  const PlantedTree tree(path_and_text);
  return unused_functions(read_source_tree(tree.root()), rows);
}

const std::string kHeader = "int planted(int of);\n", kCode = "int planted(int of) { return of; }\n";

}  // namespace

TEST_CASE("unused functions: everything in the product is used there", "[conventions]") {
  std::ifstream file(source_root() / "tests/conventions/unused_functions.txt");
  const auto rows = read_called_elsewhere(std::string{std::istreambuf_iterator<char>(file), {}});
  REQUIRE(!rows.empty());
  const auto files = read_source_tree(source_root());
  REQUIRE(files.size() > 20);
  for (const auto& complaint : unused_functions(files, rows)) FAIL_CHECK(complaint);
}

TEST_CASE("unused functions: one that only tests call is found", "[conventions]") {
  const Files planted = {{"model/a.hpp", kHeader}, {"model/a.cpp", kCode}};
  CHECK(complaints_about(planted).size() == 1);
  CHECK(complaints_about(planted).at(0).ends_with("nothing uses 'planted'"));
  Files tested = planted;
  tested.emplace_back("tests/model/a_test.cpp", "int main() { return planted(1); }\n");
  CHECK(complaints_about(tested) == Complaints{"model/a.cpp:1: nothing but tests uses 'planted'"});
  tested.emplace_back("cli/b.cpp", "int main() {\n  return planted(1);\n}\n");
  CHECK(complaints_about(tested).empty());
}

TEST_CASE("unused functions: methods, templates and inline functions are found", "[conventions]") {
  const Files planted = {{"model/a.hpp",
                          "struct A {\n"
                          "  const std::vector<int>& first() const { return all_; }\n"
                          "  std::map<int, std::vector<int>> second() const;\n"
                          "  virtual int third() = 0;\n"
                          "};\n"
                          "template <typename T>\n"
                          "T fourth(T of) { return of; }\n"},
                         {"model/a.cpp",
                          "std::map<int, std::vector<int>> A::second() const { return {}; }\n"
                          "// first() is in a comment, and \"second()\" in a text.\n"
                          "const char* text = \"third() fourth()\";\n"}};
  const auto complaints = complaints_about(planted);
  REQUIRE(complaints.size() == 4);
  CHECK(complaints[0] == "model/a.cpp:1: nothing uses 'second'");
  CHECK(complaints[1] == "model/a.hpp:2: nothing uses 'first'");
  CHECK(complaints[2] == "model/a.hpp:4: nothing uses 'third'");
  CHECK(complaints[3] == "model/a.hpp:7: nothing uses 'fourth'");
}

TEST_CASE("unused functions: every way of use counts, and a variable is not a function", "[conventions]") {
  for (const std::string use :
       {"int x = planted(1);", "return planted(1);", "a.planted(1);", "x = y * planted(1);", "x = y & planted(1);",
        "x = y > planted(1);", "x = *planted(1);", "f(&planted);", "std::transform(a, b, c, planted);",
        "else planted(1);", "x = dpm::planted(1);", "std::vector<int>(planted(1));", "static_cast<int>(planted(1));"}) {
    INFO(use);
    CHECK(complaints_about(
              {{"model/a.cpp", kCode + "void f() {\n  " + use + "\n}\nint g = 0; int h() { f(); return h(); }\n"}})
              .empty());
  }
  CHECK(complaints_about({{"model/a.cpp", kCode + "#define CALL() planted(1)\n"}}).empty());
  CHECK(complaints_about({{"model/a.cpp", "int main() {\n  std::lock_guard planted(mutex);\n}\n"}}).empty());
  CHECK(complaints_about({{"model/a.hpp", "struct A : Library {\n  int planted() override;\n};\n"}}).empty());
  CHECK(complaints_about({{"model/a.cpp", "struct A {\n  A(int of);\n};\nA::A(int of) {}\n"}}).empty());
}

TEST_CASE("unused functions: a row excuses by name, by its beginning, or by file, and must excuse something",
          "[conventions]") {
  const Files planted = {{"model/a.cpp", kCode}};
  for (const char* what : {"planted", "plan*", "model/", "model/a.cpp"}) {
    INFO(what);
    CHECK(complaints_about(planted, {{what, "a library"}}).empty());
  }
  CHECK(complaints_about(planted, {{"planted", "a library"}, {"gone", "a library"}}) ==
        Complaints{"'gone' excuses no function"});
  const auto rows = read_called_elsewhere("# a comment | no row\nplanted | a library\n\nmodel/ | programs\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].what == "planted");
  CHECK(rows[1].caller == "programs");
}
