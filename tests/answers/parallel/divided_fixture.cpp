#include "tests/answers/parallel/divided_fixture.hpp"

#include <algorithm>
#include <sstream>

#include "answers/parallel/ranks/thread_ranks.hpp"
#include "cli/divided/divided_commands.hpp"
#include "cli/divided/divided_run.hpp"
#include "filter/event_filter.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_system.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::test {
namespace {

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  int argc() const { return static_cast<int>(words_.size()); }
  char** argv() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

std::vector<std::string> words_of(const CommandLine& line, const std::string& trace) {
  std::vector<std::string> words = {"dpm"};
  words.insert(words.end(), line.begin(), line.end());
  words.push_back(trace);
  return words;
}

}  // namespace

void write_trace(const std::string& directory, const Recording& recording, const TraceForm& form,
                 std::size_t packet_events) {
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(directory, describe_events(recording.info.filters, rules), form).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(recording.info);
  const std::span<const Event> events = recording.events;
  for (std::size_t i = 0; i < events.size(); i += packet_events) {
    filter.on_events(events.subspan(i, std::min(packet_events, events.size() - i)));
    writer->flush();
  }
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  REQUIRE(writer->status());
}

Printed alone(const CommandLine& line, const std::string& trace) {
  Words words(words_of(line, trace));
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const int status = cli::run_command_line(divided_commands(), words.argc(), words.argv(), terminal);
  return {status, out.str(), err.str()};
}

Printed together(std::uint32_t workers, const CommandLine& line, const std::string& trace) {
  Printed printed;
  ThreadRanks::run(workers, [&](Ranks& ranks) {
    Words words(words_of(line, trace));
    std::ostringstream out, err;
    Terminal terminal{out, err};
    const int status = run_divided(ranks, divided_commands, words.argc(), words.argv(), terminal);
    if (ranks.is_first()) printed = {status, out.str(), err.str()};
  });
  return printed;
}

// Returns whether a worker had to do it alone.
bool check_same(const std::string& trace, const CommandLine& line, std::uint32_t workers) {
  const Printed one = alone(line, trace);
  Printed all = together(workers, line, trace);
  INFO("dpm " << line.front() << ' ' << trace << " with " << workers << " workers: " << all.err);
  const bool was_alone = all.err.starts_with("note: one rank");
  if (was_alone) all.err.erase(0, all.err.find('\n') + 1);
  CHECK(all.status == one.status);
  CHECK(all.out == one.out);
  CHECK(all.err == one.err);
  return was_alone;
}

Recording recording_of(std::uint64_t seed) {
  RandomShape shape;
  shape.processes = 3 + static_cast<std::uint32_t>(seed % 6);
  shape.machines = 1 + static_cast<std::uint32_t>(seed % 4);
  shape.generations = 4;
  shape.message_cpu = seed % 2 == 1;
  shape.speeds = seed % 3 == 1;
  shape.cores = seed % 5 == 1;
  shape.data = seed % 4 == 1;
  shape.created = seed % 3 == 2;
  ObviousSystem system = random_system(seed, shape);
  const auto placement = random_placement(seed, system.info);
  for (std::size_t p = 0; p < placement.size(); ++p) system.info.processes[p].machine = placement[p];
  Recording recording;
  recording.events = simulate(system, placement).events;
  recording.info = std::move(system.info);
  return recording;
}

}  // namespace dpm::test
