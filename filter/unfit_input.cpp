#include "filter/unfit_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace dpm {
namespace {

constexpr std::size_t kShown = 40;
constexpr std::size_t kBytesShown = 8;

struct KnownBeginning {
  std::string_view bytes;
  const char* name;
};

constexpr std::array kKnown = {
    KnownBeginning{"\x1f\x8b", "gzip data"}, KnownBeginning{"\x28\xb5\x2f\xfd", "zstd data"},
    KnownBeginning{"\x7f"
                   "ELF",
                   "a program (ELF)"},
    KnownBeginning{"PK\x03\x04", "a zip archive"},
    KnownBeginning{"\xc1\x1f\xfc\xc1", "a stream file of a trace, which readers take with its folder"}};

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](unsigned char c) { return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\t' || c == '\r'; });
}

}  // namespace

std::string looks_like(std::span<const std::byte> beginning) {
  const std::string_view bytes(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  for (const auto& known : kKnown)
    if (bytes.starts_with(known.bytes)) return known.name;
  if (is_text(bytes)) return fmt::format("text: '{}'", bytes.substr(0, std::min(bytes.find('\n'), kShown)));
  std::string shown = "bytes";
  for (const char c : bytes.substr(0, kBytesShown)) shown += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return shown + (bytes.size() > kBytesShown ? " ..." : "");
}

void InputBeginning::see(std::span<const std::byte> bytes) {
  const std::size_t more = std::min(bytes.size(), kShown - std::min(kShown, bytes_.size()));
  bytes_.append(reinterpret_cast<const char*>(bytes.data()), more);
}

Error InputBeginning::refuse(const std::string& trace, const std::string& why_lost) const {
  std::error_code ignored;
  std::filesystem::remove_all(trace, ignored);
  return Error{fmt::format("standard input is not a stream of meter messages: it begins with {}{}",
                           looks_like(std::as_bytes(std::span(bytes_))),
                           why_lost.empty() ? "" : fmt::format(", and all its messages would be lost: {}", why_lost))};
}

}  // namespace dpm
