#include "scenarios/native/frame.hpp"

#include <cstring>

#include "model/check.hpp"

namespace dpm::native {
namespace {

namespace rights {
constexpr std::uint32_t kHasArea = 1;
constexpr std::uint32_t kRead = 2;
constexpr std::uint32_t kWrite = 4;
}  // namespace rights

bool makes_sense(const RunIdentity& run, const FrameHeader& header) {
  const auto kind = static_cast<std::uint32_t>(header.kind);
  const bool is_known =
      kind >= static_cast<std::uint32_t>(FrameKind::message) && kind <= static_cast<std::uint32_t>(FrameKind::fetched);
  const bool leads_somewhere = header.passed_owner == FrameHeader::kNoLink || header.passed_owner < run.processes;
  return header.token == run.token && is_known && header.sender < run.processes &&
         header.data_bytes <= header.length_bytes && leads_somewhere;
}

}  // namespace

void FrameHeader::pass(const Link& link) {
  passed_owner = link.owner;
  passed_channel = link.channel;
  passed_answers_call = link.answers_call;
  if (!link.area) return;
  passed_offset_bytes = link.area->offset_bytes;
  passed_size_bytes = link.area->size_bytes;
  passed_rights = rights::kHasArea | (link.area->read ? rights::kRead : 0) | (link.area->write ? rights::kWrite : 0);
}

std::optional<Link> FrameHeader::passed() const {
  if (passed_owner == kNoLink) return std::nullopt;
  Link link{passed_owner, passed_channel, passed_answers_call, std::nullopt};
  if ((passed_rights & rights::kHasArea) != 0)
    link.area = DataArea{passed_offset_bytes, passed_size_bytes, (passed_rights & rights::kRead) != 0,
                         (passed_rights & rights::kWrite) != 0};
  return link;
}

std::vector<std::byte> encode(const FrameHeader& header, std::span<const std::byte> data) {
  DPM_CHECK(header.data_bytes == data.size() && header.length_bytes >= data.size());
  std::vector<std::byte> bytes(header.frame_bytes());
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!data.empty()) std::memcpy(bytes.data() + sizeof header, data.data(), data.size());
  return bytes;
}

bool decode_headers(const RunIdentity& run, std::span<const std::byte> bytes, std::size_t skip,
                    std::vector<FrameHeader>& headers) {
  while (skip < bytes.size() && bytes.size() - skip >= sizeof(FrameHeader)) {
    FrameHeader header;
    std::memcpy(&header, bytes.data() + skip, sizeof header);
    if (!makes_sense(run, header)) return false;
    headers.push_back(header);
    skip += header.frame_bytes();
  }
  return true;
}

}  // namespace dpm::native
