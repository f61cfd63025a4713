// Parts of random systems that more than one class is made of. All of them understand two kinds of request, "read" and
// "write". A client calls, and is answered by a reply; a balancer passes the request on, and a back end behind it sends
// its "result" back to the balancer:
//
//   client --call--> balancer --forward--> back end        client --call--> back end
//          <-reply--          <--"result"--                       <-reply--
#pragma once

#include <cstdint>
#include <string>

#include "validation/program_generator/draft.hpp"
#include "validation/system_generator/service_steps.hpp"

namespace dpm::validation {

// A CPU time around this multiple of the system's scale: constant in 60 of 100.
Json cost(Draft& draft, double scale);

// Whom a process asks, and which member of the group.
struct Asked {
  std::string group;
  std::string pick = "random";
};

struct Load {
  std::uint64_t clients = 0;
  std::uint64_t requests = 0;  // of each client
};

// A number of clients that goes with this number of servers, and some hundred requests in all.
Load draw_load(Draft& draft, std::uint64_t servers);

// What a client asks: "read" or "write", each in a share of the requests that is drawn.
Json ask_step(Draft& draft, const Asked& asked);

// Clients that compute, ask, and wait for the answer, again and again.
void add_clients(Draft& draft, const std::string& name, const Load& load, const Asked& asked);
void add_clients_that(Draft& draft, const std::string& name, const Load& load, Json ask);

// How a server answers.
enum class Answer : std::uint8_t {
  reply,  // it was called
  result  // a balancer passed the request on to it
};
Json answer_step(Draft& draft, Answer how);

// What back ends have in common.
struct BackEnds {
  std::string name = "back_end";
  std::uint64_t count = 1;
  Answer answer = Answer::reply;
  std::string store;          // asked in a part of the requests, unless empty
  bool unequal_cost = false;  // each member is slower than the one before it
};

Json back_end_program(Draft& draft, const BackEnds& back_ends);
void add_back_ends(Draft& draft, const BackEnds& back_ends);

// Passes reads and writes on, and replies when the result is in. `more` are further keys of the program.
Json balancer_program(Draft& draft, const Asked& back_ends, const Json& more = Json::object());

// One process that answers a "query" of others, which wait for it.
void add_store_of(Draft& draft, const std::string& name, std::uint64_t count = 1);

// "3 back ends", "1 back end".
std::string counted(std::uint64_t count, const std::string& what);

}  // namespace dpm::validation
