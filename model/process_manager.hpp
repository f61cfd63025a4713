// How a program asks the process manager for another process (thesis 4.2.1 and 4.3.2). The process manager and the
// kernels are ordinary processes: requests are messages over the standard link, sent with CALL, and take time.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/message_calls.hpp"
#include "model/result.hpp"

namespace dpm {

enum class ProcessRequest : std::uint32_t {
  create = 1,
  start = 2,
  stop = 3,
  resume = 4,
  destroy = 5,
  migrate = 6,
  set_flags = 7
};

// Creates a stopped process running a program that the scenario lists as spawnable, on `machine`: steps 1 to 4 of
// thesis 4.3.2 (create, standard links, meter link, flags; the last two inherited from the caller). Returns a link to
// it, over which the creator can send it first messages and links. `start_process` is step 5. Errors are the process
// manager's refusals.
Result<LinkIndex> create_process(MessageCalls& calls, std::string_view process, std::string_view program,
                                 std::string_view machine);
// The same for a process that the scenario describes and says is created later: it has its own program, machine, links,
// filter and flags.
Result<void> create_and_start_process(MessageCalls& calls, std::string_view process);
Result<void> start_process(MessageCalls& calls, std::string_view process);
Result<void> stop_process(MessageCalls& calls, std::string_view process);
Result<void> resume_process(MessageCalls& calls, std::string_view process);
Result<void> destroy_process(MessageCalls& calls, std::string_view process);
Result<void> migrate_process(MessageCalls& calls, std::string_view process, std::string_view machine);
Result<void> set_meter_flags(MessageCalls& calls, std::string_view process, std::string_view flags);

// The switchboard: a process offers a link under a name, another asks for it.
enum class SwitchboardRequest : std::uint32_t { offer = 1, ask = 2 };

Result<void> offer_link(MessageCalls& calls, std::string_view name, LinkIndex link);
Result<LinkIndex> ask_for_link(MessageCalls& calls, std::string_view name);  // waits until it is offered

// The bodies of these messages: words separated by NUL. An answer has code 0, or code 1 and the reason as its body.
std::vector<std::byte> encode_words(std::initializer_list<std::string_view> words);
std::vector<std::string> decode_words(std::span<const std::byte> body);

}  // namespace dpm
