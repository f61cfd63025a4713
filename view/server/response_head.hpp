// The first lines of an HTTP response, with the headers that every response has. No I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "view/server/server_counters.hpp"

namespace dpm::view {

struct ResponseHead {
  unsigned status = 200;
  std::string_view content_type;  // empty: no content
  std::size_t length = 0;
  std::string_view policy;  // Content-Security-Policy
  bool keeps_connection = true;
  unsigned http_version = 11;     // of the request
  std::string_view more_headers;  // whole lines
};

std::string written(const ResponseHead& head);

// The headers of every response, as lines. No cache keeps what was served, no other site's page embeds it, and no address
// of it, which has the token, is told to another site.
std::string security_headers(std::string_view policy);

unsigned status_of(Refusal why);

}  // namespace dpm::view
