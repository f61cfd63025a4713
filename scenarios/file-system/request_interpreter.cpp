#include "scenarios/file-system/request_interpreter.hpp"

#include <limits>
#include <unordered_map>

#include "model/check.hpp"
#include "scenarios/file-system/name_server.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

class RequestInterpreter {
 public:
  RequestInterpreter(const Settings& settings, MessageCalls& calls)
      : calls_(calls),
        times_(settings, calls),
        request_time_(settings.time("request_s")),
        answer_time_(settings.time("answer_s")),
        open_bytes_(settings.count("open_bytes", kRequestBytes)),
        block_request_bytes_(settings.count("block_request_bytes", kRequestBytes)),
        answer_bytes_(settings.count("answer_bytes", kRequestBytes)),
        slots_(settings.count("slots")),
        buffer_manager_(calls.link_to("buffer_manager")),
        directory_manager_(calls.link_to("directory_manager")),
        answers_{calls.link_from("buffer_manager"), calls.link_from("directory_manager")} {
    if (slots_ == 0) slots_ = std::numeric_limits<std::size_t>::max();
  }

  void run() {
    for (;;) {
      const Message message = callers_.size() < slots_ ? calls_.receive_message() : calls_.receive_message(answers_);
      if (message.code == kStop) return;
      const Request request = decode_request(message.data);
      if (message.code == kDone) {
        answer(request);
      } else {
        pass_on(message, request);
      }
    }
  }

 private:
  void pass_on(const Message& message, const Request& request) {
    const auto code = static_cast<MessageCode>(message.code);
    times_.begin(request, code);
    times_.compute(request_time_);
    if (code == kOpen) {
      calls_.send_message(directory_manager_, about(request, code, open_bytes_, message.passed));
      calls_.destroy_link(*message.passed);
    } else {
      calls_.send_message(buffer_manager_, about(request, code, block_request_bytes_));
    }
    const bool is_first = callers_.emplace(request.user, message).second;
    DPM_CHECK(is_first);  // a user waits for its answer before it asks again
  }

  void answer(const Request& request) {
    times_.begin(request, kDone);
    times_.compute(answer_time_);
    const auto caller = callers_.find(request.user);
    DPM_CHECK(caller != callers_.end());
    calls_.reply(caller->second, about(request, kDone, answer_bytes_));
    callers_.erase(caller);
  }

  MessageCalls& calls_;
  ServiceTimes times_;
  const Duration request_time_, answer_time_;
  const std::uint32_t open_bytes_, block_request_bytes_, answer_bytes_;
  std::size_t slots_;
  const LinkIndex buffer_manager_, directory_manager_;
  const std::vector<LinkIndex> answers_;
  std::unordered_map<std::uint32_t, Message> callers_;  // by user: the requests in the file system
};

void run_request_interpreter(const Settings& settings, MessageCalls& calls) {
  register_at_name_server(calls, settings);
  RequestInterpreter(settings, calls).run();
}

}  // namespace

ProgramDescription request_interpreter() {
  return describe("request_interpreter", "Takes users' requests, passes them on, and gives the answers back.",
                  with_registration(with_service_times({
                      {"slots", 3.0, "requests worked on at a time; 0: any number"},
                      {"request_s", 0.0047, "CPU time of a request before it is passed on, mean, seconds"},
                      {"answer_s", 0.0009, "CPU time of an answer before it is passed on, mean, seconds"},
                      {"open_bytes", 60.0, "length of OPEN to the directory manager (a name), bytes"},
                      {"block_request_bytes", 80.0, "length of READ and WRITE to the buffer manager, bytes"},
                      {"answer_bytes", 16.0, "length of an answer to a user, bytes"},
                  })),
                  run_request_interpreter);
}

}  // namespace dpm::scenarios::file_system
