#include "tests/conventions/conventions.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Check = Complaints (*)(std::span<const SourceFile>);

Complaints complaints_about(Check check, const std::vector<std::pair<std::string, std::string>>& path_and_text) {
  const PlantedTree tree(path_and_text);
  return check(read_source_tree(tree.root()));
}

void check_project(Check check) {
  const auto files = read_source_tree(source_root());
  REQUIRE(files.size() > 20);
  for (const auto& complaint : check(files)) FAIL_CHECK(complaint);
}

const std::string kReadme =
    "# X\n## What it is for\n## What is in it\n## What it may use\n## How to add one\n## How to test it\n";

}  // namespace

TEST_CASE("conventions: nothing promises later work", "[conventions]") {
  check_project(promises_of_later_work);
  const std::string word = std::string("TO") + "DO";
  CHECK(complaints_about(promises_of_later_work, {{"model/a.cpp", fmt::format("int a;\n// {}: more\n", word)}}) ==
        Complaints{fmt::format("model/a.cpp:2: a promise of later work: '{}'", word)});
  CHECK(complaints_about(promises_of_later_work, {{"model/a.cpp", "int to_do;\n"}}).empty());
}

TEST_CASE("conventions: no file has more than 600 lines", "[conventions]") {
  check_project(files_too_long);
  std::string long_file;
  for (int line = 0; line < 601; ++line) long_file += "//\n";
  CHECK(complaints_about(files_too_long, {{"model/a.cpp", long_file}}) ==
        Complaints{"model/a.cpp: 601 lines, more than 600: which second thing is in it?"});
  CHECK(complaints_about(
            files_too_long,
            {{"model/a.cpp", long_file.substr(3)}, {"data.json", long_file}, {"tests/a/cases/b.html", long_file}})
            .empty());
}

TEST_CASE("conventions: every component folder has a README with the five headings", "[conventions]") {
  check_project(readmes_missing);
  CHECK(complaints_about(readmes_missing, {{"model/a.cpp", ""}, {"model/README.md", kReadme}}).empty());
  CHECK(complaints_about(readmes_missing, {{"model/a.cpp", ""}}) == Complaints{"model: has no README.md"});
  CHECK(complaints_about(readmes_missing, {{"backends/sim/a.cpp", ""}, {"backends/README.md", kReadme}}) ==
        Complaints{"backends/sim: has no README.md"});
  CHECK(complaints_about(readmes_missing,
                         {{"cli/a.hpp", ""}, {"cli/README.md", kReadme.substr(0, kReadme.rfind('#') - 1)}}) ==
        Complaints{"cli/README.md: no heading 'How to test it'"});
  CHECK(complaints_about(readmes_missing, {{"scenarios/tsp/scenario.json", "{}"}}) ==
        Complaints{"scenarios/tsp: has no README.md"});
}

TEST_CASE("conventions: the methods of a class are in one .cpp file", "[conventions]") {
  check_project(classes_spread);
  const std::string here = "int Clock::now() const {\n  return Other::time();\n}\nClock::Tick Clock::last() {}\n";
  const std::string there = "void Clock::set(int to) {}\n";
  CHECK(complaints_about(classes_spread, {{"model/a.cpp", here}, {"model/b.cpp", there}}) ==
        Complaints{"model: methods of Clock are in a.cpp, b.cpp: which second noun is in it?"});
  CHECK(complaints_about(classes_spread, {{"model/a.cpp", "Clock::~Clock() {}\n"}, {"model/b.cpp", there}}).size() ==
        1);
  CHECK(complaints_about(classes_spread, {{"model/a.cpp", here}, {"merge/b.cpp", there}}).empty());
  CHECK(complaints_about(classes_spread, {{"model/a.cpp", "int Clock::State::now() {}\n"},
                                          {"model/b.cpp", "int Wait::State::now() {}\n"}})
            .empty());
  CHECK(complaints_about(classes_spread, {{"model/a.cpp", here}, {"model/b.cpp", "const int t = Clock::now();\n"}})
            .empty());
}

TEST_CASE("conventions: drawings in comments are whole", "[conventions]") {
  check_project(drawings_broken);
  const std::string row =
      "//   push     the caller owns the source          its kernel sends at once; the call returns then,";
  const std::string filler(120 - row.size(), 'x');
  CHECK(complaints_about(drawings_broken, {{"model/a.hpp", fmt::format("{}{}\n//   sent\n", row, filler)}}) ==
        Complaints{"model/a.hpp:2: 'sent' is left of a drawing that was wrapped"});
  CHECK(complaints_about(drawings_broken, {{"model/a.hpp", "//     RECEIVE  a message\n// came\n"}}).size() == 1);
  CHECK(complaints_about(drawings_broken, {{"model/a.hpp", row + "\n//   end\n"}}).empty());
  CHECK(complaints_about(drawings_broken,
                         {{"model/a.hpp", fmt::format("// A sentence {}{}\n// ends.\n", filler, filler)}})
            .empty());
}

TEST_CASE("conventions: a header begins with its purpose and is included once", "[conventions]") {
  check_project(headers_malformed);
  CHECK(complaints_about(headers_malformed, {{"model/a.hpp", "// What a is.\n#pragma once\n"}}).empty());
  CHECK(complaints_about(headers_malformed, {{"model/a.hpp", "#pragma once\n// What a is.\n"}}).size() == 1);
  CHECK(complaints_about(headers_malformed, {{"model/a.hpp", "// What a is.\n#include <string>\n"}}) ==
        Complaints{"model/a.hpp: has no #pragma once"});
}

TEST_CASE("conventions: links in the documents lead somewhere", "[conventions]") {
  check_project(links_broken);
  CHECK(complaints_about(links_broken,
                         {{"docs/a.md", "see [b](b.md#part), [root](../c/) and [web](https://example.org/x)"},
                          {"docs/b.md", "## Part\n"},
                          {"docs/e.md", "![a picture](e.png)\n"},
                          {"docs/e.png", std::string("\0\n", 2)},
                          {"c/d.txt", ""}})
            .empty());
  CHECK(complaints_about(links_broken, {{"docs/a.md", "\nsee [b](b.md)"}}) ==
        Complaints{"docs/a.md:2: link to 'b.md', which does not exist"});
  CHECK(complaints_about(links_broken, {{"docs/a.md", "# Its `part`, 2\n[b](#its-part-2) [c](a.md#other)"}}) ==
        Complaints{"docs/a.md:2: link to '#other' of docs/a.md, which has no such heading"});
}

TEST_CASE("conventions: a Python program ends in .py", "[conventions]") {
  check_project(python_unnamed);
  CHECK(complaints_about(python_unnamed, {{"tests/check_a", "#!/usr/bin/env python3\nprint(1)\n"}}) ==
        Complaints{"tests/check_a: a Python program whose name does not end in .py"});
  CHECK(complaints_about(python_unnamed, {{"tests/check_a.py", "#!/usr/bin/env python3\n"},
                                          {"tests/check_b", "#!/bin/sh\npython3 check_a.py\n"},
                                          {"tests/c", ""}})
            .empty());
}

TEST_CASE("conventions: no file names a path of one machine", "[conventions]") {
  check_project(machine_paths);
  const std::string path = std::string("/wo") + "rk/project";
  CHECK(complaints_about(machine_paths, {{"docs/a.md", fmt::format("see {}\n", path)}}).size() == 1);
  CHECK(complaints_about(machine_paths, {{"docs/a.md", fmt::format("see net{} and homework/a\n", path)}}).empty());
}
