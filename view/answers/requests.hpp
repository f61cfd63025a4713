// Compares values with the types of the table of requests (request_table.hpp). No I/O.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "view/answers/page_request.hpp"
#include "view/answers/request_table.hpp"

namespace dpm::view {

// Without the "?" of one that may be missing.
std::string_view bare_name(const Field& field);
bool may_be_missing(const Field& field);

// "T | U" without the "|", outside of parentheses, angle brackets and quotation marks.
std::vector<std::string_view> alternatives_of(std::string_view type);
// Null: the type is not a structure.
const Structure* find_structure(std::string_view type);

// Why `value` is not of this type and these limits, as a sentence that calls it `name`; nothing: it is.
std::optional<std::string> misfit(const Field& field, std::string_view type, const Json& value,
                                  const std::string& name);
// The same of an object that has these fields and no others. "" is the name of the answer or the parameters as a whole.
std::optional<std::string> misfit(std::span<const Field> fields, const Json& object, const std::string& name);

// The parameters of a request of the table: checked, without those that are null, and with the numbers that stand for
// missing ones. Handlers need no check of types and limits of their own.
Result<Json> read_parameters(const PageRequest& request);

}  // namespace dpm::view
