// Reads one stream packet by packet, its files one after another, and notes what is missing of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/packet_decoder.hpp"
#include "trace/sidecar.hpp"
#include "trace/stream_file.hpp"
#include "trace/stream_segments.hpp"

namespace dpm {

// Of a stream with a window, none of whose segments is left.
bool may_have_no_file(const Sidecar& sidecar, const StreamSummary& segment);

class StreamCursor {
 public:
  using OpenFile = std::function<Result<FileReader>(const StreamSummary&)>;

  // All but the last must outlive it.
  StreamCursor(const StreamSegments& stream, const Sidecar& sidecar, PacketDecoder& decoder, OpenFile open);

  // Calls handle(event) for each record of the next packet that is an Event. False: the stream has ended.
  template <typename Handle>
  bool read_packet(Handle&& handle) {
    const auto packet = next_packet();
    if (!packet) return false;
    decoder_.read(*packet, outcomes_[at_], [&](const Event& event) {
      if (!sidecar_.ids.has_gaps()) return handle(event);
      Event described = event;
      sidecar_.ids.to_rows(described);
      return handle(described);
    });
    return true;
  }

  // From 0 to 1.
  double part_read() const;

  // ---- at the end
  void add_losses_to(std::vector<Loss>& losses) const;
  std::uint64_t records() const;

 private:
  std::optional<Packet> next_packet();
  bool open_file();
  void end_file();
  bool is_of_file(const PacketHead& head) const;

  const StreamSegments& stream_;
  const Sidecar& sidecar_;
  PacketDecoder& decoder_;
  OpenFile open_;
  std::vector<StreamOutcome> outcomes_;  // by file
  std::size_t at_ = 0;
  std::optional<FileReader> first_;  // file of the stream, until it is read
  std::optional<StreamFile> file_;
  std::uint64_t passed_ = 0, bytes_ = 0;  // of the files before this one, of all
};

}  // namespace dpm
