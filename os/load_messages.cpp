#include "os/load_messages.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>

namespace dpm {
namespace {

constexpr std::size_t kMessagesBytesMax = 32 << 20;  // the verifier's log is as long as what it tried

thread_local LoadMessages* current = nullptr;

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

// Of "prog 'NAME': REST": NAME, and `line` is REST.
std::optional<std::string_view> take_program(std::string_view& line) {
  std::string_view rest = line;
  if (!take(rest, "libbpf: ") || !take(rest, "prog '")) return std::nullopt;
  const auto end = rest.find("': ");
  if (end == std::string_view::npos) return std::nullopt;
  line = rest.substr(end + 3);
  return rest.substr(0, end);
}

// Lines that say that something failed, and not why.
bool says_nothing(std::string_view line) {
  return line.empty() || line.starts_with("libbpf: failed to load object") ||
         line.starts_with("libbpf: failed to load BPF skeleton") || line.starts_with("failed to load: ") ||
         line.starts_with("failed to prepare load attributes") || line.starts_with("processed ") ||
         line.find("Retrying without BTF") != std::string_view::npos ||
         line.find("Failed to bump RLIMIT_MEMLOCK") != std::string_view::npos ||
         line.find("try raising 'ulimit -l'") != std::string_view::npos;
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

std::string reason_in_load_messages(std::string_view text) {
  std::string_view program, reason;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (const auto named = take_program(line)) {
      program = *named;
      if (line.starts_with("-- ")) continue;
    }
    if (says_nothing(line) || line.starts_with("-- END")) continue;
    take(line, "libbpf: ");
    reason = line;
  }
  if (reason.empty()) return "";
  return program.empty() ? std::string(reason) : fmt::format("program {}: {}", program, reason);
}

LoadMessages::LoadMessages() : outer_(current) { current = this; }

LoadMessages::~LoadMessages() { current = outer_; }

int LoadMessages::keep(const char* format, std::va_list values) {
  if (current == nullptr || current->text_.size() > kMessagesBytesMax) return 0;
  std::va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  if (length > 0) {
    std::string& text = current->text_;
    const std::size_t before = text.size();
    text.resize(before + static_cast<std::size_t>(length) + 1);
    std::vsnprintf(text.data() + before, static_cast<std::size_t>(length) + 1, format, again);
    text.pop_back();
  }
  va_end(again);
  return 0;
}

std::string LoadMessages::reason() const { return reason_in_load_messages(text_); }

}  // namespace dpm
