// A compressed trace is the plain one, but for the bytes of its packets.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/trace/babeltrace.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/packed_packet.hpp"
#include "trace/repack.hpp"
#include "trace/sidecar.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

namespace fs = std::filesystem;

const std::string kStream = "/ctf/machine_0_filter_0";

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::set<std::string> files_below(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder).string());
  return files;
}

std::uintmax_t bytes_below(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const std::string& file : files_below(folder)) bytes += fs::file_size(folder + '/' + file);
  return bytes;
}

void check_same_files(const std::string& a, const std::string& b) {
  REQUIRE(files_below(a) == files_below(b));
  for (const std::string& file : files_below(a)) {
    INFO(file);
    CHECK(bytes_of(a + '/' + file) == bytes_of(b + '/' + file));
  }
}

std::vector<Event> all_of(const std::string& directory) {
  auto reader = TraceReader::open(directory).value();
  auto back = read_back(reader);
  CHECK(back.losses.lost() == 0);
  return std::move(back.events);
}

std::vector<Event> part_of(const std::string& directory, const TraceReader::Part& part) {
  auto reader = TraceReader::open(directory).value();
  REQUIRE(reader.can_be_read_in_parts());
  const PacketIndex index = reader.index().value();
  std::vector<Event> events;
  const auto delivered = reader.read_part(
      index, part, [&](std::span<const Event> batch) { events.insert(events.end(), batch.begin(), batch.end()); });
  REQUIRE(delivered);
  return events;
}

// Events of a program: what it does repeats, and times grow.
std::vector<Event> steady_events(std::size_t count, const TraceInfo& info) {
  std::vector<Event> events = random_events(1, 50, info);
  for (Event& event : events) event.flags = 0;
  for (std::size_t i = 0; events.size() < count; ++i) events.push_back(events[i]);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].local_time.ns = static_cast<std::int64_t>(1000 * i);
    events[i].proc_time_ns = 500 * i;
  }
  return events;
}

struct BothForms {
  TemporaryFolder folder;
  TraceInfo info = small_info(2, 6, 4);
  std::vector<Event> events = steady_events(20'000, info);
  std::string plain = folder / "plain", compressed = folder / "compressed";

  BothForms() {
    write_trace(plain, info, events);
    write_trace(compressed, info, events, TraceForm{.compressed = true});
  }
};

}  // namespace

TEST_CASE("compressed trace: it has the same events in a fraction of the bytes", "[trace]") {
  const BothForms both;
  CHECK(bytes_below(both.compressed) * 3 < bytes_below(both.plain));
  CHECK(same_by_process(all_of(both.plain), all_of(both.compressed), both.info));
}

TEST_CASE("compressed trace: parts of it are read by its index", "[trace]") {
  const BothForms both;
  const TraceReader::Part of_process{[](ProcessId process) { return process.value == 3; }};
  const TraceReader::Part of_time{[](ProcessId) { return true; },
                                  [](MachineId) {
                                    return TimeSpan{{5'000'000}, {5'100'000}};
                                  }};
  for (const auto& part : {of_process, of_time}) {
    const auto events = part_of(both.compressed, part);
    CHECK(!events.empty());
    CHECK(events.size() < both.events.size());
    CHECK(same_by_process(part_of(both.plain, part), events, both.info));
  }
  const std::string index = bytes_of(both.compressed + "/index");
  fs::remove(both.compressed + "/index");
  part_of(both.compressed, of_process);
  CHECK(bytes_of(both.compressed + "/index") == index);
}

TEST_CASE("compressed trace: made of a plain one and made plain again, it has the bytes that it had", "[trace]") {
  const BothForms both;
  const auto there = repack_trace(both.plain, both.folder / "there", true);
  REQUIRE(there);
  CHECK(there->damage.empty());
  CHECK(there->bytes_after * 3 < there->bytes_before);
  check_same_files(both.folder / "there", both.compressed);
  REQUIRE(repack_trace(both.folder / "there", both.folder / "back", false));
  check_same_files(both.folder / "back", both.plain);
}

TEST_CASE("compressed trace: one that was killed while it was recorded is made plain, up to where it was written",
          "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = steady_events(3000, info);
  for (const bool compressed : {false, true}) {
    const std::string path = folder / (compressed ? "compressed" : "plain");
    std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
    auto writer = TraceWriter::create(path, describe_events({"filter"}, rules), {.compressed = compressed}).value();
    EventFilter filter(std::move(rules), *writer);
    filter.on_begin(info);
    filter.on_events(events);
    writer->checkpoint();
    CHECK_THAT(repack_trace(path, folder / "early", !compressed).error().what, Catch::Contains("is being recorded"));
  }
  REQUIRE(repack_trace(folder / "compressed", folder / "back", false));
  fs::remove(folder / "plain/reserve");
  check_same_files(folder / "back", folder / "plain");
}

TEST_CASE("compressed trace: damage is left out and stays the loss that it was", "[trace]") {
  const BothForms both;
  std::string damaged = bytes_of(both.plain + kStream);
  damaged[1000] = static_cast<char>(damaged[1000] ^ 1);
  write_bytes(both.plain + kStream, damaged);
  const auto repacked = repack_trace(both.plain, both.folder / "there", true);
  REQUIRE(repacked);
  REQUIRE(repacked->damage.size() == 1);
  CHECK_THAT(repacked->damage[0], Catch::Contains("machine_0_filter_0 has a packet with a wrong checksum at byte 0"));
  auto before = TraceReader::open(both.plain).value(), after = TraceReader::open(both.folder / "there").value();
  const ReadBack old = read_back(before), made = read_back(after);
  CHECK(same_by_process(old.events, made.events, both.info));
  CHECK(old.losses.lost() == made.losses.lost());
  CHECK(made.losses.lost() > 0);
}

TEST_CASE("compressed trace: what cannot be made is refused, and nothing is overwritten", "[trace]") {
  const BothForms both;
  const auto error_of = [&](const std::string& from, const std::string& to, bool compressed) {
    const auto done = repack_trace(from, to, compressed);
    REQUIRE_FALSE(done);
    return done.error().what;
  };
  CHECK_THAT(error_of(both.plain, both.folder / "new", false), Catch::Contains("is a plain trace already"));
  CHECK_THAT(error_of(both.compressed, both.folder / "new", true), Catch::Contains("is compressed already"));
  CHECK_THAT(error_of(both.plain, both.compressed, true), Catch::Contains("exists already"));
  CHECK_THAT(error_of(both.folder / "nothing", both.folder / "new", true), Catch::Contains("no such directory"));
  CHECK_FALSE(fs::exists(both.folder / "new"));
}

TEST_CASE("compressed trace: a way to compress that this program does not know is named", "[trace]") {
  const BothForms both;
  const std::string text = bytes_of(both.compressed + "/trace.json");
  CHECK_THAT(text, Catch::Contains("\"version\": 4"));  // its random events include SUMMARYs
  write_bytes(both.compressed + "/trace.json", std::regex_replace(text, std::regex("\"zstd\""), "\"better\""));
  const auto reader = TraceReader::open(both.compressed);
  REQUIRE_FALSE(reader);
  CHECK_THAT(reader.error().what, Catch::Contains("compressed in a way that this program does not know"));
}

TEST_CASE("compressed trace: babeltrace2 refuses it, and reads what it was made of again", "[trace]") {
  const BothForms both;
  const std::string command = fmt::format("babeltrace2 '{}' >/dev/null 2>&1", both.compressed);
  CHECK(std::system(command.c_str()) != 0);
  REQUIRE(repack_trace(both.compressed, both.folder / "back", false));
  CHECK(babeltrace(both.folder / "back").size() == both.events.size());
}

TEST_CASE("compressed trace: packets that are right outside and wrong inside are losses", "[trace]") {
  const BothForms both;
  std::string stream = bytes_of(both.compressed + kStream);
  PacketHead head;
  std::memcpy(&head, stream.data(), sizeof head);
  const std::size_t size = head.packet_size_bits / 8;
  const auto sound = all_of(both.compressed).size();
  const auto reseal = [&](PacketHead with, std::size_t at, char value) {
    std::string changed = stream;
    changed[at] = value;
    seal(std::as_writable_bytes(std::span(changed).first(size)), with);
    write_bytes(both.compressed + kStream, changed);
    auto reader = TraceReader::open(both.compressed).value();
    const ReadBack back = read_back(reader);
    CHECK(back.events.size() + back.losses.lost() == sound);
    CHECK(reader.ledger().balanced());
    return back.losses.losses.empty() ? std::string() : back.losses.losses[0].reason;
  };
  CHECK(reseal(head, sizeof head, stream[sizeof head]).empty());
  CHECK_THAT(reseal(head, sizeof head, 'x'), Catch::Contains("a packet that cannot be unpacked at byte 0"));
  PacketHead larger = head;
  larger.content_size_bits += 8;
  CHECK_THAT(reseal(larger, sizeof head, stream[sizeof head]), Catch::Contains("cannot be unpacked"));
  larger.content_size_bits = 8 * (kPacketBytesMax + 1);
  CHECK_THAT(reseal(larger, sizeof head, stream[sizeof head]), Catch::Contains("cannot be unpacked"));
}
