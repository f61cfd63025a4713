#include "trace/repack.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "trace/ctf_packet.hpp"
#include "trace/files.hpp"
#include "trace/packed_packet.hpp"
#include "trace/packet_index.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"
#include "trace/stream_file.hpp"
#include "trace/stream_segments.hpp"
#include "trace/trace_reader.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

class Repacking {
 public:
  Repacking(std::string from, std::string to, bool compressed) : from_(std::move(from)), to_(std::move(to)) {
    if (compressed) packer_.emplace();
  }

  Result<void> copy_file(const std::string& name) {
    std::error_code why;
    if (!fs::exists(from_ + '/' + name, why)) return {};
    if (fs::copy_file(from_ + '/' + name, to_ + '/' + name, why)) return {};
    return Error{fmt::format("copy {} to {}: {}", name, to_, why.message())};
  }

  // All beside the streams that is not made again.
  Result<void> copy_others() {
    static const std::set<std::string> left_out = {kSidecarName, kPacketIndexName, "reserve"};
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(from_, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool is_half_written = entry.path().extension() == ".new";
      if (!entry.is_regular_file(ignored) || left_out.contains(name) || is_half_written) continue;
      if (auto copied = copy_file(name); !copied) return copied;
    }
    return copy_file(fmt::format("{}/metadata", kStreamFolder));
  }

  Result<void> repack_stream(const std::string& file) {
    const std::string name = fmt::format("{}/{}", kStreamFolder, file);
    std::error_code none;
    if (sizes_.contains(file) || !fs::exists(from_ + '/' + name, none))
      return {};  // a loss of both traces, or a segment without records
    auto stream = StreamFile::open(from_ + '/' + name);
    if (!stream) return stream.error();
    std::vector<std::uint32_t>& sizes = sizes_[file];
    while (const auto packet = stream->next()) {
      const auto bytes = repacked(*packet);
      if (auto done = append_to_file(to_ + '/' + name, bytes); !done) return done;
      sizes.push_back(static_cast<std::uint32_t>(bytes.size()));
      done_.bytes_before += packet->head.packet_size_bits / 8;
      done_.bytes_after += bytes.size();
    }
    if (!stream->damage().empty()) done_.damage.push_back(fmt::format("{} {}", file, stream->damage()));
    return {};
  }

  // The index says where packets are: what they hold is the same. Without it, readers make it when they need it.
  Result<void> repack_index() {
    const auto old = PacketIndex::read(from_);
    if (!old || !*old) return {};
    PacketIndex index;
    for (IndexedStream stream : (*old)->streams()) {
      const auto& sizes = sizes_[stream.file];
      if (sizes.size() != stream.packets.size()) return {};
      stream.bytes = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        stream.packets[i].offset = stream.bytes;
        stream.packets[i].bytes = sizes[i];
        stream.bytes += sizes[i];
      }
      index.add(std::move(stream));
    }
    return replace_file(fmt::format("{}/{}", to_, kPacketIndexName), index.to_bytes());
  }

  Result<void> write_sidecar() {
    const std::string path = fmt::format("{}/{}", from_, kSidecarName);
    const auto text = read_text_file(path, kSidecarBytesMax);
    if (!text) return text.error();
    const auto changed = sidecar_compressed(path, *text, packer_.has_value());
    if (!changed) return changed.error();
    return replace_file(fmt::format("{}/{}", to_, kSidecarName), *changed);
  }

  Repacked done() { return std::move(done_); }

 private:
  std::span<const std::byte> repacked(const Packet& packet) {
    plain_.resize(sizeof packet.head + packet.records.size());
    PacketHead head = packet.head;
    head.magic = kCtfMagic;
    std::memcpy(plain_.data() + sizeof head, packet.records.data(), packet.records.size());
    return finished_packet(packer_, plain_, head);
  }

  std::string from_, to_;
  std::optional<PacketPacker> packer_;
  std::map<std::string, std::vector<std::uint32_t>> sizes_;  // of the packets, by file
  std::vector<std::byte> plain_;
  Repacked done_;
};

Result<void> repack(Repacking& repacking, const std::vector<StreamSegments>& streams) {
  if (auto done = repacking.copy_others(); !done) return done;
  for (const StreamSegments& stream : streams)
    for (const StreamSummary& file : stream.files)
      if (auto done = repacking.repack_stream(file.file); !done) return done;
  if (auto done = repacking.repack_index(); !done) return done;
  return repacking.write_sidecar();
}

}  // namespace

Result<Repacked> repack_trace(const std::string& named, const std::string& output, bool compressed) {
  const auto directory = find_trace(named);
  if (!directory) return directory.error();
  if (is_being_recorded(*directory))
    return Error{*directory + " is being recorded; try again when its recorder has ended"};
  const auto sidecar = read_sidecar(*directory);
  if (!sidecar) return sidecar.error();
  if (sidecar->compressed == compressed)
    return Error{fmt::format("{} is {} already", *directory, compressed ? "compressed" : "a plain trace")};
  if (auto made = make_private_folder(output); !made) return made.error();
  if (auto made = make_private_folder(fmt::format("{}/{}", output, kStreamFolder)); !made) return made.error();
  Repacking repacking(*directory, output, compressed);
  if (auto done = repack(repacking, find_streams(*directory, *sidecar)); !done) return done.error();
  return repacking.done();
}

}  // namespace dpm
