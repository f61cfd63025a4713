#include "view/server/response_head.hpp"

#include <fmt/format.h>

#include "model/check.hpp"

namespace dpm::view {
namespace {

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      break;
  }
  DPM_CHECK(!"a status that this server never sends");
  return "";
}

}  // namespace

std::string written(const ResponseHead& head) {
  return fmt::format("HTTP/1.{} {} {}\r\n{}{}Content-Length: {}\r\n{}{}\r\n", head.http_version == 10 ? 0 : 1,
                     head.status, reason_phrase(head.status), security_headers(head.policy),
                     head.content_type.empty() ? "" : fmt::format("Content-Type: {}\r\n", head.content_type),
                     head.length, head.keeps_connection ? "Connection: keep-alive\r\n" : "Connection: close\r\n",
                     head.more_headers);
}

std::string security_headers(std::string_view policy) {
  return fmt::format(
      "Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\n",
      policy);
}

unsigned status_of(Refusal why) {
  switch (why) {
    case Refusal::token:
    case Refusal::path:
      return 404;
    case Refusal::host:
      return 421;
    case Refusal::origin:
      return 403;
    case Refusal::method:
      return 405;
    case Refusal::body:
      return 413;
    case Refusal::header:
      return 431;
    case Refusal::slow:
      return 408;
    case Refusal::connections:
      return 503;
    default:
      return 400;
  }
}

}  // namespace dpm::view
