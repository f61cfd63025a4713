// UTF-8 as characters: their lengths, and texts cut between them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpm {

// At most `characters` long, with an ellipsis if text was cut. Never cuts inside a character.
std::string shortened(std::string_view text, std::size_t characters);
std::size_t character_count(std::string_view text);

// Length of the UTF-8 character that `text` begins with, or 0 if the first bytes are not one.
std::size_t character_bytes(std::string_view text);

}  // namespace dpm
