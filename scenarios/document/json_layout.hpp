// JSON with the layout that people use: what fits in a line stands in a line, and long lists of numbers fill lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dpm {

// The document itself is broken into lines however short it is. Ends with a newline.
std::string laid_out(const nlohmann::ordered_json& document);

// A part of a document, behind `indent` spaces and a key.
std::string laid_out(const nlohmann::ordered_json& part, std::size_t indent);

}  // namespace dpm
