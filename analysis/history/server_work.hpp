// A server's history as pieces of work, so that several servers could share them: a request, and everything that the
// server receives and does until it has answered it.
//
//   client   ──ask──►                    ──ask──►               A client speaks first, from the server's point of view:
//   server            o──ask──►  ──►o──answer──► o───────►      each of its messages is a request and begins a piece.
//   disk                        o───                            Others answer: their k-th message belongs to the piece
//                  └── one piece ──┘            └ the next ┘    in which the server sent its k-th message to them.
//
// What the server remembers from one piece to the next is not in its messages. Some signs of it show, and are reported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct ServerWork {
  // By event of the server, for its RECEIVEs: the RECEIVE that began the piece; kNoEvent: before any request.
  std::vector<std::uint32_t> piece_of;
  std::uint32_t first_request = kNoEvent;
  std::uint64_t requests = 0;
  std::vector<std::string> caveats;  // signs that its work depends on earlier requests
};

// Refuses a process without requests, and one with messages from outside the computation, whose arrival is not known.
Result<ServerWork> find_server_work(const History& history, ProcessId server);

}  // namespace dpm
