// UTF-8 as characters: their lengths, texts cut between them, and those that are not seen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpm {

// At most `characters` long, with an ellipsis if text was cut. Never cuts inside a character.
std::string shortened(std::string_view text, std::size_t characters);
// The same for names, which often differ in their ends alone: the beginning and the end stay.
std::string shortened_name(std::string_view name, std::size_t characters);
std::size_t character_count(std::string_view text);

// Length of the UTF-8 character that `text` begins with, or 0 if the first bytes are not one.
std::size_t character_bytes(std::string_view text);

// Whether this character is not seen: terminals obey the controls, and others turn, join or hide the text beside them. The page
// has the same list (view/page/names.ts).
bool is_unseen(std::string_view character);

}  // namespace dpm
