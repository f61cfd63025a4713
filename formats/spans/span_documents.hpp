// The JSON documents of a file of spans, given to what knows the format.
#pragma once

#include <fmt/format.h>

#include <string>

#include "formats/json/json_documents.hpp"
#include "formats/json/json_value.hpp"
#include "formats/spans/span_set.hpp"

namespace dpm {

// Calls `read(document)` for each. What is not JSON counts as left out.
template <typename Read>
Result<void> read_span_documents(const std::string& path, SpanSet& spans, const Read& read) {
  auto documents = JsonDocuments::open(path);
  if (!documents) return documents.error();
  simdjson::dom::parser parser;
  while (const auto document = documents->next()) {
    Json json;
    if (parser.parse(document->data(), document->size(), false).get(json) == simdjson::SUCCESS)
      read(json);
    else
      spans.leave_out("documents that are not JSON");
  }
  if (auto done = documents->status(); !done) return Error{fmt::format("{}: {}", path, done.error().what)};
  if (documents->is_cut())
    spans.notes.push_back("the file ends in the middle of a document: its last spans are missing");
  if (documents->foreign_bytes() > 0) spans.leave_out("bytes between documents", documents->foreign_bytes());
  return {};
}

}  // namespace dpm
