// A budget for prose (docs/contributing.md): each page has few long sentences, and few clauses that begin with "what" where
// English has a noun.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/conventions/conventions.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

constexpr std::size_t kWordsMax = 30;        // of a sentence that is not long
constexpr std::size_t kLongShareMax = 10;    // percent of a page's sentences
constexpr std::size_t kWhatPerThousand = 3;  // words of a page

// The sentences of a page, each as its words. Code, headings, comments, pictures and generated blocks (between
// "<!-- name -->" and "<!-- /name -->") are left out. A cell of a table is a paragraph; one of three words or less is a label.
std::vector<std::string> sentences_of(const SourceFile& page);

std::size_t words_in(const std::string& sentence);
std::size_t times_what(const std::string& sentence);

// Complains about each Markdown page over budget, with the sentences that have to change: "docs/a.md: 3 of 10 sentences have
// more than 30 words: ...". The allowance is rounded up, so a short page may have one.
Complaints pages_over_budget(std::span<const SourceFile> files);

}  // namespace dpm
