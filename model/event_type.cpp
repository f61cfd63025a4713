#include "model/event_type.hpp"

#include <algorithm>
#include <cctype>

namespace dpm {
namespace {

struct NamedType {
  std::string_view name;
  EventType type;
};

// The first name of each type is the one we print.
constexpr std::array kEventNames = {
    NamedType{"SEND", EventType::send},
    NamedType{"RECEIVECALL", EventType::receive_call},
    NamedType{"RECEIVE", EventType::receive},
    NamedType{"MESSAGEQUEUED", EventType::message_queued},
    NamedType{"CREATEPATH", EventType::create_path},
    NamedType{"DESTROYPATH", EventType::destroy_path},
    NamedType{"CREATEPROCESS", EventType::create_process},
    NamedType{"STARTPROCESS", EventType::start_process},
    NamedType{"STOPPROCESS", EventType::stop_process},
    NamedType{"DESTROYPROCESS", EventType::destroy_process},
    NamedType{"ACCEPT", EventType::accept},
    NamedType{"CONNECT", EventType::connect},
    NamedType{"SOCKET", EventType::socket},
    NamedType{"DUP", EventType::dup},
    NamedType{"EXEC", EventType::exec},
    NamedType{"GAP", EventType::gap},
    NamedType{"WAIT", EventType::wait},
    NamedType{"POINT", EventType::point},
    NamedType{"VALUE", EventType::value},
    NamedType{"SUMMARY", EventType::summary},
    NamedType{"SENDMESSAGE", EventType::send},
    NamedType{"RECEIVEMESSAGE", EventType::receive},
    // Metering report, section 4.1 and appendix A.
    NamedType{"FORK", EventType::create_process},
    NamedType{"TERMPROC", EventType::destroy_process},
    NamedType{"DESTSOCKET", EventType::destroy_path},
    NamedType{"RECV", EventType::receive},
    NamedType{"RECVCALL", EventType::receive_call},
};

constexpr auto kNamesOnly = [] {
  std::array<std::string_view, kEventNames.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kEventNames[i].name;
  return names;
}();

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::string_view name_of(EventType type) {
  for (const auto& named : kEventNames)
    if (named.type == type) return named.name;
  return "UNKNOWN";
}

std::optional<EventType> event_type_from_name(std::string_view name) {
  for (const auto& named : kEventNames)
    if (same_ignoring_case(named.name, name)) return named.type;
  return std::nullopt;
}

std::optional<EventType> event_type_from_number(std::uint64_t number) {
  for (const auto type : kEventTypes)
    if (static_cast<std::uint64_t>(type) == number) return type;
  return std::nullopt;
}

std::span<const std::string_view> event_type_names() { return kNamesOnly; }

}  // namespace dpm
