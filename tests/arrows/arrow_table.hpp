// The table "Folders and arrows" of docs/architecture.md: one row for each component, whose third column follows from the
// USES lines. The second column, what the folder is, is written by hand.
#pragma once

#include <span>
#include <string>

#include "tests/arrows/components.hpp"

namespace dpm {

// `document` with the table between the lines "<!-- arrows -->" and "<!-- /arrows -->" as it should be: a row for each component
// outside tests/, validation/ and bench/, by increasing folder, with the description that the document has for it now.
std::string with_arrow_table(const std::string& document, std::span<const Component> components);

}  // namespace dpm
