// What a browser may do with the page: run its own inline scripts and styles, talk to this server, and nothing else. So a
// name that a hostile program put into a trace stays text even if a view made a mistake. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::view {

// The Content-Security-Policy of a page. `socket_origin` ("ws://127.0.0.1:8000") or "": some browsers do not count WebSockets
// as 'self'.
std::string page_policy(std::string_view page, std::string_view socket_origin);

// Of answers that are not the page: everything is forbidden.
std::string_view empty_policy();

// The contents of the page's elements <TAG>, as a browser hashes them: with one form of line ends.
std::vector<std::string> inline_texts(std::string_view page, std::string_view tag);

}  // namespace dpm::view
