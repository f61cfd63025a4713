// Call stacks: from what the kernel reports to counts by function, and the forms that other tools read.
#include "sampling/stacks/stack_profile.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "answers/sampling/stack_formats.hpp"
#include "answers/sampling/stack_results.hpp"
#include "sampling/stacks/named_stacks.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

using Kind = StackRecord::Kind;

StackRecord named(std::uint32_t pid, const std::string& name, bool is_exec = true) {
  return {.kind = Kind::name, .pid = pid, .tid = pid, .is_exec = is_exec, .text = name};
}
StackRecord mapped(std::uint32_t pid, const std::string& path, std::uint64_t start, std::uint64_t end,
                   std::uint64_t offset = 0) {
  return {
      .kind = Kind::mapping, .pid = pid, .tid = pid, .text = path, .start = start, .end = end, .file_offset = offset};
}
StackRecord found(std::uint32_t pid, std::vector<std::uint64_t> stack) {
  return {.kind = Kind::stack, .pid = pid, .tid = pid, .stack = std::move(stack)};
}
StackRecord began(std::uint32_t pid, std::uint32_t tid, std::uint32_t parent) {
  return {.kind = Kind::began, .pid = pid, .tid = tid, .parent_pid = parent};
}
StackRecord ended(std::uint32_t pid, std::uint32_t tid) { return {.kind = Kind::ended, .pid = pid, .tid = tid}; }

// Functions of 0x100 bytes each: "main", "f", "g".
std::string function_at(const CodePlace& place) {
  static const std::map<std::uint64_t, std::string> names = {{0, "main"}, {1, "f"}, {2, "g"}};
  const auto name = names.find(place.offset >> 8);
  return name == names.end() ? "" : name->second;
}

NamedStacks named_stacks(const std::vector<StackRecord>& records) {
  StackProfile profile;
  for (const auto& record : records) profile.add(record);
  StackNaming naming;
  naming.take(profile, function_at);
  NamedStacks stacks = std::move(naming).finish(profile);
  stacks.interval_ns = 10'000'000;
  return stacks;
}

const std::vector<StackRecord> kProgram = {named(1, "program"), mapped(1, "/bin/program", 0x1000, 0x2000)};

std::vector<StackRecord> with_program(std::vector<StackRecord> records) {
  records.insert(records.begin(), kProgram.begin(), kProgram.end());
  return records;
}

TEST_CASE("stacks: a folded line has the program, the calls from the outermost on, and the count", "[sampling]") {
  const auto stacks = named_stacks(with_program(
      {found(1, {0x1210, 0x1110, 0x1010}), found(1, {0x1234, 0x1123, 0x1010}), found(1, {0x1110, 0x1010})}));
  CHECK(cli::folded_text(stacks) == "program;main;f 1\nprogram;main;f;g 2\n");
}

TEST_CASE("stacks: a call that is its function's last instruction belongs to that function", "[sampling]") {
  CHECK(cli::folded_text(named_stacks(with_program({found(1, {0x1200, 0x1100})}))) == "program;main;g 1\n");
}

TEST_CASE("stacks: frames without a name have their file's, or none, and are counted", "[sampling]") {
  const auto stacks = named_stacks(with_program({found(1, {0x1510, 0x9999, 0x1010})}));
  CHECK(cli::folded_text(stacks) == "program;main;[unknown];[program] 1\n");
  const auto unnamed = stacks.unnamed_frames();
  REQUIRE(unnamed.size() == 2);
  CHECK((unnamed[0].frames == 1 && unnamed[1].frames == 1));
  CHECK(stacks.frames() == 3);
}

TEST_CASE("stacks: a child has its parent's code until it executes a program, a thread always", "[sampling]") {
  const auto stacks = named_stacks(with_program(
      {began(1, 1, 1), began(1, 11, 1), began(2, 2, 1), found(2, {0x1110, 0x1010}), named(2, "other"),
       found(2, {0x1110, 0x1010}), ended(1, 1), found(1, {0x1210, 0x1010}), ended(1, 11), found(1, {0x1210, 0x1010})}));
  CHECK(cli::folded_text(stacks) ==
        "[unknown];[unknown];[unknown] 1\nother;[unknown];[unknown] 1\nprogram;main;f 1\nprogram;main;g 1\n");
}

TEST_CASE("stacks: a thread's own name is not the program's", "[sampling]") {
  auto thread_name = named(1, "worker", false);
  thread_name.tid = 11;
  CHECK(cli::folded_text(named_stacks(with_program({thread_name, found(1, {0x1010})}))) == "program;main 1\n");
}

TEST_CASE("stacks: of overlapping mappings the last one applies, as in a table of all addresses", "[sampling]") {
  constexpr std::uint64_t kAddresses = 64;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    StackProfile profile;
    std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> slow;  // by address
    profile.add(named(1, "program"));
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t start = random() % kAddresses, end = start + random() % (kAddresses - start);
      const std::uint64_t offset = random() % 1000;
      const std::string path = "/lib/" + std::to_string(i);
      profile.add(mapped(1, path, start, end, offset));
      for (std::uint64_t address = start; address < end; ++address) slow[address] = {path, offset + address - start};
    }
    for (std::uint64_t address = 0; address < kAddresses; ++address) {
      profile.add(found(1, {address}));
      const auto counts = profile.take_counts();
      REQUIRE(counts.size() == 1);
      const CodePlace place = counts.begin()->first.places.front();
      if (slow.contains(address)) {
        REQUIRE(place.file != CodePlace::kNoFile);
        CHECK(profile.files()[place.file].path == slow[address].first);
        CHECK(place.offset == slow[address].second);
      } else {
        CHECK((place.file == CodePlace::kNoFile && place.offset == address));
      }
    }
  }
}

TEST_CASE("stacks: self and total are those of a slow count, also of functions that call themselves", "[sampling]") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    auto records = kProgram;
    std::map<std::string, std::uint64_t> self, total;
    for (int i = 0; i < 200; ++i) {
      std::vector<std::uint64_t> stack;
      std::set<std::string> names;
      for (std::size_t depth = 0; depth < 1 + random() % 5; ++depth) {
        stack.push_back(0x1010 + 0x100 * (random() % 3));
        names.insert(function_at({0, stack.back() - 0x1000}));
      }
      ++self[function_at({0, stack.front() - 0x1000})];
      for (const auto& name : names) ++total[name];
      records.push_back(found(1, stack));
    }
    const auto stacks = named_stacks(records);
    std::uint64_t last = UINT64_MAX;
    for (const auto& time : stacks.by_time()) {
      CHECK(time.self.hits == self[stacks.functions[time.function].name]);
      CHECK(time.total.hits == total[stacks.functions[time.function].name]);
      CHECK(time.self.hits <= last);
      last = time.self.hits;
    }
  }
}

TEST_CASE("stacks: a name cannot end a line or a frame of folded text", "[sampling]") {
  const auto stacks =
      named_stacks({named(1, "a;b\nc"), mapped(1, "/bin/x;y\xff", 0x1000, 0x2000), found(1, {0x1f00, 0x1010})});
  CHECK(cli::folded_text(stacks) == "a:b\\x0ac;main;[x:y\\xff] 1\n");
  CHECK(nlohmann::json::parse(cli::speedscope_json(stacks, "\xff").dump())["name"] == "\\xff");
}

TEST_CASE("stacks: the JSON is what speedscope's schema of sampled profiles wants", "[sampling]") {
  const auto stacks = named_stacks(with_program({found(1, {0x1210, 0x1010}), found(1, {0x1210, 0x1010}),
                                                 found(1, {0x1010}), named(2, "other"), found(2, {0x4000})}));
  const auto json = cli::speedscope_json(stacks, "make -j4");
  CHECK(json["$schema"] == "https://www.speedscope.app/file-format-schema.json");
  const auto& frames = json["shared"]["frames"];
  REQUIRE(json["profiles"].size() == 2);
  for (const auto& profile : json["profiles"]) {
    CHECK(profile["type"] == "sampled");
    CHECK(profile["unit"] == "nanoseconds");
    CHECK(profile["startValue"] == 0);
    REQUIRE(profile["samples"].size() == profile["weights"].size());
    std::uint64_t sum = 0;
    for (const auto& weight : profile["weights"]) sum += weight.get<std::uint64_t>();
    CHECK(profile["endValue"] == sum);
    for (const auto& sample : profile["samples"])
      for (const auto& frame : sample) CHECK(frame.get<std::size_t>() < frames.size());
  }
  CHECK(json["profiles"][0]["name"] == "program");
  CHECK(json["profiles"][0]["endValue"] == 30'000'000);
  const auto& outermost = json["profiles"][0]["samples"][0][0];
  CHECK(frames[outermost.get<std::size_t>()]["name"] == "main");
  CHECK(frames[outermost.get<std::size_t>()]["file"] == "program");
}

TEST_CASE("stacks: without any, the files are still whole", "[sampling]") {
  const auto stacks = named_stacks({});
  CHECK(cli::folded_text(stacks).empty());
  CHECK(cli::speedscope_json(stacks, "true")["profiles"].empty());
  CHECK(cli::stacks_json(stacks)["functions"].empty());
  CHECK(cli::stacks_text(stacks, 100).find("lost: nothing") != std::string::npos);
}

TEST_CASE("stacks: a program is without frame pointers if most of its stacks do not reach its beginning",
          "[sampling]") {
  struct Case {
    std::vector<std::uint64_t> stack;
    bool lacks;
  };
  const std::vector<Case> cases = {
      {{0x1010}, true},          {{0x1010, 0x9999}, true}, {{0x1110, 0x9999, 0x1010}, false},
      {{0x1110, 0x1010}, false}, {{0x9999}, false},  // generated code, or its mapping was lost
      {{0x9999, 0x9999}, false}};
  for (const auto& [stack, lacks] : cases) {
    auto records = kProgram;
    for (int i = 0; i < 25; ++i) records.push_back(found(1, stack));
    CHECK(named_stacks(records).by_program().front().lacks_frame_pointers() == lacks);
  }
}

TEST_CASE("stacks: what is missing is printed", "[sampling]") {
  auto records = kProgram;
  for (int i = 0; i < 30; ++i) records.push_back(found(1, {0x1010}));
  records.push_back(found(1, std::vector<std::uint64_t>(127, 0x1010)));
  records.push_back({.kind = Kind::lost, .lost = 5});
  records.push_back({.kind = Kind::lost});
  records.push_back({.kind = Kind::throttled});
  const auto text = cli::stacks_text(named_stacks(records), 200);
  for (const char* wanted : {"lost: 5 records", "lost: stacks after 1 times", "cut: 1 stacks",
                             "program: 30 of its 31 stacks have one frame, or callers in no file; it was probably "
                             "compiled without frame pointers"})
    CHECK(text.find(wanted) != std::string::npos);
  CHECK(text.find("perhaps") == std::string::npos);
  const auto unknown = cli::stacks_text(named_stacks({{.kind = Kind::lost}}), 200);
  CHECK(unknown.find("lost: perhaps some records") != std::string::npos);
}

}  // namespace
}  // namespace dpm::sampling
