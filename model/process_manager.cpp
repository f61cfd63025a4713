#include "model/process_manager.hpp"

#include <fmt/format.h>

namespace dpm {
namespace {

Result<Message> ask(MessageCalls& calls, StandardLink whom, std::uint32_t code, std::vector<std::byte> body,
                    std::optional<LinkIndex> pass = std::nullopt) {
  OutgoingMessage request;
  request.code = code;
  request.data = std::move(body);
  request.pass = pass;
  Message answer = calls.call(calls.standard_link(whom), std::move(request));
  if (answer.code == 0) return answer;
  const auto words = decode_words(answer.data);
  return Error{words.empty() ? "refused" : words.front()};
}

Result<void> ask_manager(MessageCalls& calls, ProcessRequest request, std::initializer_list<std::string_view> words) {
  auto answer = ask(calls, StandardLink::process_manager, static_cast<std::uint32_t>(request), encode_words(words));
  if (!answer) return answer.error();
  return {};
}

Result<LinkIndex> passed_link(Result<Message> answer, const std::string& missing) {
  if (!answer) return answer.error();
  if (!answer->passed) return Error{missing};
  return *answer->passed;
}

}  // namespace

std::vector<std::byte> encode_words(std::initializer_list<std::string_view> words) {
  std::vector<std::byte> body;
  for (const auto word : words) {
    for (const char c : word) body.push_back(static_cast<std::byte>(c));
    body.push_back(std::byte{0});
  }
  return body;
}

std::vector<std::string> decode_words(std::span<const std::byte> body) {
  std::vector<std::string> words;
  std::string word;
  for (const std::byte b : body) {
    if (b == std::byte{0}) {
      words.push_back(std::move(word));
      word.clear();
    } else {
      word.push_back(static_cast<char>(b));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

Result<LinkIndex> create_process(MessageCalls& calls, std::string_view process, std::string_view program,
                                 std::string_view machine) {
  return passed_link(ask(calls, StandardLink::process_manager, static_cast<std::uint32_t>(ProcessRequest::create),
                         encode_words({process, program, machine})),
                     fmt::format("the process manager passed no link to process '{}'", process));
}

Result<void> create_and_start_process(MessageCalls& calls, std::string_view process) {
  if (auto created = create_process(calls, process, "", ""); !created) return created.error();
  return start_process(calls, process);
}

Result<void> start_process(MessageCalls& calls, std::string_view process) {
  return ask_manager(calls, ProcessRequest::start, {process});
}

Result<void> stop_process(MessageCalls& calls, std::string_view process) {
  return ask_manager(calls, ProcessRequest::stop, {process});
}

Result<void> resume_process(MessageCalls& calls, std::string_view process) {
  return ask_manager(calls, ProcessRequest::resume, {process});
}

Result<void> destroy_process(MessageCalls& calls, std::string_view process) {
  return ask_manager(calls, ProcessRequest::destroy, {process});
}

Result<void> migrate_process(MessageCalls& calls, std::string_view process, std::string_view machine) {
  return ask_manager(calls, ProcessRequest::migrate, {process, machine});
}

Result<void> set_meter_flags(MessageCalls& calls, std::string_view process, std::string_view flags) {
  return ask_manager(calls, ProcessRequest::set_flags, {process, flags});
}

Result<void> offer_link(MessageCalls& calls, std::string_view name, LinkIndex link) {
  auto answer = ask(calls, StandardLink::switchboard, static_cast<std::uint32_t>(SwitchboardRequest::offer),
                    encode_words({name}), link);
  if (!answer) return answer.error();
  return {};
}

Result<LinkIndex> ask_for_link(MessageCalls& calls, std::string_view name) {
  return passed_link(
      ask(calls, StandardLink::switchboard, static_cast<std::uint32_t>(SwitchboardRequest::ask), encode_words({name})),
      fmt::format("the switchboard passed no link named '{}'", name));
}

}  // namespace dpm
