#include "sampling/log/state_log_file.hpp"

#include <fmt/format.h>

#include <charconv>

namespace dpm::sampling {
namespace {

class LogReader {
 public:
  LogReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Result<StateLog> read() {
    if (!next() || line_ != kStateLogFirstLine) return first_line_error();
    while (error_.what.empty() && next()) take_line();
    if (!error_.what.empty()) return error_;
    return std::move(log_);
  }

 private:
  Error first_line_error() const {
    constexpr std::string_view kAnyFirstLine = "dpm samples ";
    if (line_.starts_with(kAnyFirstLine))
      return Error{fmt::format("{}:1: samples of version '{}'; this dpm reads version 1", name_,
                               line_.substr(kAnyFirstLine.size()))};
    return Error{
        fmt::format("{}: not a file of samples ('dpm meter --sample' and 'dpm sample --log' write one)", name_)};
  }

  // Only whole lines.
  bool next() {
    const auto end = rest_.find('\n');
    if (end == std::string_view::npos) return false;
    ++number_;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  void take_line() {
    std::string_view rest = line_;
    const std::string_view key = word_of(rest);
    if (key == "sample")
      take_sample(rest);
    else if (key == "thread")
      take_thread(rest);
    else if (key == "gone")
      take_look(rest, true);
    else if (!key.empty() && key.front() >= '0' && key.front() <= '9')
      take_look(line_, false);
    else
      take_setup(key, rest);
  }

  void take_setup(std::string_view key, std::string_view value) {
    if (key == "source")
      log_.source = value;
    else if (key == "machine")
      log_.machine = value;
    else if (key == "interval_ns")
      log_.interval_ns = number_of<std::uint64_t>(value);
    else if (key != "states")
      complain(fmt::format("'{}' is not a line of a file of samples", key));
    else if (value != state_words())
      complain("the states are those of another version of dpm");
  }

  void take_sample(std::string_view value) {
    const auto at_ns = number_of<std::int64_t>(value);
    if (!log_.samples.empty() && at_ns < log_.samples.back().at_ns)
      return complain("a sample is earlier than the one before it");
    log_.samples.push_back({at_ns, {}});
  }

  void take_thread(std::string_view rest) {
    const auto thread = number_of<std::uint32_t>(word_of(rest));
    log_.threads.push_back({thread, number_of<std::uint64_t>(rest)});
  }

  void take_look(std::string_view rest, bool is_gone) {
    if (log_.samples.empty()) return complain("a state comes after its sample");
    LoggedLook look{.thread = number_of<std::uint32_t>(word_of(rest)), .is_gone = is_gone};
    if (look.thread >= log_.threads.size()) return complain(fmt::format("there is no thread {}", look.thread));
    look.seen_ns = log_.samples.back().at_ns;
    if (!is_gone) {
      const std::string_view word = word_of(rest);
      look.state = state_named(word);
      if (!look.state && word != kUnrecognisedWord) return complain(fmt::format("'{}' is not a state", word));
      look.seen_ns += number_of<std::int32_t>(rest);
    }
    log_.samples.back().looks.push_back(look);
  }

  static std::string_view word_of(std::string_view& rest) {
    const auto space = rest.find(' ');
    const std::string_view word = rest.substr(0, space);
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
    return word;
  }

  template <typename Number>
  Number number_of(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) complain(fmt::format("'{}' is not a number", text));
    return number;
  }

  void complain(const std::string& what) {
    if (error_.what.empty()) error_.what = fmt::format("{}:{}: {}", name_, number_, what);
  }

  std::string_view rest_, line_;
  const std::string& name_;
  std::size_t number_ = 0;
  StateLog log_;
  Error error_;
};

}  // namespace

std::string state_words() {
  std::string words;
  for (const StateInfo& state : all_states()) words += fmt::format("{}{}", words.empty() ? "" : " ", state.name);
  return words;
}

Result<StateLog> read_state_log(std::string_view text, const std::string& name) { return LogReader(text, name).read(); }

}  // namespace dpm::sampling
