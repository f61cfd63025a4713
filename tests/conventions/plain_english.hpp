// Plain English (docs/contributing.md): the phrases in plain_english.txt are not written in code, documents or cases.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conventions/conventions.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

// A row of plain_english.txt.
struct RejectedPhrase {
  std::string phrase;
  std::string instead;
  std::vector<std::string> right_with;  // a line that contains one of these is right
};

// Rows of "phrase | instead | right, right"; lines that begin with '#' are comments.
std::vector<RejectedPhrase> read_rejected_phrases(std::string_view text);

// One sentence for each line of code, prose or a recorded case that has a rejected phrase:
// "docs/a.md:2: 'anew'; write: again".
Complaints rejected_phrases(std::span<const SourceFile> files, std::span<const RejectedPhrase> phrases);

}  // namespace dpm
