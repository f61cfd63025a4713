// The word in the address of a page without which there is nothing: 128 random bits, as hexadecimal digits.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::view {

Result<std::string> new_token();

// The one in a file, so that the address of a server stays the same when it is started again. A file that does not exist is
// made, readable only by the user; one that others may read or replace, or that has something else, is refused.
Result<std::string> kept_token(const std::string& path);

}  // namespace dpm::view
