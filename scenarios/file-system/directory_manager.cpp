#include "scenarios/file-system/directory_manager.hpp"

#include "scenarios/file-system/name_server.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

void run_directory_manager(const Settings& settings, MessageCalls& calls) {
  const Duration before = settings.time("before_s"), after = settings.time("after_s");
  const std::uint32_t look_up_bytes = settings.count("look_up_bytes", kRequestBytes);
  const std::uint32_t answer_bytes = settings.count("answer_bytes", kRequestBytes);
  const LinkIndex buffer_manager = calls.link_to("buffer_manager");
  const LinkIndex request_interpreter = calls.link_to("request_interpreter");
  ServiceTimes times(settings, calls);
  register_at_name_server(calls, settings);
  for (;;) {
    const Message message = calls.receive_message();
    if (message.code == kStop) return;
    const Request request = decode_request(message.data);
    times.begin(request, kOpen);
    times.compute(before);
    calls.call(buffer_manager, about(request, kLookUp, look_up_bytes, message.passed));
    calls.destroy_link(*message.passed);
    times.begin(request, kDone);
    times.compute(after);
    calls.send_message(request_interpreter, about(request, kDone, answer_bytes));
  }
}

}  // namespace

ProgramDescription directory_manager() {
  return describe("directory_manager", "Opens files: looks names up in the directory.",
                  with_registration(with_service_times({
                      {"before_s", 0.0036, "CPU time of an OPEN before the directory is read, mean, seconds"},
                      {"after_s", 0.0036, "CPU time of an OPEN after the directory was read, mean, seconds"},
                      {"look_up_bytes", 40.0, "length of LOOK_UP to the buffer manager, bytes"},
                      {"answer_bytes", 40.0, "length of the answer to the request interpreter, bytes"},
                  })),
                  run_directory_manager);
}

}  // namespace dpm::scenarios::file_system
