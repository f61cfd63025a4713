#include "tests/conventions/changelog.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Check = Complaints (*)(std::span<const SourceFile>);

void check_own_tree(Check check) {
  const auto files = read_source_tree(source_root());
  REQUIRE(files.size() > 20);
  for (const auto& complaint : check(files)) FAIL_CHECK(complaint);
}

Complaints complaints_of(Check check, std::vector<std::pair<std::string, std::string>> path_and_text) {
  path_and_text.emplace_back("CMakeLists.txt", "project(dpm VERSION 1.2.3 LANGUAGES CXX)\n");
  const PlantedTree tree(path_and_text);
  return check(read_source_tree(tree.root()));
}

Complaints of_changelog(const std::string& text) { return complaints_of(changelog_mistakes, {{"CHANGELOG.md", text}}); }

std::string words(int count) {
  std::string text;
  for (int word = 1; word < count; ++word) text += "word ";
  return text + "end.";
}

}  // namespace

TEST_CASE("changelog: it has the project's version first, and short entries, each once", "[conventions]") {
  check_own_tree(changelog_mistakes);
  CHECK(of_changelog("# Changelog\n\n## 1.2.3\n\n- " + words(30) + "\n\n## 1.2.2\n\n- One\n  and two.\n").empty());
  CHECK(of_changelog("## Unreleased\n## 1.2.3\n") ==
        Complaints{"CHANGELOG.md: begins with 'Unreleased', and CMakeLists.txt has '1.2.3'"});
  CHECK(of_changelog("## 1.2.3\n- " + words(20) + "\n  " + words(11) + "\n") ==
        Complaints{"CHANGELOG.md:2: 31 words, more than 30"});
  const Complaints again = {"CHANGELOG.md:4: begins with the sentence of line 2"};
  CHECK(of_changelog("## 1.2.3\n- One and two.\n\n- One\n  and two.\n") == again);
  CHECK(of_changelog("## 1.2.3\n- One and two. Three.\n\n- One and two.\n") == again);
  CHECK(of_changelog("## 1.2.3\n- One and\n") == Complaints{"CHANGELOG.md:2: an entry ends with a full stop"});
  CHECK(complaints_of(changelog_mistakes, {}) == Complaints{"CHANGELOG.md: is missing"});
}

TEST_CASE("changelog: the project's version is written in CMakeLists.txt alone", "[conventions]") {
  check_own_tree(versions_repeated);
  CHECK(complaints_of(versions_repeated, {{"docs/a.md", "\nThis is dpm 1.2.3.\n"}}) ==
        Complaints{"docs/a.md:2: repeats the version 1.2.3"});
  CHECK(complaints_of(versions_repeated, {{"cli/a.case", "| dpm 1.2.3\n"}}).size() == 1);
  CHECK(complaints_of(versions_repeated, {{"CHANGELOG.md", "## 1.2.3\n"}, {"a.cpp", "\"10.1.2.3\", \"1.2.3.4\"\n"}})
            .empty());
}
