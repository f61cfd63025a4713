#include "tests/conventions/prose_budget.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// A sentence of `count` words.
std::string sentence_of(std::size_t count) {
  std::string text = "One";
  for (std::size_t word = 1; word < count; ++word) text += " word";
  return text + ". ";
}

std::vector<std::string> sentences_in(const std::string& text) {
  const PlantedTree tree({{"docs/a.md", text}});
  return sentences_of(read_source_tree(tree.root()).front());
}

Complaints budget_complaints(const std::string& path, const std::string& text) {
  const PlantedTree tree({{path, text}});
  return pages_over_budget(read_source_tree(tree.root()));
}

}  // namespace

TEST_CASE("conventions: no page is over its budget of long sentences and of \"what\"", "[conventions]") {
  const auto files = read_source_tree(source_root());
  REQUIRE(files.size() > 20);
  for (const auto& complaint : pages_over_budget(files)) FAIL_CHECK(complaint);
}

TEST_CASE("conventions: a page of long sentences is over budget, and they are printed", "[conventions]") {
  const std::string page = "# A page\n\n" + sentence_of(31) + sentence_of(31) + sentence_of(5);
  const auto complaints = budget_complaints("docs/a.md", page);
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0].find("docs/a.md: 2 of 3 sentences have more than 30 words; at most 10 % may: divide them:\n"
                           "  31 words: One word") == 0);
  CHECK(budget_complaints("docs/a.md", "# A page\n\n" + sentence_of(30) + sentence_of(30) + sentence_of(5)).empty());
  // A page of one long sentence may keep it: the allowance is rounded up.
  CHECK(budget_complaints("docs/a.md", sentence_of(31)).empty());
}

TEST_CASE("conventions: a page with too many \"what\" is over budget, and the sentences are printed", "[conventions]") {
  const auto complaints =
      budget_complaints("docs/a.md", "What waits is shown. See `what` here.\n- Nothing says what.\n");
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] ==
        "docs/a.md: \"what\" 2 times in 10 words; at most 3 in 1000: write nouns:\n"
        "  What waits is shown.\n  Nothing says what.");
  CHECK(budget_complaints("docs/a.md", "What waits is shown.\n").empty());
  CHECK(budget_complaints("docs/calls.md", "What. What. What.\n").empty());
  CHECK(budget_complaints("model/a.hpp", "// What? What? What?\n").empty());
}

TEST_CASE("conventions: code, headings, pictures and generated blocks are not sentences of a page", "[conventions]") {
  CHECK(sentences_in("# What is it\n\n```\nwhat is it\n```\n\n    what is it\n\n![what is it](a.png)\n").empty());
  CHECK(sentences_in("<!-- rows -->\n| what it is |\n|---|\n<!-- /rows -->\nTwo words.\n") ==
        std::vector<std::string>{"Two words."});
}

TEST_CASE("conventions: sentences end at a full stop, also in items of a list and cells of a table", "[conventions]") {
  CHECK(sentences_in("It takes 0.5 s, as `a. B` does. \"So it\nis.\" [This page](b.md) ends (see S3 3.6).\n") ==
        std::vector<std::string>{"It takes 0.5 s, as CODE does.", "\"So it is.\"", "This page ends (see S3 3.6)."});
  CHECK(sentences_in("- one thing\n- another\n  thing\n1. third thing\n") ==
        std::vector<std::string>{"one thing", "another thing", "third thing"});
  CHECK(sentences_in("| a \\| label | a cell of five words |\n|---|---|\n") ==
        std::vector<std::string>{"a cell of five words"});
}

TEST_CASE("conventions: numbers and compounds are single words, and \"what-if\" is not \"what\"", "[conventions]") {
  CHECK(words_in("A what-if takes 1,024.5 s, or 10^7 events' time.") == 10);
  CHECK(times_what("A what-if is not What, what?") == 2);
}
