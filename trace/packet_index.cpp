#include "trace/packet_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "trace/files.hpp"

namespace dpm {
namespace {

constexpr std::string_view kMagic = "DPMINDX1";
constexpr std::size_t kIndexBytesMax = std::size_t{1} << 36;

// Numbers are written with seven bits in each byte, the lowest first; the eighth bit says that more follow.
void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Neighbours differ little, in either direction: 0, -1, 1, -2 become 0, 1, 2, 3.
std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unfolded(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

// Of damaged times, which must not overflow.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::uint64_t check_sum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return sum;
}

class Numbers {
 public:
  explicit Numbers(std::string_view left) : left_(left) {}

  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::uint32_t next_32() {
    const std::uint64_t value = next();
    ok_ = ok_ && value <= std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(value);
  }
  std::string text() {
    const std::uint64_t size = next();
    ok_ = ok_ && size <= left_.size();
    if (!ok_) return {};
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

void put_stream(std::string& out, const IndexedStream& stream) {
  put_number(out, stream.file.size());
  out += stream.file;
  put_number(out, stream.packets.size());
  std::int64_t last_ns = 0;
  for (const IndexedPacket& packet : stream.packets) {
    put_number(out, packet.bytes);
    put_number(out, packet.records);
    put_number(out, folded(difference(packet.first_time.ns, last_ns)));
    put_number(out, folded(difference(packet.last_time.ns, packet.first_time.ns)));
    last_ns = packet.last_time.ns;
    put_number(out, packet.processes);
    std::uint32_t last = 0;
    for (const ProcessRecords& of_process : stream.of(packet)) {
      put_number(out, folded(std::int64_t{of_process.process.value} - std::int64_t{last}));
      put_number(out, of_process.records);
      last = of_process.process.value;
    }
  }
}

IndexedStream stream_from(Numbers& in) {
  IndexedStream stream;
  stream.file = in.text();
  const std::uint64_t packets = in.next();
  std::int64_t last_ns = 0;
  for (std::uint64_t i = 0; i < packets && in.ok(); ++i) {
    IndexedPacket packet;
    packet.offset = stream.bytes;
    packet.bytes = in.next_32();
    packet.records = in.next_32();
    packet.first_time.ns = sum(last_ns, unfolded(in.next()));
    packet.last_time.ns = last_ns = sum(packet.first_time.ns, unfolded(in.next()));
    packet.processes = in.next_32();
    packet.first = stream.processes.size();
    std::int64_t last = 0;
    for (std::uint32_t p = 0; p < packet.processes && in.ok(); ++p) {
      last += unfolded(in.next());
      stream.processes.push_back({ProcessId{static_cast<std::uint32_t>(last)}, in.next_32()});
    }
    stream.bytes += packet.bytes;
    stream.packets.push_back(packet);
  }
  return stream;
}

}  // namespace

void StreamIndexer::end_packet(const PacketHead& head) {
  IndexedPacket packet;
  packet.offset = stream_.bytes;
  packet.bytes = static_cast<std::uint32_t>(head.packet_size_bits / 8);
  packet.records = static_cast<std::uint32_t>(head.records);
  packet.first_time = first_time_;
  packet.last_time = last_time_;
  packet.first = first_;
  packet.processes = static_cast<std::uint32_t>(stream_.processes.size() - first_);
  stream_.packets.push_back(packet);
  stream_.bytes += packet.bytes;
  first_ = stream_.processes.size();
  forget_packet();
}

void StreamIndexer::forget_packet() {
  stream_.processes.resize(first_);
  first_time_ = {INT64_MAX};
  last_time_ = {INT64_MIN};
}

const IndexedStream* PacketIndex::of(const std::string& file) const {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const IndexedStream& stream) { return stream.file == file; });
  return found == streams_.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> PacketIndex::records_of_processes(std::size_t processes) const {
  std::vector<std::uint64_t> records(processes);
  for (const IndexedStream& stream : streams_)
    for (const ProcessRecords& of_process : stream.processes)
      if (of_process.process.value < processes) records[of_process.process.value] += of_process.records;
  return records;
}

std::string PacketIndex::to_bytes() const {
  std::string out(kMagic);
  put_number(out, streams_.size());
  for (const IndexedStream& stream : streams_) put_stream(out, stream);
  const std::uint64_t sum = check_sum(out);
  out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return out;
}

Result<PacketIndex> PacketIndex::from_bytes(const std::string& path, const std::string& bytes) {
  const Error damaged{path + ": the index of the trace is damaged; remove this file, and the index is made again"};
  std::uint64_t sum = 0;
  if (bytes.size() < kMagic.size() + sizeof sum) return damaged;
  const std::string_view text = std::string_view(bytes).substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + text.size(), sizeof sum);
  if (!text.starts_with(kMagic) || sum != check_sum(text)) return damaged;
  Numbers in(text.substr(kMagic.size()));
  PacketIndex index;
  const std::uint64_t streams = in.next();
  for (std::uint64_t i = 0; i < streams && in.ok(); ++i) index.add(stream_from(in));
  if (!in.ok() || !in.at_end()) return damaged;
  return index;
}

Result<std::optional<PacketIndex>> PacketIndex::read(const std::string& directory) {
  const std::string path = fmt::format("{}/{}", directory, kPacketIndexName);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<PacketIndex>();
  const auto bytes = read_text_file(path, kIndexBytesMax);
  if (!bytes) return bytes.error();
  auto index = from_bytes(path, *bytes);
  if (!index) return index.error();
  return std::optional<PacketIndex>(*std::move(index));
}

}  // namespace dpm
