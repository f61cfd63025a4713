// How many requests a second a metered server gets: a measure of workload (S4 4.4). A request is a message that the server
// receives from another process; while a program runs, each operation that takes bytes of a stream counts as one.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "answers/follow/followed_events.hpp"
#include "model/result.hpp"

namespace dpm::cli {

// Refuses a name that no process of the trace has.
Result<void> check_server(const std::string& server, const TraceInfo& info);
bool is_request_of(const std::string& server, const Event& event, const TraceInfo& info);

class RequestRate {
 public:
  // Of a trace that is being written.
  static Result<RequestRate> open(const std::string& trace, const std::string& server);

  // The level of sampling::Workload::requests, of the last second.
  std::uint32_t level(std::int64_t now_ns);

 private:
  struct Count {
    std::int64_t at_ns = 0;
    std::uint64_t requests = 0;  // until then
  };

  RequestRate(FollowedEvents events, std::string server) : events_(std::move(events)), server_(std::move(server)) {}
  void read();

  FollowedEvents events_;
  std::string server_;
  std::uint64_t requests_ = 0;
  std::deque<Count> counts_;  // of the last second, and one before it
};

}  // namespace dpm::cli
