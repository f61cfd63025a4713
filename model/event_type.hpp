// The meter events and their names (thesis 3.2.1, 1988 paper III.A; UNIX: metering report appendix A).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dpm {

// The numbers are the TRACETYPE of meter messages: they are on disk, so they never change.
enum class EventType : std::uint8_t {
  send = 1,
  receive_call = 2,
  receive = 3,
  message_queued = 4,
  create_path = 5,
  destroy_path = 6,
  create_process = 7,
  start_process = 8,
  stop_process = 9,
  destroy_process = 10,
  accept = 11,
  connect = 12,
  socket = 13,
  dup = 14,
  exec = 15,
  gap = 16,
  wait = 17,
  point = 18,
  value = 19,
  summary = 20,
};

inline constexpr std::array kEventTypes = {
    EventType::send,           EventType::receive_call,
    EventType::receive,        EventType::message_queued,
    EventType::create_path,    EventType::destroy_path,
    EventType::create_process, EventType::start_process,
    EventType::stop_process,   EventType::destroy_process,
    EventType::accept,         EventType::connect,
    EventType::socket,         EventType::dup,
    EventType::exec,           EventType::gap,
    EventType::wait,           EventType::point,
    EventType::value,          EventType::summary,
};

// "SEND", "RECEIVECALL", ... as the 1988 paper writes them.
std::string_view name_of(EventType type);

// Accepts the paper's name in any case, and the names the other documents use: "SENDMESSAGE", "RECEIVEMESSAGE", and
// UNIX names: its FORK is a CREATEPROCESS, its TERMPROC a DESTROYPROCESS, its DESTSOCKET a DESTROYPATH.
std::optional<EventType> event_type_from_name(std::string_view name);
std::optional<EventType> event_type_from_number(std::uint64_t number);

// Every name that event_type_from_name() knows.
std::span<const std::string_view> event_type_names();

}  // namespace dpm
