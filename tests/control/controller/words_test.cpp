// The command language: words, quotes, comments, redirection, and what is refused.
#include "control/controller/command_words.hpp"
#include "tests/support/catch.hpp"

namespace dpm::control {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) { return read_words(line).value().words; }
std::string error_of(std::string_view line) {
  const auto command = read_words(line);
  return command ? "" : command.error().what;
}

TEST_CASE("words stand between blanks, tabs and carriage returns", "[controller]") {
  CHECK(words_of("  add\tfoo red /bin/A -x --size=10 a:b,c 10.0.0.1 \r\n") ==
        Words{"add", "foo", "red", "/bin/A", "-x", "--size=10", "a:b,c", "10.0.0.1"});
  CHECK(words_of("add foo red[1-3,8]=2 A") == Words{"add", "foo", "red[1-3,8]=2", "A"});
  CHECK(words_of("").empty());
  CHECK(words_of(" \t\r\n").empty());
}

TEST_CASE("quotes hold other characters than literals", "[controller]") {
  CHECK(words_of(R"(a 'two words' "three \"more\" \\ words" '')") ==
        Words{"a", "two words", R"(three "more" \ words)", ""});
  CHECK(words_of("pre'fi x'ed\"!\"") == Words{"prefi xed!"});
  CHECK(words_of("a '# no comment' \"(* none *)\"") == Words{"a", "# no comment", "(* none *)"});
}

TEST_CASE("comments end the line, or stand between brackets with stars", "[controller]") {
  CHECK(words_of("# all of it").empty());
  CHECK(words_of("jobs foo # the rest") == Words{"jobs", "foo"});
  CHECK(words_of("filter f1 blue    (* create a filter process on machine blue *)") == Words{"filter", "f1", "blue"});
  CHECK(words_of("filter (* in *) f1 (* not ended") == Words{"filter", "f1"});
}

TEST_CASE("'<' names the file of standard input, with or without a blank", "[controller]") {
  for (const auto* line :
       {"add foo red A <data", "add foo red A < data", "add <data foo red A", "add foo red A < 'data'"}) {
    const auto command = read_words(line).value();
    CHECK(command.words == Words{"add", "foo", "red", "A"});
    CHECK(command.input == "data");
  }
  CHECK_FALSE(read_words("add foo red A '<data'").value().input.has_value());
}

TEST_CASE("what is not a word is refused, with what to do", "[controller]") {
  CHECK(error_of("add foo red A $HOME") == "'$' must be in quotes: '$'");
  CHECK(error_of("a;b") == "';' must be in quotes: ';'");
  CHECK(error_of("a|b").find("quotes") != std::string::npos);
  CHECK(error_of("a\\b") == "'\\' must be in quotes: '\\'");
  CHECK(error_of("say 'it") == "a quotation begins with ' and does not end");
  CHECK(error_of("say \"it\\\"") == "a quotation begins with \" and does not end");
  CHECK(error_of("add <") == "after '<' comes the name of a file");
  CHECK(error_of("add <a <b") == "standard input can come from one file only");
  CHECK(error_of("<a") == "a command comes before '<'");
  CHECK(error_of("a\x1b[31m") == "the line holds a control character (code 27)");
  CHECK(error_of(std::string_view("a\0b", 3)) == "the line holds a control character (code 0)");
  CHECK(error_of("'\x07'") == "the line holds a control character in quotes");
}

TEST_CASE("a quoted word reads back as itself", "[controller]") {
  for (const std::string word : {"plain", "", "two words", "it's", "\"both\" 'kinds' \\", "<", "#", "(*", "\xc3\xa4"})
    CHECK(words_of("x " + quoted_word(word)) == Words{"x", word});
}

}  // namespace
}  // namespace dpm::control
