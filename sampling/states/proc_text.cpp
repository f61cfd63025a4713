#include "sampling/states/proc_text.hpp"

#include <charconv>

namespace dpm::sampling {
namespace {

constexpr std::uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of the kernel

// Takes words apart by spaces; a word that is not a number makes the whole line invalid.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const auto begin = rest_.find_first_not_of(" \n");
    if (begin == std::string_view::npos) {
      valid_ = false;
      return {};
    }
    rest_.remove_prefix(begin);
    const auto length = rest_.find_first_of(" \n");
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(found.size());
    return found;
  }

  template <typename Number>
  void number(Number& value) {
    std::string_view text = word();
    int base = 10;
    if (text.starts_with("0x")) {
      text.remove_prefix(2);
      base = 16;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) valid_ = false;
  }

  void skip(int words) {
    for (int i = 0; i < words; ++i) word();
  }
  bool valid() const { return valid_; }

 private:
  std::string_view rest_;
  bool valid_ = true;
};

}  // namespace

std::optional<StatLine> read_stat(std::string_view text) {
  const auto name_end = text.rfind(')');  // the name may have any character, also parentheses
  if (name_end == std::string_view::npos) return std::nullopt;
  Words words(text.substr(name_end + 1));
  StatLine line;
  const std::string_view letter = words.word();
  if (letter.size() != 1) return std::nullopt;
  line.letter = letter.front();
  words.number(line.parent);
  words.number(line.group);
  words.number(line.session);
  words.number(line.terminal);
  words.number(line.foreground_group);
  std::uint64_t flags = 0;
  words.number(flags);
  line.in_kernel = (flags & kKernelThread) != 0;
  words.skip(10);  // minor faults to nice
  words.number(line.threads);
  words.skip(1);
  words.number(line.start_ticks);
  words.skip(16);
  words.number(line.processor);
  if (!words.valid()) return std::nullopt;
  return line;
}

std::optional<CpuCounters> read_schedstat(std::string_view text) {
  Words words(text);
  CpuCounters counters;
  words.number(counters.ran_ns);
  words.number(counters.waited_ns);
  words.number(counters.turns);
  if (!words.valid()) return std::nullopt;
  return counters;
}

std::optional<SystemCall> read_syscall(std::string_view text) {
  if (text.starts_with("running")) return SystemCall{};
  Words words(text);
  SystemCall call;
  words.number(call.number);
  if (!words.valid() || call.number < SystemCall::kNotInACall) return std::nullopt;
  if (call.number == SystemCall::kNotInACall) return call;
  for (auto& argument : call.arguments) words.number(argument);
  if (!words.valid()) return std::nullopt;
  return call;
}

std::string_view read_wchan(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return text == "0" ? std::string_view{} : text;
}

}  // namespace dpm::sampling
