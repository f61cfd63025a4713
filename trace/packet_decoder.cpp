#include "trace/packet_decoder.hpp"

#include <cstring>

namespace dpm {

PacketDecoder::PacketDecoder(const TraceDescription& description, TraceInfo& info)
    : names_(std::make_unique<ForeignNames>(info)), is_foreign_(!carries_events(description.layouts)) {
  for (const auto& filter : description.filters) {
    auto& of_filter = decoders_.emplace_back();
    for (const auto& record : filter.classes)
      of_filter.emplace_back(description.layouts[record.layout], record, !is_foreign_);
  }
}

const RecordDecoder* PacketDecoder::decoder_of(std::uint32_t filter, std::span<const std::byte> bytes) const {
  const auto& of_filter = decoders_[filter];
  ClassIndex record_class = kNotKept;
  if (bytes.size() >= kEventHeadBytes) std::memcpy(&record_class, bytes.data(), sizeof record_class);
  if (record_class >= of_filter.size()) return nullptr;
  const RecordDecoder& decoder = of_filter[record_class];
  return bytes.size() < kEventHeadBytes + decoder.payload_bytes() ? nullptr : &decoder;
}

}  // namespace dpm
