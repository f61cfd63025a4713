#include "scenarios/file-system/name_server.hpp"

#include <array>
#include <string>

#include "scenarios/file-system/protocol.hpp"

namespace dpm::scenarios::file_system {
namespace {

constexpr std::array kFileSystem = {"disk_interface", "buffer_manager", "directory_manager", "request_interpreter"};

Message receive_from(MessageCalls& calls, const std::string& process) {
  const std::array over = {calls.link_from(process)};
  return calls.receive_message(over);
}

void run_name_server(const Settings& settings, MessageCalls& calls) {
  const Duration register_time = settings.time("register_s");
  const std::uint32_t answer_bytes = settings.count("answer_bytes", kRequestBytes);
  const std::uint32_t users = settings.count("users", 1, 255);
  for (const char* process : kFileSystem) {
    receive_from(calls, process);
    calls.compute(register_time);
    calls.send_message(calls.link_to(process), about({}, kRegistered, answer_bytes));
  }
  for (std::uint32_t user = 1; user <= users; ++user) receive_from(calls, "user_" + std::to_string(user));
  for (const char* process : kFileSystem) calls.send_message(calls.link_to(process), about({}, kStop, answer_bytes));
  calls.send_message(calls.link_to("disk"), about({}, kStop, answer_bytes));
}

}  // namespace

ProgramDescription name_server() {
  return describe("name_server", "Registers the file system's processes, and stops them when the last user has gone.",
                  {
                      {"users", 7.0, "users: the processes user_1, user_2, ... (1 to 255)"},
                      {"register_s", 0.001, "CPU time of a registration, seconds"},
                      {"answer_bytes", 20.0, "length of its messages, bytes"},
                  },
                  run_name_server);
}

void register_at_name_server(MessageCalls& calls, const Settings& settings) {
  const std::uint32_t register_bytes = settings.count("register_bytes", kRequestBytes);
  calls.send_message(calls.link_to("name_server"), about({}, kRegister, register_bytes));
  receive_from(calls, "name_server");
}

std::vector<ParameterDescription> with_registration(std::vector<ParameterDescription> parameters) {
  parameters.push_back({"register_bytes", 40.0, "length of REGISTER to the name server, bytes"});
  return parameters;
}

}  // namespace dpm::scenarios::file_system
