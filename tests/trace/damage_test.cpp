#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/ctf_packet.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TraceForm plain_or_compressed() { return {.compressed = GENERATE(false, true)}; }

PacketHead first_head(const std::string& stream) {
  PacketHead head;
  std::memcpy(&head, stream.data(), sizeof head);
  return head;
}

// Packets of three records, so that a small trace has many.
void write_small_packets(const std::string& directory, const TraceInfo& info, std::span<const Event> events,
                         const TraceForm& form) {
  fs::remove_all(directory);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(directory, describe_events(info.filters, rules), form).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  for (std::size_t i = 0; i < events.size(); i += 3) {
    filter.on_events(events.subspan(i, std::min<std::size_t>(3, events.size() - i)));
    writer->flush();
  }
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  REQUIRE(first_head(bytes_of(directory + "/ctf/machine_0_filter_0")).magic ==
          (form.compressed ? kPackedMagic : kCtfMagic));
}

// Whatever was done to the directory, the ledger adds up and nothing is delivered that was never written.
void check_sound(const std::string& directory, std::span<const Event> written, std::uint64_t expected_seen) {
  auto reader = TraceReader::open(directory);
  INFO((reader ? "" : reader.error().what));
  REQUIRE(reader);
  const auto back = read_back(*reader);
  CHECK(back.losses.seen == back.events.size() + back.losses.lost());
  CHECK(back.losses.seen == expected_seen);
  CHECK(reader->ledger().balanced());
  for (const Event& event : back.events) {
    const bool was_written =
        std::any_of(written.begin(), written.end(), [&](const Event& other) { return same_event(event, other); });
    if (!was_written) FAIL("an event that was never written");
  }
}

std::string stream_of(const std::string& directory) { return directory + "/ctf/machine_0_filter_0"; }

}  // namespace

TEST_CASE("trace: cut at every byte, it is read up to the cut and the rest is counted", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(1, 10, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  std::size_t read_before = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write_bytes(stream_of(directory), whole.substr(0, length));
    INFO("cut to " << length << " of " << whole.size() << " bytes");
    check_sound(directory, events, events.size());
    auto reader = TraceReader::open(directory).value();
    const auto back = read_back(reader);
    CHECK(back.events.size() >= read_before);
    read_before = back.events.size();
    if (length > 0 && length < whole.size())
      CHECK_THAT(back.losses.losses.at(0).reason, Catch::Contains("stream machine_0_filter_0 is cut short"));
  }
  CHECK(read_before == events.size());
}

TEST_CASE("trace: with any bit of a stream flipped, nothing wrong is delivered", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(2, 10, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    write_bytes(stream_of(directory), damaged);
    INFO("bit " << i % 8 << " of byte " << i);
    check_sound(directory, events, events.size());
    auto reader = TraceReader::open(directory).value();
    CHECK(read_back(reader).events.size() < events.size());
  }
}

TEST_CASE("trace: a missing packet is a loss, and what follows it is still read", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(3, 9, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  const std::size_t first = first_head(whole).packet_size_bits / 8;
  write_bytes(stream_of(directory), whole.substr(first));
  auto reader = TraceReader::open(directory).value();
  const auto back = read_back(reader);
  CHECK(back.events.size() == 6);
  REQUIRE(back.losses.losses.size() == 1);
  CHECK(back.losses.losses[0].reason == "stream machine_0_filter_0 lacks packets in its middle");
  CHECK(back.losses.losses[0].events == 3);
}

TEST_CASE("trace: a damaged packet costs only its own events", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(3, 30, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  const std::size_t first = first_head(whole).packet_size_bits / 8;
  for (std::size_t i = 0; i < first; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    write_bytes(stream_of(directory), damaged);
    INFO("byte " << i << " of a packet of " << first);
    auto reader = TraceReader::open(directory).value();
    const auto back = read_back(reader);
    CHECK(back.events.size() == 27);
    REQUIRE(back.losses.losses.size() == 1);
    CHECK_THAT(back.losses.losses[0].reason, Catch::Contains("at byte 0"));
    CHECK(back.losses.losses[0].events == 3);
  }
}

TEST_CASE("trace: in an unfinished trace the number of missing packets is reported", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(3, 30, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string sidecar = bytes_of(directory + "/trace.json");
  const auto unfinished = std::regex_replace(sidecar, std::regex("\"finished\""), "\"recording\"");
  write_bytes(directory + "/trace.json",
              std::regex_replace(unfinished, std::regex("\"records\": *30"), "\"records\": 0"));
  std::string damaged = bytes_of(stream_of(directory));
  damaged[100] = static_cast<char>(damaged[100] ^ 1);
  write_bytes(stream_of(directory), damaged);
  auto reader = TraceReader::open(directory).value();
  const auto back = read_back(reader);
  CHECK(back.events.size() == 27);
  REQUIRE(back.losses.losses.size() == 1);
  CHECK_THAT(
      back.losses.losses[0].reason,
      Catch::Contains("has a packet with a wrong checksum at byte 0, lacks 1 packet in its middle; how many events"));
}

TEST_CASE("trace: bytes between packets cost nothing, and two damaged places are both counted", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(3, 30, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  const std::size_t first = first_head(whole).packet_size_bits / 8;
  // Junk longer than the reader's buffer, which begins like a packet.
  const std::string junk = whole.substr(0, 4) + std::string(1'000'000, 'x');
  write_bytes(stream_of(directory), whole.substr(0, first) + junk + whole.substr(first));
  auto all = TraceReader::open(directory).value();
  CHECK(read_back(all).events.size() == 30);

  std::string twice = whole;
  twice[100] = static_cast<char>(twice[100] ^ 1);
  twice[whole.size() - 1] = static_cast<char>(twice[whole.size() - 1] ^ 1);
  write_bytes(stream_of(directory), twice);
  auto reader = TraceReader::open(directory).value();
  const auto back = read_back(reader);
  CHECK(back.events.size() == 24);
  REQUIRE(back.losses.losses.size() == 1);
  CHECK(back.losses.losses[0].events == 6);
  CHECK_THAT(back.losses.losses[0].reason, Catch::Contains("damaged in 1 more place"));
}

TEST_CASE("trace: a file of nothing but beginnings of packets ends the search, and the rest is counted", "[trace]") {
  const TemporaryFolder folder;
  const TraceForm form = plain_or_compressed();
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(3, 30, info);
  const std::string directory = folder / "trace";
  write_small_packets(directory, info, events, form);
  const std::string whole = bytes_of(stream_of(directory));
  PacketHead head = first_head(whole);
  const std::size_t first = head.packet_size_bits / 8;
  head.packet_size_bits = head.content_size_bits = 8 * kPacketBytesMax;
  std::string beginnings;
  for (int i = 0; i < 2000; ++i) beginnings.append(reinterpret_cast<const char*>(&head), sizeof head);
  write_bytes(stream_of(directory), whole.substr(0, first) + beginnings + whole.substr(first));
  auto reader = TraceReader::open(directory).value();
  const auto back = read_back(reader);
  CHECK(back.events.size() == 3);
  REQUIRE(back.losses.losses.size() == 1);
  CHECK(back.losses.losses[0].events == 27);
}

TEST_CASE("trace: a stream that is missing altogether is counted", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(2, 4, 2);
  const auto events = random_events(4, 500, info);
  write_trace(folder / "trace", info, events);
  fs::remove(folder / "trace/ctf/machine_1_filter_0");
  check_sound(folder / "trace", events, events.size());
}

TEST_CASE("trace: one whose recorder was killed is readable, with names made up where they are missing", "[trace]") {
  const TemporaryFolder folder;
  TraceInfo info = small_info(2, 2, 2);
  const auto early = random_events(5, 100, info);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  filter.on_events(early);
  // Processes that appear later are not in trace.json yet when the recorder dies.
  for (int i = 2; i < 8; ++i)
    info.processes.push_back({"late", "program", MachineId{static_cast<std::uint16_t>(i % 2)}});
  const auto late = random_events(6, 100, info);
  filter.on_events(late);
  writer->flush();
  filter.on_events(late);  // these die with the recorder
  fs::copy(folder / "trace", folder / "killed", fs::copy_options::recursive);

  auto reader = TraceReader::open(folder / "killed").value();
  CHECK_FALSE(reader.is_finished());
  REQUIRE(reader.info().processes.size() == 8);
  CHECK(reader.info().processes[0].name == "p0");
  CHECK(reader.info().processes[7].name == "process 7");
  CHECK(reader.info().processes[7].machine == MachineId{1});
  const auto back = read_back(reader);
  auto expected = early;
  expected.insert(expected.end(), late.begin(), late.end());
  CHECK(same_by_process(expected, back.events, info));
  CHECK(back.losses.seen == 200);
  CHECK_THAT(back.losses.warnings.at(0), Catch::Contains("the recorder was killed"));
}

TEST_CASE("trace: of a killed recorder's names all but the last third are known", "[trace]") {
  const TemporaryFolder folder;
  TraceInfo info = small_info(1, 1, 3);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  for (int i = 1; i <= 500; ++i) {
    info.processes.push_back({"late " + std::to_string(i), "program", MachineId{0}});
    info.channels.push_back({ProcessId{0}, "channel", ChannelKind::datagram});
    Event event;
    event.process.value = static_cast<std::uint32_t>(i);
    event.channel.value = static_cast<std::uint32_t>(i + 2);
    event.machine = MachineId{0};
    filter.on_events(std::span(&event, 1));
    writer->flush();
  }
  fs::copy(folder / "trace", folder / "killed", fs::copy_options::recursive);
  const auto reader = TraceReader::open(folder / "killed").value();
  const TraceInfo& known = reader.info();
  REQUIRE(known.processes.size() == 501);
  CHECK(known.processes[300].name == "late 300");
  CHECK(known.channels[300].kind == ChannelKind::datagram);
  CHECK(known.processes[500].name == "process 500");
  CHECK(known.channels[502].kind == ChannelKind::stream);  // as most are
}

TEST_CASE("trace: a killed trace of one event is read, and an empty one has none", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 1, 1);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  writer->on_begin(info);
  auto reader = TraceReader::open(folder / "trace").value();
  CHECK(read_back(reader).events.empty());
  const auto events = random_events(1, 1, info);
  const Verdict verdict{0, static_cast<ClassIndex>(layout_index(events[0].type))};
  writer->on_records(events, std::span(&verdict, 1));
  writer->flush();
  auto again = TraceReader::open(folder / "trace").value();
  CHECK(same_by_process(events, read_back(again).events, info));
}

namespace {

// Has no rights but those of an account that owns nothing, for as long as it lives.
class WithoutRights {
 public:
  WithoutRights() { CHECK((::geteuid() != 0 || ::seteuid(kNobody) == 0)); }
  ~WithoutRights() { CHECK(::seteuid(before_) == 0); }

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t before_ = ::geteuid();
};

}  // namespace

TEST_CASE("trace: one of another user is not said to be no trace", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 2, 2);
  const auto open_to_all = fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec;
  fs::permissions(folder / "", open_to_all);
  for (const bool is_parent_open : {true, false}) {
    const std::string parent = folder / (is_parent_open ? "open" : "closed"), trace = parent + "/trace";
    write_trace(trace, info, random_events(1, 100, info));
    fs::permissions(trace, fs::perms::none);
    fs::permissions(parent, is_parent_open ? open_to_all : fs::perms::none);
    {
      const WithoutRights here;
      for (const std::string& asked : {parent, trace}) {
        INFO(asked);
        const auto reader = TraceReader::open(asked);
        REQUIRE_FALSE(reader);
        CHECK_THAT(reader.error().what, Catch::Contains("open trace ") && Catch::EndsWith("Permission denied"));
      }
    }
    fs::permissions(parent, fs::perms::owner_all);
    fs::permissions(trace, fs::perms::owner_all);
  }
}

TEST_CASE("trace: what is not a trace is refused with what was looked for", "[trace]") {
  const TemporaryFolder folder;
  const auto error = [](const std::string& directory) {
    const auto reader = TraceReader::open(directory);
    REQUIRE_FALSE(reader);
    return reader.error().what;
  };
  CHECK_THAT(error(folder / "absent"), Catch::Contains("absent: no such directory"));
  fs::create_directory(folder / "empty");
  CHECK_THAT(error(folder / "empty"), Catch::Contains("empty: not a trace: it has no trace.json"));
  for (const char* text : {"", "{", "[]", "{}", "17", "{\"format\":\"dpm-trace\"}"}) {
    write_bytes(folder / "empty/trace.json", text);
    CHECK_THAT(error(folder / "empty"), Catch::Contains("trace.json:"));
  }
  write_bytes(folder / "empty/trace.json", R"({"format":"dpm-trace","version":99})");
  CHECK_THAT(error(folder / "empty"),
             Catch::EndsWith("trace.json: format version 99 (this program reads versions 1 to 4)"));
}

TEST_CASE("trace: a trace.json cut at any byte is refused or sound", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(7, 10, info);
  write_trace(folder / "trace", info, events);
  const std::string whole = bytes_of(folder / "trace/trace.json");
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    write_bytes(folder / "trace/trace.json", whole.substr(0, length));
    CHECK_FALSE(TraceReader::open(folder / "trace"));
  }
}

TEST_CASE("trace: impossible times, and events of processes that are nowhere, are lost records", "[trace]") {
  const TemporaryFolder folder;
  TraceInfo info = small_info(1, 3, 2);
  auto events = random_events(11, 60, info);
  for (auto& event : events)
    if (event.process.value == 2) event.process.value = 0;
  constexpr std::int64_t kEnd = std::int64_t{1} << 62;
  events[10].local_time.ns = kEnd;
  events[20].local_time.ns = -kEnd;
  events[30].proc_time_ns = ~std::uint64_t{0};
  events[40].process.value = 2;
  info.processes[2].machine = MachineId{};
  write_trace(folder / "trace", info, events);
  auto reader = TraceReader::open(folder / "trace").value();
  const auto back = read_back(reader);
  CHECK(back.events.size() == events.size() - 4);
  REQUIRE(back.losses.losses.size() == 1);
  CHECK_THAT(back.losses.losses[0].reason, Catch::Contains("records that make no sense"));
  CHECK(back.losses.losses[0].events == 4);
}

TEST_CASE("trace: a FIFO in the directory is refused, and not waited for", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(12, 20, info);
  write_trace(folder / "trace", info, events);
  fs::remove(stream_of(folder / "trace"));
  REQUIRE(::mkfifo(stream_of(folder / "trace").c_str(), 0600) == 0);
  check_sound(folder / "trace", events, events.size());
  fs::remove(folder / "trace/trace.json");
  REQUIRE(::mkfifo((folder / "trace/trace.json").c_str(), 0600) == 0);
  const auto reader = TraceReader::open(folder / "trace");
  REQUIRE_FALSE(reader);
  CHECK_THAT(reader.error().what, Catch::EndsWith("trace.json: not a file"));
}

TEST_CASE("trace: a stream that becomes shorter while it is read is cut short", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(13, 30'000, info);
  write_trace(folder / "trace", info, events, plain_or_compressed());
  auto reader = TraceReader::open(folder / "trace").value();
  const auto size = fs::file_size(stream_of(folder / "trace"));
  std::size_t read = 0;
  const LossReport losses = reader.read([&](std::span<const Event> batch) {
    if (read == 0) fs::resize_file(stream_of(folder / "trace"), size / 2);
    read += batch.size();
  });
  CHECK(read < events.size());
  CHECK(losses.seen == events.size());
  CHECK_THAT(losses.losses.at(0).reason, Catch::Contains("is cut short"));
}

TEST_CASE("trace: numbers in trace.json that nothing could compute with are refused", "[trace]") {
  const TemporaryFolder folder;
  write_trace(folder / "trace", small_info(1, 3, 2), random_events(14, 10, small_info(1, 3, 2)));
  const std::string whole = bytes_of(folder / "trace/trace.json");
  const auto error_with = [&](const std::string& text, const std::string& instead) {
    std::string changed = whole;
    changed.replace(changed.find(text), text.size(), instead);
    write_bytes(folder / "trace/trace.json", changed);
    const auto reader = TraceReader::open(folder / "trace");
    REQUIRE_FALSE(reader);
    return reader.error().what;
  };
  for (const char* base : {"0", "1", "17", "4294967295"})
    CHECK_THAT(error_with("\"base\": 10", std::string("\"base\": ") + base), Catch::Contains("has base"));
  for (const char* speed : {"0", "-1", "1e300", "1e-300"})
    CHECK_THAT(error_with("\"speed\": 1.0", std::string("\"speed\": ") + speed), Catch::Contains("impossible speed"));
}

TEST_CASE("trace: ids that trace.json does not know are lost records, not crashes", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  auto events = random_events(8, 50, info);
  events[10].process.value = 3;
  events[20].process.value = 0xfffffff0;
  events[30].process = {};
  // The filter would refuse such events: they come from a faulty recorder.
  auto writer =
      TraceWriter::create(folder / "trace", describe_events({"filter"}, {RuleSet::keep_all(event_layouts())})).value();
  writer->on_begin(info);
  std::vector<Event> sound;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Verdict verdict{0, static_cast<ClassIndex>(layout_index(events[i].type))};
    writer->append(events[i].machine, verdict, events[i].local_time, reinterpret_cast<const std::byte*>(&events[i]));
    if (i != 10 && i != 20 && i != 30) sound.push_back(events[i]);
  }
  Ledger ledger;
  ledger.seen = ledger.kept = events.size();
  writer->on_end(ledger);
  auto reader = TraceReader::open(folder / "trace").value();
  const auto back = read_back(reader);
  // Process 3 is one too many but plausible: a recorder that was killed may have known it. The others are not.
  CHECK(back.losses.lost() == 2);
  CHECK(back.losses.losses.at(0).reason == "stream machine_0_filter_0 has records that make no sense");
  CHECK(back.events.size() == 48);
}

TEST_CASE("trace: a full disk loses the records, and the loss is reported", "[trace]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 3, 2);
  const auto events = random_events(9, 50, info);
  std::vector<RuleSet> rules = {RuleSet::keep_all(event_layouts())};
  auto writer = TraceWriter::create(folder / "trace", describe_events(info.filters, rules)).value();
  EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  // A directory stands where the stream file should be written: the same refusal as a full disk, for root as well.
  fs::create_directory(folder / "trace/ctf/machine_0_filter_0");
  filter.on_events(events);
  LossReport losses;
  losses.seen = events.size();
  filter.on_end(losses);
  CHECK_FALSE(writer->status());
  CHECK(writer->ledger().kept == 0);
  CHECK(writer->ledger().lost == events.size());
  CHECK(writer->ledger().balanced());
  CHECK_THAT(writer->ledger().losses.at(0).reason, Catch::Contains("could not be written to the trace"));
}
