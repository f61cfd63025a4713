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
#include "analysis/history/message_costs.hpp"
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

// What the process does for a request: to which programs it writes, and the size of an answer. `queue`: of a process whose
// work need not follow the request; null: what it does up to its next message counts.
std::vector<std::string> reaction(const History& history, const Request& request, const RequestQueue* queue);

constexpr std::int64_t kWork_ns = 1000;  // less is the rounding of costs

// What a process does between a RECEIVE and its next one.
struct AfterReceive {
  std::int64_t work_ns = 0;
  bool sends = false;
  std::uint32_t next = 0;  // that RECEIVE, or the end of its events

  bool works() const { return work_ns > kWork_ns; }
};
// `costs`: where messages cost nothing.
AfterReceive after_receive(const History& history, MessageCosts& costs, std::uint32_t process, std::uint32_t receive);

}  // namespace dpm
