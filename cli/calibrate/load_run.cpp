#include "cli/calibrate/load_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "answers/reading/trace_history.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr std::size_t kWords = 8, kFigureBytesMax = 4096;

std::string text_of(double number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number);
  return {text, end.ptr};
}

template <typename Number>
bool read_number(const std::string& word, Number& number) {
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
  return wrong == std::errc() && end == word.data() + word.size();
}

// Returns the exit status. Standard output goes to `output`, standard error to `output`.err.
Result<int> run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, (output + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    errno = failed;
    return Error::from_errno("run " + words.front());
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Processes started while it exists stay on one core, and so does their meter: that is how a program on one core is
// metered.
class OnOneCore {
 public:
  explicit OnOneCore(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    changed_ = ::sched_getaffinity(0, sizeof before_, &before_) == 0 && ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OnOneCore() {
    if (changed_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_ = {};
  bool changed_ = false;
};

// Processes started while it exists have the default scheduling policy.
class Ordinary {
 public:
  Ordinary() : before_(::sched_getscheduler(0)) {
    const sched_param none = {};
    if (before_ != SCHED_OTHER && ::sched_getparam(0, &parameters_) == 0)
      changed_ = ::sched_setscheduler(0, SCHED_OTHER, &none) == 0;
  }
  ~Ordinary() {
    if (changed_) ::sched_setscheduler(0, before_, &parameters_);
  }
  Ordinary(const Ordinary&) = delete;
  Ordinary& operator=(const Ordinary&) = delete;

 private:
  int before_;
  sched_param parameters_ = {};
  bool changed_ = false;
};

// CPU time of process `p` between its first and last message.
std::uint64_t cpu_between_messages(const History& history, std::uint32_t p) {
  std::uint64_t sum = 0, since_last = 0;
  bool begun = false;
  for (const auto& event : history.of(ProcessId{p})) {
    since_last += begun ? event.cpu_ns : 0;
    if (event.kind() != HistoryKind::send && event.kind() != HistoryKind::receive) continue;
    begun = true;
    sum += since_last;
    since_last = 0;
  }
  return sum;
}

std::size_t count_of(const History& history, std::uint32_t p, HistoryKind kind) {
  std::size_t count = 0;
  for (const auto& event : history.of(ProcessId{p})) count += event.kind() == kind ? 1 : 0;
  return count;
}

}  // namespace

std::vector<std::string> words_of(const LoadPlan& plan) {
  return {std::string(name_of(plan.transport)),
          std::string(name_of(plan.shape)),
          std::to_string(plan.bytes),
          std::to_string(plan.messages),
          std::to_string(plan.sender_core),
          std::to_string(plan.receiver_core),
          text_of(plan.gap_s),
          std::to_string(plan.working_set_bytes)};
}

Result<LoadPlan> plan_from_words(const std::vector<std::string>& words) {
  LoadPlan plan;
  const bool sound = words.size() == kWords && transport_from_name(words[0]) && load_shape_from_name(words[1]) &&
                     read_number(words[2], plan.bytes) && read_number(words[3], plan.messages) &&
                     read_number(words[4], plan.sender_core) && read_number(words[5], plan.receiver_core) &&
                     read_number(words[6], plan.gap_s) && read_number(words[7], plan.working_set_bytes) &&
                     plan.bytes > 0 && plan.messages > 0;
  if (!sound)
    return Error{"a load is TRANSPORT SHAPE BYTES MESSAGES SENDER_CORE RECEIVER_CORE GAP_SECONDS WORKING_SET_BYTES"};
  plan.transport = *transport_from_name(words[0]);
  plan.shape = *load_shape_from_name(words[1]);
  return plan;
}

Result<LoadFigures> LoadRunner::start(const std::vector<std::string>& before, const LoadPlan& plan) {
  std::error_code ignored;
  const std::string self = std::filesystem::read_symlink(kThisProgram, ignored);
  std::vector<std::string> words;
  for (const auto& word : before) words.push_back(word.empty() ? self : word);
  words.insert(words.end(), {self, "calibrate", "--load"});
  for (auto& word : words_of(plan)) words.push_back(std::move(word));
  const std::string output = folder_ + "/figures";
  std::optional<OnOneCore> on_one_core;
  const bool meter_aside = aside_ && !before.empty();  // the load itself stays on its cores
  if (plan.sender_core == plan.receiver_core && !meter_aside) on_one_core.emplace(plan.sender_core);
  const auto status = run_program(words, output);
  on_one_core.reset();
  if (!status) return status.error();
  if (*status != 0) {
    const auto said = read_text_file(output + ".err", kFigureBytesMax);
    return Error{fmt::format("the load '{} {}' ended with status {}{}", name_of(plan.transport), name_of(plan.shape),
                             *status, said ? ": " + *said : "")};
  }
  const auto text = read_text_file(output, kFigureBytesMax);
  if (!text) return text.error();
  return LoadFigures::from_text(*text);
}

Result<LoadFigures> LoadRunner::run(const LoadPlan& plan) { return start({}, plan); }

Result<LoadFigures> LoadRunner::run_ordinary(const LoadPlan& plan) {
  std::optional<Ordinary> ordinary;
  if (!aside_) ordinary.emplace();
  return start({}, plan);
}

Result<MeteredFigures> LoadRunner::run_metered(const LoadPlan& plan) {
  std::optional<Ordinary> ordinary;
  if (!aside_) ordinary.emplace();
  const std::string trace = folder_ + "/trace-" + std::to_string(++runs_);
  std::vector<std::string> meter = {"", "meter", "--wait", "-o", trace};
  if (!source_.empty()) meter.insert(meter.end(), {"--source", source_});
  meter.emplace_back("--");
  const auto figures = start(meter, plan);
  if (!figures) return figures.error();
  const auto read = read_history(trace, {.all_processes = true});
  if (!read) return read.error();
  std::error_code ignored;
  std::filesystem::remove_all(trace, ignored);
  const History& history = read->history;
  MeteredFigures metered;
  metered.elapsed_s = figures->elapsed_s;
  const double messages = plan.messages;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const bool sends = count_of(history, p, HistoryKind::send) >= plan.messages;
    const bool receives = count_of(history, p, HistoryKind::receive) >= plan.messages;
    if (!sends && !receives) continue;
    const double cpu_s = static_cast<double>(cpu_between_messages(history, p)) * 1e-9 / messages;
    (metered.sender_cpu_s > 0 || !sends ? metered.receiver_cpu_s : metered.sender_cpu_s) += cpu_s;
  }
  metered.sender_cpu_s -= figures->gaps_s;
  return metered;
}

}  // namespace dpm::cli
