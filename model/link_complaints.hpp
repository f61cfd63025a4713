// What a kernel reports to a process that misuses a link: the same sentences in every message system. The functions
// return "" when there is nothing to report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/message_calls.hpp"

namespace dpm::complaints {

inline constexpr const char* kNoCall = "the message was not sent with CALL, so it has no reply link";
inline constexpr const char* kAnsweredAlready = "the reply link of this message has been used already";
inline constexpr const char* kOneAnswer = "a reply link cannot be duplicated: it is good for one answer";

std::string no_link_at(LinkIndex index);
std::string not_my_link(LinkIndex index, std::string_view owner);
std::string negative_time(Duration time);

std::string outside_address_space(const DataArea& area, std::size_t address_space_bytes);
std::string no_data_movement(const std::optional<DataArea>& area, std::uint64_t bytes, bool read);
std::string address_space_shrank(std::string_view process);

// Whole sentences, with the process and the call.
std::string no_link_to(std::string_view process, std::string_view other);
std::string no_link_from(std::string_view process, std::string_view other);

// What a process waits for; `kinds` are the program's own words, or empty: "waits for 'vote'", "waits for the reply of 'b' to
// 'ask'".
std::string waits_for_message(std::string_view kinds);
std::string waits_for_reply(std::span<const std::string> callees, std::string_view kinds);

// The processes that a process waits for a message from: " from 'a' or 'b' or 3 others"; `names` in any order.
std::string awaited_from(std::span<const std::string> names);

}  // namespace dpm::complaints
