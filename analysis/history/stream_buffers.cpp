#include "analysis/history/stream_buffers.hpp"

#include <algorithm>

namespace dpm {
namespace {

std::uint64_t usual_size_of(ChannelMedium medium) {
  constexpr std::uint64_t kPipeBytes = 65'536;         // fs/pipe.c: 16 pages
  constexpr std::uint64_t kUnixSocketBytes = 212'992;  // net.core.wmem_default; includes what the kernel needs itself
  if (medium == ChannelMedium::pipe) return kPipeBytes;
  return medium == ChannelMedium::unix_socket ? kUnixSocketBytes : 0;
}

}  // namespace

StreamBuffers::StreamBuffers(const History& history) {
  const auto& channels = history.info.channels;
  const auto has_limit = [](const ChannelInfo& channel) { return usual_size_of(channel.medium) > 0; };
  if (std::none_of(channels.begin(), channels.end(), has_limit)) return;
  for (const auto& channel : channels) sizes_.push_back(usual_size_of(channel.medium));
}

void StreamBuffers::begin() { buffers_.clear(); }

void StreamBuffers::sent(const HistoryEvent& send) {
  if (size_of(send) > 0) buffers_[send.channel].bytes += send.length_bytes;
}

bool StreamBuffers::stops(std::uint32_t process, const HistoryEvent& send) {
  if (size_of(send) == 0) return false;
  Buffer& buffer = buffers_[send.channel];
  if (!is_over(send.channel, buffer)) return false;
  buffer.waiting.push_back(process);
  return true;
}

std::vector<std::uint32_t> StreamBuffers::received(const HistoryEvent& send) {
  if (size_of(send) == 0) return {};
  Buffer& buffer = buffers_[send.channel];
  buffer.bytes -= std::min<std::uint64_t>(buffer.bytes, send.length_bytes);
  if (is_over(send.channel, buffer)) return {};
  return std::exchange(buffer.waiting, {});
}

std::optional<std::uint32_t> StreamBuffers::release() {
  std::optional<std::uint32_t> first;
  Buffer* of = nullptr;
  for (auto& [channel, buffer] : buffers_) {
    for (const std::uint32_t process : buffer.waiting) {
      if (first && *first <= process) continue;
      first = process;
      of = &buffer;
    }
  }
  if (of != nullptr) std::erase(of->waiting, *first);
  return first;
}

}  // namespace dpm
