// Count arrays, their files, and the measures, against sums that are made the slow way.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/random.hpp"
#include "sampling/counts/count_file.hpp"
#include "sampling/counts/diagnostics.hpp"
#include "sampling/counts/measures.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

SamplingSetup setup() { return {"proc", 123'000'000, 2, "green", "6.18", "pid 7"}; }

Sample random_sample(Random& random) {
  Sample sample;
  sample.virtual_processes = static_cast<std::uint32_t>(1 + random.below(3));
  const std::uint64_t threads = random.below(6);
  for (std::uint64_t i = 0; i < threads; ++i)
    sample.threads.push_back({.state = static_cast<State>(random.below(kStates)),
                              .recognised = !random.chance(.1),
                              .in_foreground = random.chance(.5),
                              .virtual_process = static_cast<std::uint32_t>(random.below(sample.virtual_processes))});
  sample.levels = {sample.virtual_processes, static_cast<std::uint32_t>(random.below(3)),
                   static_cast<std::uint32_t>(random.below(5)),
                   random.chance(.3) ? kNoLevel : static_cast<std::uint32_t>(random.below(4))};
  sample.ran_ns = random.below(1000);
  sample.waited_ns = random.below(1000);
  sample.watched_ns = 2000;
  return sample;
}

std::vector<Sample> random_samples(std::uint64_t seed, int count) {
  Random random(seed);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) samples.push_back(random_sample(random));
  return samples;
}

CountArray array_of(const std::vector<Sample>& samples) {
  CountArray counts(setup());
  for (const auto& sample : samples) counts.add(sample);
  counts.account() = {
      .late = 3, .missed = 1, .delay_sum_ns = 99, .delay_most_ns = 50, .cpu_ns = 7, .elapsed_ns = 8, .unreadable = 2};
  counts.add_unrecognised("S wait_woken call 0 device", 4);
  return counts;
}

// Straight from the samples: the share in which some thread has one of these bits, for every resource of the list.
bool any_runs(const Sample& sample, Resource resource, bool or_queues) {
  return std::any_of(sample.threads.begin(), sample.threads.end(), [&](const ThreadSample& thread) {
    const StateInfo& info = info_of(thread.state);
    return thread.recognised && info.resource == resource && (or_queues || info.part == Part::running);
  });
}

TEST_CASE("diagnostics: the samples of each resource, those that are bad, and how unevenly they came", "[sampling]") {
  Diagnostics diagnostics;
  Sample sample;
  sample.virtual_processes = 1;
  sample.threads = {{.state = State::pipe_read},
                    {.state = State::pipe_write, .is_bad = true},
                    {.state = State::cpu_run, .recognised = false},
                    {.state = State::futex}};
  diagnostics.add(sample);
  diagnostics.add(sample);
  diagnostics.add_invalid();
  CHECK(diagnostics.samples(Resource::pipe) == 4);
  CHECK(diagnostics.bad(Resource::pipe) == 2);
  CHECK(diagnostics.samples(Resource::user_lock) == 2);
  CHECK(diagnostics.samples(Resource::cpu) == 0);
  CHECK(diagnostics.invalid() == 1);
  CHECK(diagnostics.jitter_ns() == 0);
  for (const std::uint64_t delay_ns : {1'000'000'000'002, 1'000'000'000'004, 1'000'000'000'004, 1'000'000'000'004,
                                       1'000'000'000'005, 1'000'000'000'005, 1'000'000'000'007, 1'000'000'000'009})
    diagnostics.add_delay(delay_ns);
  CHECK(diagnostics.jitter_ns() == Approx(2));
}

TEST_CASE("measures: utilisation, bottleneck and overlap are those of the samples", "[sampling]") {
  const auto samples = random_samples(1, 400);
  const CountArray counts = array_of(samples);
  const LevelCounts total = counts.total();
  const WordCounts& words = total.words[static_cast<std::size_t>(Scope::system)];
  const auto uses = resource_uses(words);
  REQUIRE(uses.size() == kResources);
  for (const auto& use : uses) {
    std::uint64_t runs = 0, either = 0;
    for (const auto& sample : samples) {
      runs += any_runs(sample, use.resource, false);
      either += any_runs(sample, use.resource, true);
    }
    CHECK(use.utilisation == share_of(runs, 400));
    CHECK(use.bottleneck == share_of(either, 400));
  }
  const std::array set = {Resource::cpu, Resource::disk, Resource::pipe};
  std::uint64_t all = 0;
  for (const auto& sample : samples)
    all += std::all_of(set.begin(), set.end(), [&](Resource resource) { return any_runs(sample, resource, false); });
  CHECK(overlap(words, set) == share_of(all, 400));
  for (const auto& pair : overlapping_pairs(words))
    CHECK(pair.share == overlap(words, std::array{pair.one, pair.other}));
}

TEST_CASE("scopes: foreground and background of each virtual process, and both together", "[sampling]") {
  Sample sample;
  sample.virtual_processes = 2;
  sample.threads = {
      {State::cpu_run, true, true, 0}, {State::pipe_read, true, false, 0}, {State::sleep, true, false, 1}};
  CountArray counts(setup());
  counts.add(sample);
  const auto total = counts.total();
  const auto& words = total.words;
  Stateword both(State::cpu_run);
  both |= Stateword(State::pipe_read);
  Stateword all = both;
  all |= Stateword(State::sleep);
  CHECK(words[0] == WordCounts{{Stateword(State::cpu_run), 1}});
  CHECK(words[1] == WordCounts{{Stateword(State::pipe_read), 1}, {Stateword(State::sleep), 1}});
  CHECK(words[2] == WordCounts{{both, 1}, {Stateword(State::sleep), 1}});
  CHECK(words[3] == WordCounts{{all, 1}});
}

TEST_CASE("scopes: the states of foreground and background are those of their threads, and sum to all", "[sampling]") {
  const auto samples = random_samples(5, 100);
  const LevelCounts total = array_of(samples).total();
  for (const bool in_foreground : {true, false}) {
    StateCounts slow;
    for (const auto& sample : samples) {
      bool has_one = false;
      for (const auto& thread : sample.threads) {
        if (thread.in_foreground != in_foreground) continue;
        has_one = true;
        thread.recognised ? ++slow.states[static_cast<std::size_t>(thread.state)] : ++slow.unrecognised;
      }
      slow.samples += has_one;
    }
    CHECK(total.of(in_foreground ? Scope::foreground : Scope::background) == slow);
  }
  CHECK(total.foreground.threads() + total.background.threads() == total.of(Scope::together).threads());
}

TEST_CASE("count files: what is written is read, and the sum of two halves is the whole", "[sampling]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const auto samples = random_samples(seed, 30);
    const CountArray counts = array_of(samples);
    const auto read = read_counts(to_text(counts), "a");
    REQUIRE(read);
    CHECK(*read == counts);
    CountArray first = array_of({samples.begin(), samples.begin() + 11});
    const CountArray second = array_of({samples.begin() + 11, samples.end()});
    REQUIRE(first.merge(second));
    for (const Workload workload : {Workload::users, Workload::awake, Workload::runnable, Workload::requests})
      CHECK(first.levels(workload) == counts.levels(workload));
    CHECK(first.account().late == 6);
    CHECK(first.unrecognised().at("S wait_woken call 0 device") == 8);
  }
}

TEST_CASE("count files: samples without a level of workload are in the other measures only", "[sampling]") {
  Sample sample;
  CountArray counts(setup());
  counts.add(sample);
  CHECK(counts.levels(Workload::requests).empty());
  CHECK(to_text(counts).find("requests") == std::string::npos);
  sample.levels[static_cast<std::size_t>(Workload::requests)] = 50;
  counts.add(sample);
  CHECK(counts.levels(Workload::requests).at(50).samples == 1);
  CHECK(counts.levels(Workload::users).at(0).samples == 2);
}

TEST_CASE("count files: rates are levels in steps of 1, 2 and 5", "[sampling]") {
  CHECK(level_of_rate(0) == 0);
  CHECK(level_of_rate(.9) == 0);
  CHECK(level_of_rate(1) == 1);
  CHECK(level_of_rate(4.99) == 2);
  CHECK(level_of_rate(10) == 10);
  CHECK(level_of_rate(99'999) == 50'000);
  CHECK(level_of_rate(1e12) == 500'000'000);
}

TEST_CASE("count files: arrays that do not fit are not added", "[sampling]") {
  const auto refused = [](auto change) {
    CountArray one(setup());
    SamplingSetup other = setup();
    change(other);
    const auto merged = one.merge(CountArray(other));
    return merged ? std::string("merged") : merged.error().what;
  };
  CHECK(refused([](auto&) {}) == "merged");
  CHECK(refused([](auto& s) { s.machine = "red"; }) == "merged");
  CHECK(refused([](auto& s) { s.source = "simulation"; }) ==
        "the states come from 'proc' and from 'simulation', which do not find the same");
  CHECK(refused([](auto& s) { s.interval_ns = 1'000'000'000; }) == "the intervals differ: 0.123 s and 1 s");
  CHECK(refused([](auto& s) { s.cores = 8; }) == "the machines differ: 2 and 8 cores");
}

TEST_CASE("count files: machines and selections of a sum are named once", "[sampling]") {
  CountArray sum(setup());
  SamplingSetup other = setup();
  other.machine = "red";
  other.selection = "pid 8";
  REQUIRE(sum.merge(CountArray(other)));
  REQUIRE(sum.merge(CountArray(setup())));
  REQUIRE(sum.merge(CountArray(other)));
  CHECK(sum.setup().machine == "green, red");
  CHECK(sum.setup().selection == "pid 7, pid 8");
}

TEST_CASE("count files: a damaged file is refused with its line", "[sampling]") {
  const std::string text = to_text(array_of(random_samples(3, 5)));
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    const auto read = read_counts(damaged, "a.counts");
    return read ? std::string("read") : read.error().what;
  };
  CHECK(complaint("dpm counts 3", "dpm counts 1") ==
        "a.counts:1: counts of version '1'; this dpm reads versions 2 and 3");
  CHECK(complaint("dpm counts 3", "hello") == "a.counts: not a file of counts ('dpm sample -o FILE' writes one)");
  CHECK(complaint("states cpu_run ", "states ") == "a.counts:9: the states are those of another version of dpm");
  CHECK(complaint("late 3", "late three") == "a.counts:10: 'three' is not a number");
  CHECK(complaint("late 3", "early 3") == "a.counts:10: 'early' is not a line of a file of counts");
  CHECK(complaint("\nend ", "\n").find("is not a line of a file of counts") != std::string::npos);
  CHECK(complaint("state ", "state no_").find("is not a state") != std::string::npos);
  CHECK(complaint("word system ", "word system ffffffffffffffff").find("is not a") != std::string::npos);
  for (std::size_t length = 0; length < text.size(); ++length) CHECK_FALSE(read_counts(text.substr(0, length), "a"));
  CHECK_FALSE(read_counts(text + "late 4\n", "a"));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string flipped = text;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 7)));
    INFO("byte " << at);
    CHECK_FALSE(read_counts(flipped, "a"));
  }
}

// As an older dpm wrote it: without the check behind `end`.
std::string of_version_2(const CountArray& counts) {
  std::string text = to_text(counts);
  text.replace(text.find("counts 3"), 8, "counts 2");
  return text.substr(0, text.rfind("\nend ")) + "\nend\n";
}

TEST_CASE("count files: those of version 2 are read, and what does not add up is refused", "[sampling]") {
  Sample sample;
  sample.virtual_processes = 1;
  sample.threads = {{.state = State::sleep}, {.state = State::cpu_run, .in_foreground = true}};
  CountArray counts(setup());
  for (int i = 0; i < 5; ++i) counts.add(sample);
  const std::string text = of_version_2(counts);
  REQUIRE(read_counts(text, "a"));
  CHECK(*read_counts(text, "a") == counts);
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    const auto read = read_counts(damaged, "a");
    return read ? std::string("read") : read.error().what;
  };
  const auto refused_for = [&](const std::string& from, const std::string& to, const std::string& why) {
    const std::string what = complaint(from, to);
    INFO(what);
    return what.find(why) != std::string::npos;
  };
  CHECK(refused_for("\nstate sleep 5", "\nstate sleep 4", "state sleep is 4 in all, but 0 in the foreground and 5"));
  CHECK(refused_for("\nstate sleep 5", "\nstate sleep 18446744073709551615", "more than can have been counted"));
  CHECK(refused_for("\nunrecognised 0", "\nunrecognised 1", "unrecognised is 1 in all, but 0 in the foreground"));
  CHECK(refused_for("foreground samples 5", "foreground samples 6", "a part of the threads has 6 samples, all have 5"));
  CHECK(refused_for("\nword system", "\nword together", "5 samples have 0 statewords of system"));
  CHECK(
      refused_for("workload awake\nlevel", "workload requests\nlevel", "there are 5 samples by users and 0 by awake"));
  CHECK(refused_for("source proc", "source prog", "'prog' is not a source of samples (proc, task-iterator, trace)"));
  CHECK(refused_for("interval_ns 123000000", "interval_ns 0", "interval_ns is missing, or 0"));
  CHECK(refused_for("\nend\n", "\nend", "the file ends early"));
  CHECK(refused_for("\nend\n", "\nend\nmore\n", "there is text after the end"));
}

TEST_CASE("shares: the interval is that of Wilson, and has the true share in 95 of 100 runs", "[sampling]") {
  CHECK(share_of(0, 0).high == 1);
  const Share none = share_of(0, 100);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(.0370).margin(.0002));
  const Share half = share_of(50, 100);
  CHECK(half.low == Approx(.4038).margin(.0002));
  CHECK(half.high == Approx(.5962).margin(.0002));
  Random random(7);
  for (const double truth : {.02, .3, .5, .9}) {
    int covered = 0;
    for (int run = 0; run < 1000; ++run) {
      std::uint64_t hits = 0;
      for (int i = 0; i < 200; ++i) hits += random.chance(truth);
      const Share share = share_of(hits, 200);
      covered += share.low <= truth && truth <= share.high;
    }
    CHECK(covered >= 920);
  }
}

TEST_CASE("groups: named states are one component, the rest is other", "[sampling]") {
  const std::vector<std::string> texts = {"CPU=cpu_run,cpu_queue", "Input=terminal_input"};
  const auto groups = read_groups(texts);
  REQUIRE(groups);
  REQUIRE(groups->size() == 3);
  CHECK((*groups)[0] == StateGroup{"CPU", {State::cpu_run, State::cpu_queue}});
  CHECK((*groups)[2].states.size() == kStates - 3);
  LevelCounts counts;
  counts.samples = 50;
  counts.states[0] = 10;
  counts.states[1] = 20;
  counts.states[static_cast<std::size_t>(State::child)] = 60;
  counts.unrecognised = 10;
  const auto parts = components(counts, *groups);
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].share.value == .3);
  CHECK(parts[0].share.samples == 50);
  CHECK(parts[1].share.value == 0);
  CHECK(parts[2].share.value == .6);
  CHECK(parts[3].name == "unrecognised");
  CHECK(parts[3].share.value == .1);
}

TEST_CASE("groups: wrong ones are refused with what to try", "[sampling]") {
  const auto refused = [](const std::vector<std::string>& texts) {
    const auto groups = read_groups(texts);
    return groups ? std::string("read") : groups.error().what;
  };
  CHECK(refused({"CPU=cpu_runs"}) ==
        "--group CPU: 'cpu_runs' is not a state (did you mean 'cpu_run'?); 'dpm sample report --states' lists them");
  CHECK(refused({"CPU"}) == "--group 'CPU': write NAME=STATE,STATE, as in CPU=cpu_run,cpu_queue");
  CHECK(refused({"T=timed sleep"}) == "--group T: 'timed sleep' is not the name of a state (it is 'sleep')");
  CHECK(refused({"other=sleep"}) == "--group other: 'other' is the name of the states in no group; choose another");
  CHECK(refused({"unrecognised=sleep"}).find("choose another") != std::string::npos);
  CHECK(refused({"A=sleep", "A=child"}).starts_with("--group A: there is a group of this name already"));
  CHECK(refused({"A=cpu_run", "B=cpu_run"}) == "--group B: 'cpu_run' is already in a group");
  const auto resources = read_resources("cpu,dsk");
  REQUIRE_FALSE(resources);
  CHECK(resources.error().what ==
        "'dsk' is not a resource (did you mean 'disk'?); 'dpm sample report --states' lists them");
}

}  // namespace
}  // namespace dpm::sampling
