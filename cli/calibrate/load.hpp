// A small program that does nothing but send and receive, so that what messages cost on this machine can be measured.
//
//     alone      one process sends to itself: no process waits, and none is woken
//     ping-pong  two processes answer each other: every receive waits, each message costs its two calls and a switch
//     one-way    the sender computes between messages, the receiver sleeps until each comes
//     watched    as one-way, but the receiver polls all the time, so that it is never woken
//
// The processes are kept on the cores they are given. The measured messages are their only messages: everything else
// they share is in shared memory, so that a meter sees just these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

enum class Transport { tcp, unix_socket, pipe };
enum class LoadShape { alone, ping_pong, one_way, watched };

std::string_view name_of(Transport transport);  // "tcp", "unix", "pipe"
std::optional<Transport> transport_from_name(std::string_view name);
std::string_view name_of(LoadShape shape);
std::optional<LoadShape> load_shape_from_name(std::string_view name);

struct LoadPlan {
  Transport transport = Transport::tcp;
  LoadShape shape = LoadShape::alone;
  std::uint32_t bytes = 1;
  std::uint32_t messages = 1000;  // ping-pong: round trips
  int sender_core = 0;
  int receiver_core = 0;
  double gap_s = 0;  // CPU time the sender uses between messages
  // Memory that both processes read before each message, as programs use their data: what a supervisor has pushed out
  // of the caches meanwhile is part of the cost of metering.
  std::uint32_t working_set_bytes = 0;
};

// For one message (ping-pong: one round trip), measured between the first call and the last, so that start-up is not
// included. The sender's CPU time does not include its gaps.
struct LoadFigures {
  double elapsed_s = 0;
  double sender_cpu_s = 0;    // alone: of sending only
  double receiver_cpu_s = 0;  // alone: of receiving only
  double cpu_s = 0;           // of both, with everything around the calls but the gaps
  double latency_s = 0;       // one-way, watched: median time from just before a SEND until its message was there
  double gaps_s = 0;          // the CPU time used between messages

  std::string to_text() const;
  static Result<LoadFigures> from_text(const std::string& text);
};

Result<LoadFigures> run_load(const LoadPlan& plan);

}  // namespace dpm
