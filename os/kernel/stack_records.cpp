#include "os/kernel/stack_records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace dpm {
namespace {

// The fields of one record, in order. Reading beyond its end gives zeros, and is remembered.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename Number>
  Number next() {
    Number number = 0;
    if (bytes_.size() < sizeof number) {
      is_short_ = true;
      bytes_ = {};
      return 0;
    }
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_ = bytes_.subspan(sizeof number);
    return number;
  }
  void skip(std::size_t count) {
    is_short_ |= bytes_.size() < count;
    bytes_ = bytes_.subspan(std::min(count, bytes_.size()));
  }
  // Up to its zero; the kernel fills it up to a multiple of eight bytes.
  std::string text() const {
    const auto* begin = reinterpret_cast<const char*>(bytes_.data());
    return {begin, std::find(begin, begin + bytes_.size(), '\0')};
  }
  std::size_t left() const { return bytes_.size(); }
  bool is_short() const { return is_short_; }

 private:
  std::span<const std::byte> bytes_;
  bool is_short_ = false;
};

// What each record but a sample ends with (sample_id_all): pid, tid, time.
constexpr std::size_t kTrailer = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

void read_stack(Fields& fields, StackRecord& record) {
  record.pid = fields.next<std::uint32_t>();
  record.tid = fields.next<std::uint32_t>();
  record.time_ns = fields.next<std::uint64_t>();
  const auto count = fields.next<std::uint64_t>();
  if (count > fields.left() / sizeof(std::uint64_t)) return fields.skip(fields.left() + 1);
  bool in_user_space = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto address = fields.next<std::uint64_t>();
    if (address >= PERF_CONTEXT_MAX)  // not an address, but whose addresses follow
      in_user_space = address == PERF_CONTEXT_USER;
    else if (in_user_space)
      record.stack.push_back(address);
  }
}

void read_mapping(Fields& fields, StackRecord& record) {
  constexpr std::size_t kDevice = 2 * sizeof(std::uint32_t), kGenerationAndRights = 2 * sizeof(std::uint64_t);
  record.pid = fields.next<std::uint32_t>();
  record.tid = fields.next<std::uint32_t>();
  record.start = fields.next<std::uint64_t>();
  const auto bytes = fields.next<std::uint64_t>();
  record.end = bytes > UINT64_MAX - record.start ? UINT64_MAX : record.start + bytes;
  record.file_offset = fields.next<std::uint64_t>();
  fields.skip(kDevice);
  record.inode = fields.next<std::uint64_t>();
  fields.skip(kGenerationAndRights);
  record.text = fields.text();
}

void read_task(Fields& fields, StackRecord& record) {
  record.pid = fields.next<std::uint32_t>();
  record.parent_pid = fields.next<std::uint32_t>();
  record.tid = fields.next<std::uint32_t>();
}

// Of a kind that is known here.
std::optional<StackRecord::Kind> kind_of(std::uint32_t type) {
  switch (type) {
    case PERF_RECORD_SAMPLE:
      return StackRecord::Kind::stack;
    case PERF_RECORD_MMAP2:
      return StackRecord::Kind::mapping;
    case PERF_RECORD_COMM:
      return StackRecord::Kind::name;
    case PERF_RECORD_FORK:
      return StackRecord::Kind::began;
    case PERF_RECORD_EXIT:
      return StackRecord::Kind::ended;
    case PERF_RECORD_LOST:
      return StackRecord::Kind::lost;
    case PERF_RECORD_THROTTLE:
      return StackRecord::Kind::throttled;
    default:
      return std::nullopt;
  }
}

bool read_record(const perf_event_header& header, std::span<const std::byte> body, StackRecord& record) {
  if (record.kind != StackRecord::Kind::stack) {
    if (body.size() < kTrailer) return false;
    Fields trailer(body.last(kTrailer));
    record.pid = trailer.next<std::uint32_t>();
    record.tid = trailer.next<std::uint32_t>();
    record.time_ns = trailer.next<std::uint64_t>();
    body = body.first(body.size() - kTrailer);
  }
  Fields fields(body);
  switch (record.kind) {
    case StackRecord::Kind::stack:
      read_stack(fields, record);
      break;
    case StackRecord::Kind::mapping:
      read_mapping(fields, record);
      break;
    case StackRecord::Kind::name:
      record.pid = fields.next<std::uint32_t>();
      record.tid = fields.next<std::uint32_t>();
      record.text = fields.text();
      record.is_exec = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
      break;
    case StackRecord::Kind::began:
    case StackRecord::Kind::ended:
      read_task(fields, record);
      break;
    case StackRecord::Kind::lost:
      fields.skip(sizeof(std::uint64_t));
      record.lost = fields.next<std::uint64_t>();
      break;
    case StackRecord::Kind::throttled:
      break;
  }
  return !fields.is_short();
}

}  // namespace

std::uint64_t read_stack_records(std::span<const std::byte> bytes, std::vector<StackRecord>& records) {
  std::uint64_t damaged = 0;
  while (!bytes.empty()) {
    perf_event_header header = {};
    if (bytes.size() < sizeof header) return damaged + 1;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.size < sizeof header || header.size > bytes.size()) return damaged + 1;
    const auto body = bytes.subspan(sizeof header, header.size - sizeof header);
    bytes = bytes.subspan(header.size);
    const auto kind = kind_of(header.type);
    if (!kind) continue;
    StackRecord record;
    record.kind = *kind;
    if (read_record(header, body, record))
      records.push_back(std::move(record));
    else
      ++damaged;
  }
  return damaged;
}

}  // namespace dpm
