#include "sampling/counts/count_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sampling/counts/count_sums.hpp"

namespace dpm::sampling {
namespace {

constexpr std::string_view kFirstLine = "dpm counts 3";
constexpr std::string_view kFirstLineWithoutCheck = "dpm counts 2";
constexpr std::string_view kEnd = "end";
constexpr std::string_view kAnyFirstLine = "dpm counts ";

std::string states_line() {
  std::string line = "states";
  for (const auto& state : all_states()) line += fmt::format(" {}", state.name);
  return line;
}

std::string resources_line() {
  std::string line = "resources";
  for (std::size_t i = 0; i < kResources; ++i) line += fmt::format(" {}", name_of(static_cast<Resource>(i)));
  return line;
}

// FNV-1a, 64 bits: no change of a single byte is without effect.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : text) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

std::string end_line(std::string_view text_before) { return fmt::format("{} {:016x}", kEnd, checksum(text_before)); }

std::string one_line(std::string text) {
  for (char& letter : text)
    if (letter == '\n' || letter == '\r') letter = ' ';
  return text;
}

// "foreground state cpu_run 12": of a part of the threads.
std::string states_text(const StateCounts& counts, std::string_view part) {
  std::string text;
  for (const auto& state : all_states()) {
    const std::uint64_t count = counts.states[static_cast<std::size_t>(state.state)];
    if (count > 0) text += fmt::format("{}state {} {}\n", part, state.name, count);
  }
  return text;
}

std::string part_text(const StateCounts& counts, Scope scope) {
  if (counts == StateCounts{}) return "";
  const std::string part = fmt::format("{} ", name_of(scope));
  return fmt::format("{0}samples {1}\n{0}unrecognised {2}\n", part, counts.samples, counts.unrecognised) +
         states_text(counts, part);
}

std::string level_text(std::uint32_t level, const LevelCounts& counts) {
  std::string text =
      fmt::format("level {}\nsamples {}\nran_ns {}\nwaited_ns {}\nwatched_ns {}\nunrecognised {}\n", level,
                  counts.samples, counts.ran_ns, counts.waited_ns, counts.watched_ns, counts.unrecognised);
  text += states_text(counts, "") + part_text(counts.foreground, Scope::foreground) +
          part_text(counts.background, Scope::background);
  for (std::size_t i = 0; i < kScopes; ++i)
    for (const auto& [word, count] : counts.words[i])
      text += fmt::format("word {} {:x} {}\n", name_of(static_cast<Scope>(i)), word.bits(), count);
  return text;
}

// One pass over the lines. After the first complaint nothing more is read.
class CountReader {
 public:
  CountReader(std::string_view text, const std::string& name)
      : text_(text), rest_(text), name_(name), counts_(SamplingSetup{}) {}

  Result<CountArray> read() {
    next();
    if (line_ != kFirstLine && line_ != kFirstLineWithoutCheck) return first_line_error();
    has_check_ = line_ == kFirstLine;
    while (error_.what.empty() && next() && !is_end()) take_line();
    if (error_.what.empty()) check_end();
    if (error_.what.empty()) check_setup();
    if (!error_.what.empty()) return error_;
    CountArray array = with_setup();
    if (const std::string wrong = wrong_sum(array); !wrong.empty())
      return Error{
          fmt::format("{}: the counts do not fit each other ({}): the file was changed or damaged", name_, wrong)};
    return array;
  }

 private:
  bool is_end() const { return line_.substr(0, line_.find(' ')) == kEnd; }

  void check_end() {
    if (!is_end() || text_.back() != '\n') return complain("the file ends early: its last line must be 'end'");
    if (!rest_.empty()) {
      ++number_;
      return complain("there is text after the end");
    }
    const auto before = static_cast<std::size_t>(line_.data() - text_.data());
    if (line_ != (has_check_ ? end_line(text_.substr(0, before)) : kEnd))
      complain("the check at the end does not fit: the file was changed or damaged");
  }

  void check_setup() {
    if (std::find(kSources.begin(), kSources.end(), setup_.source) == kSources.end())
      complain_of_file(fmt::format("'{}' is not a source of samples ({})", setup_.source, fmt::join(kSources, ", ")));
    if (setup_.interval_ns == 0) complain_of_file("interval_ns is missing, or 0");
  }

  CountArray with_setup() {
    CountArray array(setup_);
    array.account() = counts_.account();
    for (std::size_t i = 0; i < kWorkloads; ++i)
      array.levels(static_cast<Workload>(i)) = counts_.levels(static_cast<Workload>(i));
    for (const auto& [evidence, times] : counts_.unrecognised()) array.add_unrecognised(evidence, times);
    return array;
  }

  Error first_line_error() const {
    if (line_.starts_with(kAnyFirstLine))
      return Error{fmt::format("{}:1: counts of version '{}'; this dpm reads versions 2 and 3", name_,
                               line_.substr(kAnyFirstLine.size()))};
    return Error{fmt::format("{}: not a file of counts ('dpm sample -o FILE' writes one)", name_)};
  }

  bool next() {
    if (rest_.empty()) return false;
    ++number_;
    const auto end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return true;
  }

  void take_line() {
    const auto space = line_.find(' ');
    const std::string_view key = line_.substr(0, space);
    value_ = space == std::string_view::npos ? std::string_view{} : line_.substr(space + 1);
    if (key == "states" || key == "resources") {
      if (line_ != (key == "states" ? states_line() : resources_line()))
        complain(fmt::format("the {} are those of another version of dpm", key));
    } else if (!take_setup(key) && !take_account(key) && !take_counts(key)) {
      complain(fmt::format("'{}' is not a line of a file of counts", key));
    }
  }

  bool take_setup(std::string_view key) {
    if (key == "source")
      setup_.source = value_;
    else if (key == "machine")
      setup_.machine = value_;
    else if (key == "kernel")
      setup_.kernel = value_;
    else if (key == "selection")
      setup_.selection = value_;
    else if (key == "interval_ns")
      take_number(setup_.interval_ns);
    else if (key == "cores")
      take_number(setup_.cores);
    else
      return false;
    return true;
  }

  bool take_account(std::string_view key) {
    SamplerAccount& account = counts_.account();
    if (key == "late")
      take_number(account.late);
    else if (key == "missed")
      take_number(account.missed);
    else if (key == "delay_sum_ns")
      take_number(account.delay_sum_ns);
    else if (key == "delay_most_ns")
      take_number(account.delay_most_ns);
    else if (key == "sampler_cpu_ns")
      take_number(account.cpu_ns);
    else if (key == "elapsed_ns")
      take_number(account.elapsed_ns);
    else if (key == "unreadable")
      take_number(account.unreadable);
    else
      return false;
    return true;
  }

  bool take_counts(std::string_view key) {
    if (key == "evidence") {
      const std::uint64_t times = number_word();
      counts_.add_unrecognised(std::string(value_), times);
    } else if (key == "workload") {
      workload_ = workload_named(value_);
      level_ = nullptr;
      if (!workload_) complain(fmt::format("'{}' is not a measure of workload", value_));
    } else if (key == "level") {
      std::uint32_t level = 0;
      take_number(level);
      if (!workload_)
        complain("a level comes after its workload");
      else
        level_ = &counts_.levels(*workload_)[level];
    } else {
      return take_level(key);
    }
    return true;
  }

  bool take_level(std::string_view key) {
    if (level_ == nullptr) return false;
    if (key == "ran_ns")
      take_number(level_->ran_ns);
    else if (key == "waited_ns")
      take_number(level_->waited_ns);
    else if (key == "watched_ns")
      take_number(level_->watched_ns);
    else if (key == "word")
      take_stateword();
    else if (key == name_of(Scope::foreground))
      return take_states(take_word(), level_->foreground);
    else if (key == name_of(Scope::background))
      return take_states(take_word(), level_->background);
    else
      return take_states(key, *level_);
    return true;
  }

  bool take_states(std::string_view key, StateCounts& counts) {
    if (key == "samples")
      take_number(counts.samples);
    else if (key == "unrecognised")
      take_number(counts.unrecognised);
    else if (key == "state")
      take_state(counts);
    else
      return false;
    return true;
  }

  void take_state(StateCounts& counts) {
    const std::string_view word = take_word();
    const auto state = state_named(word);
    if (!state) return complain(fmt::format("'{}' is not a state", word));
    take_number(counts.states[static_cast<std::size_t>(*state)]);
  }

  void take_stateword() {
    const std::string_view word = take_word();
    for (std::size_t i = 0; i < kScopes; ++i) {
      if (name_of(static_cast<Scope>(i)) != word) continue;
      std::uint64_t bits = 0;
      const std::string_view digits = take_word();
      parse(digits, bits, 16);
      if (bits >> (2 * kResources) != 0) return complain(fmt::format("'{}' is not a stateword", digits));
      take_number(level_->words[i][Stateword(bits)]);
      return;
    }
    complain(fmt::format("'{}' has no statewords", word));
  }

  static std::optional<Workload> workload_named(std::string_view name) {
    for (std::size_t i = 0; i < kWorkloads; ++i)
      if (name_of(static_cast<Workload>(i)) == name) return static_cast<Workload>(i);
    return std::nullopt;
  }

  std::string_view take_word() {
    const auto space = value_.find(' ');
    const std::string_view word = value_.substr(0, space);
    value_.remove_prefix(space == std::string_view::npos ? value_.size() : space + 1);
    return word;
  }

  std::uint64_t number_word() {
    std::uint64_t number = 0;
    parse(take_word(), number);
    return number;
  }

  template <typename Number>
  void take_number(Number& number) {
    parse(value_, number);
  }

  template <typename Number>
  void parse(std::string_view text, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || end != text.data() + text.size()) complain(fmt::format("'{}' is not a number", text));
  }

  void complain(const std::string& what) {
    if (error_.what.empty()) error_.what = fmt::format("{}:{}: {}", name_, number_, what);
  }

  void complain_of_file(const std::string& what) {
    if (error_.what.empty()) error_.what = fmt::format("{}: {}", name_, what);
  }

  std::string_view text_, rest_, line_, value_;
  const std::string& name_;
  std::size_t number_ = 0;
  SamplingSetup setup_;
  CountArray counts_;
  std::optional<Workload> workload_;
  LevelCounts* level_ = nullptr;
  Error error_;
  bool has_check_ = false;
};

}  // namespace

std::string to_text(const CountArray& counts) {
  const SamplingSetup& setup = counts.setup();
  const SamplerAccount& account = counts.account();
  std::string text =
      fmt::format("{}\nsource {}\ninterval_ns {}\ncores {}\nmachine {}\nkernel {}\nselection {}\n{}\n{}\n", kFirstLine,
                  one_line(setup.source), setup.interval_ns, setup.cores, one_line(setup.machine),
                  one_line(setup.kernel), one_line(setup.selection), resources_line(), states_line());
  text += fmt::format(
      "late {}\nmissed {}\ndelay_sum_ns {}\ndelay_most_ns {}\nsampler_cpu_ns {}\nelapsed_ns {}\nunreadable {}\n",
      account.late, account.missed, account.delay_sum_ns, account.delay_most_ns, account.cpu_ns, account.elapsed_ns,
      account.unreadable);
  for (const auto& [evidence, times] : counts.unrecognised())
    text += fmt::format("evidence {} {}\n", times, one_line(evidence));
  for (std::size_t i = 0; i < kWorkloads; ++i) {
    const auto workload = static_cast<Workload>(i);
    if (workload == Workload::requests && counts.levels(workload).empty()) continue;
    text += fmt::format("workload {}\n", name_of(workload));
    for (const auto& [level, of_level] : counts.levels(workload)) text += level_text(level, of_level);
  }
  return text + end_line(text) + "\n";
}

Result<CountArray> read_counts(std::string_view text, const std::string& name) {
  return CountReader(text, name).read();
}

}  // namespace dpm::sampling
