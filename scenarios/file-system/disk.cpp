#include "scenarios/file-system/disk.hpp"

#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

void run_disk(const Settings& settings, MessageCalls& calls) {
  const Duration access = settings.time("access_s");
  const std::uint32_t answer_bytes = settings.count("answer_bytes", kRequestBytes);
  const std::uint32_t block_bytes = settings.count("block_bytes", 1);
  const LinkIndex disk_interface = calls.link_to("disk_interface");
  ServiceTimes times(settings, calls);

  calls.address_space().resize(block_bytes);
  const LinkIndex driver =
      calls.create_link(DataArea{.offset_bytes = 0, .size_bytes = block_bytes, .read = true, .write = true});
  calls.send_message(disk_interface, about({}, kDiskReady, answer_bytes, driver));
  for (;;) {
    const Message message = calls.receive_message();
    if (message.code == kStop) return;
    const Request request = decode_request(message.data);
    if (!request.answer_expected) continue;
    times.begin(request, kCommand);
    times.compute(access);
    calls.send_message(disk_interface, about(request, kCommandDone, answer_bytes));
  }
}

}  // namespace

ProgramDescription disk() {
  return describe("disk", "A disk: takes time for every operation, one after the other.",
                  with_service_times({
                      {"access_s", 0.030, "time of an operation: seek, rotation and transfer, mean, seconds"},
                      {"answer_bytes", 20.0, "length of the answer, bytes"},
                      {"block_bytes", 512.0, "size of the driver's buffer, bytes"},
                  }),
                  run_disk);
}

}  // namespace dpm::scenarios::file_system
