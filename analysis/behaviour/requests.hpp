// The requests that a process gets, and which of its SENDs answer them, client by client: a client speaks first, and what
// it is sent before its next request answers the one before.
//
//   server   R a   R b   S ask   R c   S b   S a   S b     a: answered by the second SEND; b: by the first and the third
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/request_queues.hpp"

namespace dpm {

struct Request {
  std::uint32_t receive = 0;
  std::vector<std::uint32_t> answers;
};

// In the order in which they came.
std::vector<Request> find_requests(const History& history, std::uint32_t process);

// Requests that look alike: of one size, from one program, with as many answers. At least four of each.
struct RequestKind {
  std::uint32_t bytes = 0;
  std::size_t answers = 0;
  std::string client;
  auto operator<=>(const RequestKind&) const = default;
};
std::map<RequestKind, std::vector<Request>> by_kind(const History& history, const std::vector<Request>& requests);

// What the process does for a request: to which programs it writes, and the size of an answer. `queue`: of a process that waits
// with requests in hand, whose work need not follow the request; null: what it does up to its next message counts.
std::vector<std::string> reaction(const History& history, const Request& request, const RequestQueue* queue);

}  // namespace dpm
