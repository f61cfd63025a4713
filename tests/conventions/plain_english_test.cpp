#include "tests/conventions/plain_english.hpp"

#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Complaints complaints_about(const std::string& path, const std::string& text) {
  const PlantedTree tree({{path, text}});
  const auto phrases = read_rejected_phrases(
      "# a comment\nanew | again\nis no | is not a | there is no, is no longer\n"
      "Who | a process that | ?\n");
  return rejected_phrases(read_source_tree(tree.root()), phrases);
}

}  // namespace

TEST_CASE("conventions: the project is written in plain English", "[conventions]") {
  const auto phrases = read_rejected_phrases(text_of(source_root() / "tests/conventions/plain_english.txt"));
  REQUIRE(phrases.size() > 20);
  auto files = read_source_tree(source_root());
  // The check itself quotes what it rejects.
  std::erase_if(files, [](const auto& file) { return file.path.starts_with("tests/conventions/plain_english"); });
  REQUIRE(files.size() > 20);
  for (const auto& complaint : rejected_phrases(files, phrases)) FAIL_CHECK(complaint);
}

TEST_CASE("conventions: rejected phrases are found as words, and named with what to write", "[conventions]") {
  CHECK(complaints_about("docs/a.md", "one\nand Anew.\n") == Complaints{"docs/a.md:2: 'anew'; write: again"});
  CHECK(complaints_about("model/a.cpp", "// This is no file.\n").size() == 1);
  CHECK(complaints_about("model/a.cpp", "// There is no file. It is no longer there.\nint manew;\n").empty());
  CHECK(complaints_about("model/a.cpp", "// Who waits, sleeps.\n").size() == 1);
  CHECK(complaints_about("model/a.cpp", "// Who waits? A user who waits.\n").empty());
  CHECK(complaints_about("model/a.json", "anew\n").empty());
}
