#include "scenarios/file-system/disk_interface.hpp"

#include "model/check.hpp"
#include "scenarios/file-system/name_server.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

class DiskInterface {
 public:
  DiskInterface(const Settings& settings, MessageCalls& calls)
      : calls_(calls),
        times_(settings, calls),
        before_time_(settings.time("before_s")),
        after_time_(settings.time("after_s")),
        upkeep_time_(settings.time("upkeep_s")),
        answer_bytes_(settings.count("answer_bytes", kRequestBytes)),
        command_bytes_(settings.count("command_bytes", kRequestBytes)),
        commands_(settings.count("commands", 1, 100)),
        block_bytes_(settings.count("block_bytes", 1)),
        buffer_manager_(calls.link_to("buffer_manager")),
        disk_(calls.link_to("disk")),
        from_disk_{calls.link_from("disk")} {
    calls.address_space().resize(block_bytes_);
    sector_ = calls.create_link(DataArea{.offset_bytes = 0, .size_bytes = block_bytes_, .read = true, .write = true});
  }

  void run() {
    const Message ready = calls_.receive_message(from_disk_);
    DPM_CHECK(ready.code == kDiskReady && ready.passed.has_value());
    driver_ = *ready.passed;
    for (;;) {
      const Message message = calls_.receive_message();
      if (message.code == kStop) return;
      if (message.passed) buffer_ = *message.passed;
      perform(static_cast<MessageCode>(message.code), decode_request(message.data));
    }
  }

 private:
  void perform(MessageCode code, const Request& request) {
    const bool is_write = code == kDiskWrite;
    times_.begin(request, code);
    const Duration before = times_.around(before_time_);
    const Duration after = times_.around(after_time_);
    const Duration upkeep = times_.around(upkeep_time_);
    calls_.compute(before);
    if (is_write) {
      answer(request);
      calls_.move_data(sector_, driver_, block_bytes_);
    }
    command(request);
    calls_.receive_message(from_disk_);
    if (!is_write) calls_.move_data(sector_, buffer_, block_bytes_);
    calls_.compute(after);
    if (!is_write) answer(request);
    calls_.compute(upkeep);
  }

  void answer(const Request& request) {
    calls_.send_message(buffer_manager_, about(request, kDiskDone, answer_bytes_));
  }

  void command(Request request) {
    for (std::uint32_t i = 1; i <= commands_; ++i) {
      request.answer_expected = i == commands_;
      calls_.send_message(disk_, about(request, kCommand, command_bytes_));
    }
  }

  MessageCalls& calls_;
  ServiceTimes times_;
  const Duration before_time_, after_time_, upkeep_time_;
  const std::uint32_t answer_bytes_, command_bytes_, commands_, block_bytes_;
  const LinkIndex buffer_manager_, disk_;
  const std::vector<LinkIndex> from_disk_;
  LinkIndex sector_, buffer_, driver_;
};

void run_disk_interface(const Settings& settings, MessageCalls& calls) {
  register_at_name_server(calls, settings);
  DiskInterface(settings, calls).run();
}

}  // namespace

ProgramDescription disk_interface() {
  return describe("disk_interface", "Drives the disk, one operation at a time.",
                  with_registration(with_service_times({
                      {"before_s", 0.003, "CPU time of an operation before the disk is told, mean, seconds"},
                      {"after_s", 0.004, "CPU time of an operation after the disk has done it, mean, seconds"},
                      {"upkeep_s", 0.0185, "CPU time of an operation after that, upkeep, mean, seconds"},
                      {"answer_bytes", 12.0, "length of the answer to the buffer manager, bytes"},
                      {"command_bytes", 40.0, "length of a command to the disk, bytes"},
                      {"commands", 2.0, "commands to the disk for an operation; the last is answered"},
                      {"block_bytes", 512.0, "data of an operation, bytes"},
                  })),
                  run_disk_interface);
}

}  // namespace dpm::scenarios::file_system
