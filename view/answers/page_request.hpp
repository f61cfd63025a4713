// What the page asks for: a name and parameters. They come from outside, so both forms are checked: the JSON text of a
// WebSocket message, and the query of an HTTP address. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "view/answers/answer.hpp"

namespace dpm::view {

struct PageRequest {
  std::string name;              // 1 to 64 lower-case letters, digits and '_'
  Json params = Json::object();  // without "id" and "request", which no parameter can be called
};

struct SocketRequest {
  std::uint64_t id = 0;  // at most 2^53, so that it is the same number in a browser
  PageRequest request;
};

// {"id": 7, "request": "traffic", "from_s": 0, "to_s": 12.5}
Result<SocketRequest> read_socket_request(std::string_view text);

// api/traffic?from_s=0&to_s=12.5: a value that can be read as JSON is JSON, any other is a string. So a string that looks
// like a number needs quotation marks: name="5".
Result<PageRequest> read_query(std::string_view name, std::string_view query);

// The bytes that "a%20b+c" stands for. An error if '%' is not followed by two hexadecimal digits.
Result<std::string> percent_decoded(std::string_view text);

}  // namespace dpm::view
