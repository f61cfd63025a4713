#include "scenarios/file-system/buffer_manager.hpp"

#include <cmath>
#include <map>

#include "model/check.hpp"
#include "scenarios/file-system/block_cache.hpp"
#include "scenarios/file-system/name_server.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/service_times.hpp"

namespace dpm::scenarios::file_system {
namespace {

class BufferManager {
 public:
  BufferManager(const Settings& settings, MessageCalls& calls)
      : settings_(settings),
        calls_(calls),
        times_(settings, calls),
        cache_(settings.count("buffers", 2), settings.count("pointers_per_block", 1)),
        search_time_(settings.time("search_s")),
        disk_time_(settings.time("disk_s")),
        answer_time_(settings.time("answer_s")),
        upkeep_time_(settings.time("upkeep_s")),
        answer_bytes_(settings.count("answer_bytes", kRequestBytes)),
        look_up_answer_bytes_(settings.count("look_up_answer_bytes", kRequestBytes)),
        disk_request_bytes_(settings.count("disk_request_bytes", kRequestBytes)),
        data_bytes_(settings.count("data_bytes", 1)),
        oblivious_(settings.on("oblivious")),
        look_up_share_(settings.probability("look_up_share")),
        request_interpreter_(calls.link_to("request_interpreter")),
        disk_interface_(calls.link_to("disk_interface")),
        from_disk_interface_{calls.link_from("disk_interface")} {
    const std::uint32_t block_bytes = settings.count("block_bytes", data_bytes_);
    calls.address_space().resize(block_bytes);
    buffer_ = calls.create_link(DataArea{.offset_bytes = 0, .size_bytes = block_bytes, .read = true, .write = true});
  }

  void run() {
    read_first_block();
    for (;;) {
      const Message message = calls_.receive_message();
      if (message.code == kStop) return;
      serve(message, decode_request(message.data));
    }
  }

 private:
  // The file system's own description. The disk interface learns where blocks are to go.
  void read_first_block() {
    calls_.compute(settings_.time("start_s"));
    calls_.send_message(disk_interface_, about({}, kDiskRead, disk_request_bytes_, buffer_));
    calls_.receive_message(from_disk_interface_);
  }

  void serve(const Message& message, const Request& request) {
    const auto code = static_cast<MessageCode>(message.code);
    const double share = code == kLookUp ? look_up_share_ : 1;
    const auto part = [share](Duration time) { return Duration{std::llround(static_cast<double>(time.ns) * share)}; };
    if (message.passed) keep_data_area(request.user, *message.passed);
    times_.begin(request, code);
    times_.compute(part(search_time_));
    use_disk(request, disk_operations(request, code));
    times_.compute(part(answer_time_));
    answer(message, request, code);
    times_.compute(part(upkeep_time_));
  }

  // The directory is always in memory: it is small and often used.
  std::vector<DiskOperation> disk_operations(const Request& request, MessageCode code) {
    if (code == kLookUp) return {};
    return oblivious_ ? draw_operations(request) : cache_.access(request.block, code == kWrite, request.is_new);
  }

  std::vector<DiskOperation> draw_operations(const Request& request) {
    std::vector<DiskOperation> operations;
    Random& random = times_.random();
    bool another = random.chance(settings_.probability("disk_probability"));
    while (another) {
      const bool is_write = random.chance(settings_.probability("disk_write_probability"));
      BlockId block = request.block;
      block.block = static_cast<std::uint16_t>(block.block + operations.size());  // each its own
      operations.push_back({is_write ? kDiskWrite : kDiskRead, block});
      another = random.chance(settings_.probability("disk_again_probability"));
    }
    return operations;
  }

  void use_disk(const Request& request, const std::vector<DiskOperation>& operations) {
    for (const DiskOperation& operation : operations) {
      Request of_disk = request;
      of_disk.block = operation.block;
      calls_.send_message(disk_interface_, about(of_disk, operation.code, disk_request_bytes_));
      times_.compute({disk_time_.ns / static_cast<std::int64_t>(operations.size())});
      calls_.receive_message(from_disk_interface_);
    }
  }

  void answer(const Message& message, const Request& request, MessageCode code) {
    if (code == kLookUp) {
      calls_.reply(message, about(request, kDone, look_up_answer_bytes_));
      return;
    }
    if (code == kRead) {
      const auto area = data_areas_.find(request.user);
      DPM_CHECK(area != data_areas_.end());  // it came with OPEN, which precedes
      calls_.move_data(buffer_, area->second, data_bytes_);
    }
    calls_.send_message(request_interpreter_, about(request, kDone, answer_bytes_));
  }

  void keep_data_area(std::uint32_t user, LinkIndex area) {
    const auto [entry, is_first] = data_areas_.try_emplace(user, area);
    if (is_first) return;
    calls_.destroy_link(entry->second);
    entry->second = area;
  }

  const Settings& settings_;
  MessageCalls& calls_;
  ServiceTimes times_;
  BlockCache cache_;
  const Duration search_time_, disk_time_, answer_time_, upkeep_time_;
  const std::uint32_t answer_bytes_, look_up_answer_bytes_, disk_request_bytes_, data_bytes_;
  const bool oblivious_;
  const double look_up_share_;
  const LinkIndex request_interpreter_, disk_interface_;
  const std::vector<LinkIndex> from_disk_interface_;
  LinkIndex buffer_;
  std::map<std::uint32_t, LinkIndex> data_areas_;  // by user
};

void run_buffer_manager(const Settings& settings, MessageCalls& calls) {
  register_at_name_server(calls, settings);
  BufferManager(settings, calls).run();
}

}  // namespace

ProgramDescription buffer_manager() {
  return describe(
      "buffer_manager", "Keeps blocks of the disk in memory, and reads and writes them when it must.",
      with_registration(with_service_times({
          {"buffers", 184.0, "buffers, for blocks of data and of pointers together"},
          {"pointers_per_block", 64.0, "blocks of data that one block of pointers leads to"},
          {"start_s", 0.005, "CPU time before it reads the disk's first block, seconds"},
          {"search_s", 0.0018, "CPU time of a request before its block is found or not, mean, seconds"},
          {"disk_s", 0.0014, "CPU time of a request while the disk interface works, mean, seconds"},
          {"answer_s", 0.0008, "CPU time of a request from having its block to the answer, mean, seconds"},
          {"upkeep_s", 0.0118, "CPU time of a request after the answer, mean, seconds"},
          {"look_up_share", 0.3, "CPU time of a LOOK_UP, as part of that of a READ"},
          {"answer_bytes", 64.0, "length of the answer to the request interpreter, bytes"},
          {"look_up_answer_bytes", 40.0, "length of the answer to the directory manager, bytes"},
          {"disk_request_bytes", 12.0, "length of a message to the disk interface, bytes"},
          {"data_bytes", 256.0, "data moved to the user by a READ, bytes"},
          {"block_bytes", 512.0, "size of a buffer, bytes"},
          {"oblivious", 0.0, "1: no cache, but the probabilities below: it reacts to the request alone; 0: no"},
          {"disk_probability", 0.27, "oblivious: that a request needs the disk"},
          {"disk_again_probability", 0.17, "oblivious: that an operation of the disk is followed by another"},
          {"disk_write_probability", 0.32, "oblivious: that an operation of the disk is a write"},
      })),
      run_buffer_manager);
}

}  // namespace dpm::scenarios::file_system
