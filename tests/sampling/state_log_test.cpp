// What each thread did at each sample: written, read, and damaged.
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sampling/log/state_log_file.hpp"
#include "sampling/log/state_log_writer.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

class ScratchFolder {
 public:
  ScratchFolder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "dpm_log_XXXXXX").string();
};

constexpr std::int64_t kOffsetNs = 1'000'000'000'000;

ThreadSample thread(std::uint32_t number, State state, std::int64_t seen_ns, bool waits_still = false) {
  return {
      .state = state, .thread = number, .start_ticks = number * 10u, .seen_ns = seen_ns, .waits_still = waits_still};
}

std::string written(const std::string& path, const std::vector<std::vector<ThreadSample>>& samples) {
  auto writer = StateLogWriter::create(path, {.source = "proc", .interval_ns = 1000, .machine = "green"}, kOffsetNs);
  REQUIRE(writer);
  std::int64_t began_ns = 0;
  for (const auto& threads : samples) {
    Sample sample;
    sample.threads = threads;
    writer->add(sample, began_ns += 1000);
  }
  REQUIRE(writer->status());
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("state log: each change is a line, and what waits still has none", "[sampling]") {
  const ScratchFolder folder;
  const std::string text =
      written(folder.path() + "/log", {{thread(8, State::select, 1010), thread(9, State::cpu_run, 1020)},
                                       {thread(8, State::select, 2010, true)},
                                       {thread(8, State::select, 3030)}});
  const auto log = read_state_log(text, "log");
  REQUIRE(log);
  CHECK(log->source == "proc");
  CHECK(log->machine == "green");
  CHECK(log->interval_ns == 1000);
  REQUIRE(log->threads.size() == 2);
  CHECK(log->threads[1].thread == 9);
  CHECK(log->threads[1].start_ticks == 90);
  REQUIRE(log->samples.size() == 3);
  CHECK(log->samples[0].at_ns == kOffsetNs + 1000);
  REQUIRE(log->samples[0].looks.size() == 2);
  CHECK(log->samples[0].looks[1].state == State::cpu_run);
  CHECK(log->samples[0].looks[1].seen_ns == kOffsetNs + 1020);
  REQUIRE(log->samples[1].looks.size() == 1);
  CHECK(log->samples[1].looks[0].is_gone);
  CHECK(log->samples[1].looks[0].thread == 1);
  REQUIRE(log->samples[2].looks.size() == 1);
  CHECK(log->samples[2].looks[0].seen_ns == kOffsetNs + 3030);
}

TEST_CASE("state log: a number that another thread has now is another thread", "[sampling]") {
  const ScratchFolder folder;
  ThreadSample later = thread(8, State::sleep, 2000);
  later.start_ticks = 99;
  const auto log = read_state_log(written(folder.path() + "/log", {{thread(8, State::select, 1000)}, {later}}), "log");
  REQUIRE(log);
  CHECK(log->threads.size() == 2);
}

TEST_CASE("state log: nothing is overwritten", "[sampling]") {
  const ScratchFolder folder;
  written(folder.path() + "/log", {});
  const auto again = StateLogWriter::create(folder.path() + "/log", {}, 0);
  REQUIRE_FALSE(again);
  CHECK(again.error().what.ends_with("exists already; nothing is overwritten"));
}

TEST_CASE("state log: a file that ends anywhere is read as far as its last whole line", "[sampling]") {
  const ScratchFolder folder;
  const std::string text =
      written(folder.path() + "/log", {{thread(8, State::select, 1010)}, {thread(8, State::cpu_run, 2020)}});
  for (std::size_t length = kStateLogFirstLine.size() + 1; length < text.size(); ++length)
    CHECK(read_state_log(text.substr(0, length), "log"));
}

// The disk is full, as far as this process is concerned.
class FileLimit {
 public:
  explicit FileLimit(std::uintmax_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handling_before_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handling_before_);
  }

 private:
  rlimit before_ = {};
  void (*handling_before_)(int) = nullptr;
};

TEST_CASE("state log: on a disk that is full for a while, the file ends with the last whole sample", "[sampling]") {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/log";
  {
    auto writer = StateLogWriter::create(path, {.source = "proc", .interval_ns = 1000, .machine = "green"}, kOffsetNs);
    REQUIRE(writer);
    Sample sample;
    sample.threads = {thread(8, State::select, 1010)};
    writer->add(sample, 1000);
    sample.threads = {thread(8, State::cpu_run, 2010)};
    {
      const FileLimit full(std::filesystem::file_size(path) + 10);
      writer->add(sample, 2000);
    }
    writer->add(sample, 3000);
    const auto status = writer->status();
    REQUIRE_FALSE(status);
    CHECK(status.error().what.find("File too large") != std::string::npos);
  }
  std::ifstream file(path);
  const auto log = read_state_log(std::string{std::istreambuf_iterator<char>(file), {}}, "log");
  REQUIRE(log);
  REQUIRE(log->samples.size() == 1);
  CHECK(log->samples[0].looks.at(0).state == State::select);
}

TEST_CASE("state log: damaged files are refused with their line", "[sampling]") {
  const ScratchFolder folder;
  const std::string text =
      written(folder.path() + "/log", {{thread(8, State::select, 1010)}, {thread(8, State::cpu_run, 2020)}});
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    const auto read = read_state_log(damaged, "log");
    return read ? std::string("read") : read.error().what;
  };
  CHECK(complaint("dpm samples 1", "dpm samples 2") == "log:1: samples of version '2'; this dpm reads version 1");
  CHECK(complaint("dpm samples 1", "dpm counts 2") ==
        "log: not a file of samples ('dpm meter --sample' and 'dpm sample --log' write one)");
  CHECK(complaint("states cpu_run ", "states ") == "log:5: the states are those of another version of dpm");
  CHECK(complaint("thread 8", "thread x") == "log:7: 'x' is not a number");
  CHECK(complaint("0 select", "0 sleeping") == "log:8: 'sleeping' is not a state");
  CHECK(complaint("0 select", "4 select") == "log:8: there is no thread 4");
  CHECK(complaint("source proc", "sauce proc") == "log:2: 'sauce' is not a line of a file of samples");
  CHECK(complaint("sample 1000000002000", "sample 5") == "log:9: a sample is earlier than the one before it");
}

}  // namespace
}  // namespace dpm::sampling
