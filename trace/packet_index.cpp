#include "trace/packet_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "model/short_numbers.hpp"
#include "trace/files.hpp"
#include "trace/stream_indexer.hpp"

namespace dpm {
namespace {

constexpr std::string_view kMagic = "DPMINDX1";
constexpr std::size_t kIndexBytesMax = std::size_t{1} << 36;

std::uint64_t check_sum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return sum;
}

std::int64_t time_after(std::int64_t from_ns, std::uint64_t difference) {
  return static_cast<std::int64_t>(after_difference(static_cast<std::uint64_t>(from_ns), difference));
}

std::string bytes_of(const IndexedStream& stream) {
  StreamIndexer indexer(stream.file);
  for (const IndexedPacket& packet : stream.packets) indexer.add(packet, stream.of(packet));
  return indexer.bytes();
}

IndexedStream stream_from(ShortNumbers& in) {
  IndexedStream stream;
  stream.file = in.text();
  const std::uint64_t packets = in.next();
  std::int64_t last_ns = 0;
  for (std::uint64_t i = 0; i < packets && in.is_well(); ++i) {
    IndexedPacket packet;
    packet.offset = stream.bytes;
    packet.bytes = in.next_as<std::uint32_t>();
    packet.records = in.next_as<std::uint32_t>();
    packet.first_time.ns = time_after(last_ns, in.next());
    packet.last_time.ns = last_ns = time_after(packet.first_time.ns, in.next());
    packet.processes = in.next_as<std::uint32_t>();
    packet.first = stream.processes.size();
    std::uint64_t last = 0;
    for (std::uint32_t p = 0; p < packet.processes && in.is_well(); ++p) {
      last = after_difference(last, in.next());
      stream.processes.push_back({ProcessId{static_cast<std::uint32_t>(last)}, in.next_as<std::uint32_t>()});
    }
    stream.bytes += packet.bytes;
    stream.packets.push_back(packet);
  }
  return stream;
}

}  // namespace

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

std::string index_bytes(std::span<const std::string> streams) {
  std::string out(kMagic);
  put_short(out, streams.size());
  for (const std::string& stream : streams) out += stream;
  const std::uint64_t sum = check_sum(out);
  out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return out;
}

std::string PacketIndex::to_bytes() const {
  std::vector<std::string> streams;
  for (const IndexedStream& stream : streams_) streams.push_back(bytes_of(stream));
  return index_bytes(streams);
}

Result<PacketIndex> PacketIndex::from_bytes(const std::string& path, const std::string& bytes) {
  const Error damaged{path + ": the index of the trace is damaged; remove this file, and the index is made again"};
  std::uint64_t sum = 0;
  if (bytes.size() < kMagic.size() + sizeof sum) return damaged;
  const std::string_view text = std::string_view(bytes).substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + text.size(), sizeof sum);
  if (!text.starts_with(kMagic) || sum != check_sum(text)) return damaged;
  ShortNumbers in(std::as_bytes(std::span(text.substr(kMagic.size()))));
  PacketIndex index;
  const std::uint64_t streams = in.next();
  for (std::uint64_t i = 0; i < streams && in.is_well(); ++i) index.add(stream_from(in));
  if (!in.is_well() || !in.at_end()) return damaged;
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
