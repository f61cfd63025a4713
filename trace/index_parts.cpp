#include "trace/index_parts.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "trace/files.hpp"

namespace dpm {
namespace {

constexpr std::size_t kPartsBytesMax = std::size_t{1} << 36;

struct PartHead {
  std::uint32_t stream = 0, bytes = 0;
};

}  // namespace

Result<void> IndexParts::add(std::uint32_t stream, std::string_view bytes) {
  const PartHead head{stream, static_cast<std::uint32_t>(bytes.size())};
  std::string part(reinterpret_cast<const char*>(&head), sizeof head);
  part += bytes;
  is_empty_ = false;
  return append_to_file(path_, std::as_bytes(std::span(part)));
}

Result<std::vector<std::string>> IndexParts::take(std::size_t streams) {
  std::vector<std::string> of_streams(streams);
  if (is_empty_) return of_streams;
  const auto text = read_text_file(path_, kPartsBytesMax);
  ::unlink(path_.c_str());
  is_empty_ = true;
  if (!text) return text.error();
  const Error damaged{path_ + ": was changed while the trace was recorded"};
  std::string_view left = *text;
  while (!left.empty()) {
    PartHead head;
    if (left.size() < sizeof head) return damaged;
    std::memcpy(&head, left.data(), sizeof head);
    left.remove_prefix(sizeof head);
    if (head.stream >= streams || head.bytes > left.size()) return damaged;
    of_streams[head.stream] += left.substr(0, head.bytes);
    left.remove_prefix(head.bytes);
  }
  return of_streams;
}

}  // namespace dpm
