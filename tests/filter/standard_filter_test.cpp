#include "filter/standard_filter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/filter/source_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"
#include "trace/meter_message.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using Bytes = std::vector<std::byte>;

void put(Bytes& bytes, std::uint64_t value, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

Bytes messages_of(std::span<const Event> events) {
  Bytes bytes;
  for (const Event& event : events) {
    const auto message = encode_meter_message(event);
    bytes.insert(bytes.end(), message.begin(), message.end());
  }
  return bytes;
}

// The messages of DEMOS/MP: (type, time in ms, fields).
void put_demos(Bytes& bytes, std::uint32_t machine, std::uint32_t type, std::uint32_t time,
               std::initializer_list<std::uint32_t> fields) {
  for (const std::uint32_t word : {machine, type, time, time / 2}) put(bytes, word, 4);
  for (const std::uint32_t word : fields) put(bytes, word, 4);
}

struct Run {
  Ledger ledger;
  std::vector<Event> events;
  TraceInfo info;
  LossReport losses;
};

Run run(const std::string& description_file, const std::string& rules_text, const Bytes& input,
        std::size_t piece = 1 << 20) {
  const TemporaryFolder folder;
  auto descriptions =
      parse_descriptions(description_file, file_text(source_path("filter/descriptions/" + description_file))).value();
  auto rules = RuleSet::compile("rules", rules_text, descriptions.records).value();
  auto writer = TraceWriter::create(folder / "log", describe_messages(descriptions, rules)).value();
  StandardFilter filter(std::move(descriptions), std::move(rules), *writer);
  for (std::size_t i = 0; i < input.size(); i += piece)
    filter.feed(std::span(input).subspan(i, std::min(piece, input.size() - i)));
  filter.end();
  Run result;
  result.ledger = filter.ledger();
  CHECK(result.ledger.balanced());
  auto reader = TraceReader::open(folder / "log").value();
  auto back = read_back(reader);
  result.events = std::move(back.events);
  result.losses = std::move(back.losses);
  result.info = reader.info();
  return result;
}

}  // namespace

TEST_CASE("standard filter: our own meter messages become the events they were made of", "[filter]") {
  const TraceInfo info = small_info(1, 5, 4);
  const auto events = random_events(1, 500, info);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{84}, std::size_t{1000}, std::size_t{1} << 20}) {
    const Run result = run("dpm.desc", "", messages_of(events), piece);
    CHECK(result.ledger.kept == 500);
    CHECK(same_by_process(events, result.events, info));
  }
}

TEST_CASE("standard filter: it keeps what the filter of events keeps", "[filter]") {
  const TraceInfo info = small_info(1, 5, 4);
  const auto events = random_events(2, 2000, info);
  for (const std::string text :
       {"type=Send, fromTask>1; type=Receive, fromTask=toTask", "machine=0, channel<=2, code=#*",
        "time<0; pid=3, procTime>100000000, flags=1", "loadAverage>=5, pc!=0"}) {
    const TemporaryFolder folder;
    write_trace(folder / "trace", info, events, {RuleSet::compile("rules", text, event_layouts()).value()});
    auto reader = TraceReader::open(folder / "trace").value();
    INFO(text);
    CHECK(same_by_process(read_back(reader).events, run("dpm.desc", text, messages_of(events)).events, info));
  }
}

TEST_CASE("standard filter: messages of DEMOS/MP are decoded by their description", "[filter]") {
  Bytes input;
  put_demos(input, 3, 1, 10, {0x20003, 0x30005, 7, 99, 1, 0xffffffff});
  put_demos(input, 3, 1, 12, {0x20003, 0x30005, 7, 98, 1, 0xffffffff});
  put_demos(input, 5, 3, 4, {0x20003, 0x30005, 7, 99, 0xffffffff});
  put_demos(input, 5, 8, 5, {0x30005, 1, 2, 4096});  // MOVEDATA: no event of ours
  put_demos(input, 5, 3, 6, {0x20003, 0x30005, 7, 98, 0xffffffff});
  const Run result = run("demos.desc", "", input);
  CHECK(result.ledger.kept == 5);
  REQUIRE(result.events.size() == 4);
  CHECK(result.info.machines[0].name == "machine 3");
  const Event& send = result.events[0];
  const Event& receive = result.events[2];
  CHECK(send.type == EventType::send);
  CHECK(send.local_time.ns == 10'000'000);
  CHECK(send.proc_time_ns == 5'000'000);
  CHECK(send.code == 99);
  CHECK(result.info[send.process].name == "process 20003");
  CHECK(result.info[send.peer].name == "process 30005");
  CHECK(result.info[result.info[send.peer].machine].name == "machine 5");
  CHECK(receive.type == EventType::receive);
  CHECK(receive.process == send.peer);
  CHECK(receive.peer == send.process);
  CHECK(receive.channel == send.channel);
  CHECK(result.info[send.channel].owner == send.peer);
  // Without numbers in the messages they are counted, so that analyses can match them.
  CHECK(send.sequence == receive.sequence);
  CHECK(result.events[1].sequence == result.events[3].sequence);
  CHECK(send.sequence != result.events[1].sequence);
  CHECK(send.evidence == Evidence::inferred);
  CHECK(result.losses.losses.at(0).reason == "stream machine_1_filter_0 has records of types that no analysis knows");
  CHECK(result.losses.lost() == 1);
}

TEST_CASE("standard filter: pids of different UNIX machines are different processes", "[filter]") {
  Bytes input;
  for (const std::uint64_t machine : {1, 2}) {
    put(input, 36, 4), put(input, machine, 2), put(input, 0, 2), put(input, 1000, 4), put(input, 0, 4);
    put(input, 20, 4), put(input, 8, 4);                     // procTime, FORK
    put(input, 40, 4), put(input, 0, 4), put(input, 41, 4);  // pid, pc, newPid
  }
  const Run result = run("unix.desc", "type=fork", input);
  REQUIRE(result.events.size() == 2);
  CHECK(result.events[0].type == EventType::create_process);
  CHECK(result.info.processes.size() == 4);
  CHECK(result.info[result.events[1].peer].name == "process 41 on machine 2");
}

TEST_CASE("standard filter: messages it cannot decode are counted with the reason", "[filter]") {
  Bytes input;
  const TraceInfo info = small_info(1, 2, 2);
  const auto events = random_events(3, 3, info);
  const auto good = messages_of(events);
  input = good;
  put(input, 60, 4), input.resize(input.size() + 4), put(input, 99, 1),
      input.resize(input.size() + 51);                                                                   // unknown type
  put(input, 45, 4), input.resize(input.size() + 4), put(input, 1, 1), input.resize(input.size() + 36);  // too short
  input.insert(input.end(), good.begin(), good.end());
  input.resize(input.size() - 5);  // ends inside a message
  for (const std::size_t piece : {std::size_t{1}, std::size_t{50}, std::size_t{1} << 20}) {
    const Run result = run("dpm.desc", "", input, piece);
    CHECK(result.ledger.kept == 5);
    CHECK(result.ledger.lost == 3);
    REQUIRE(result.ledger.losses.size() == 3);
    CHECK(result.ledger.losses[0].reason == "a message of 45 bytes, shorter than the description of SEND");
    CHECK(result.ledger.losses[1].reason == "a message of type 99, which the description file doesn't have");
    CHECK(result.ledger.losses[2].reason == "the input ended inside a message, after 79 bytes");
  }
}

TEST_CASE("standard filter: after an impossible size it stops, and counts the bytes", "[filter]") {
  const TraceInfo info = small_info(1, 2, 2);
  const auto good = messages_of(random_events(4, 3, info));
  Bytes input = good;
  put(input, 3, 4);
  input.resize(input.size() + 100);
  input.insert(input.end(), good.begin(), good.end());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{50}, std::size_t{1} << 20}) {
    const Run result = run("dpm.desc", "", input, piece);
    CHECK(result.ledger.kept == 3);
    REQUIRE(result.ledger.losses.size() == 1);
    CHECK(result.ledger.losses[0].reason ==
          "the message at byte 252 has the impossible size 3: it and all that followed, 356 bytes");
    CHECK(result.ledger.warnings.size() == 1);
  }
}

TEST_CASE("standard filter: what has come is in the trace while the input is open", "[filter]") {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{30};
  const TemporaryFolder folder;
  const auto messages = messages_of(random_events(1, 500, small_info(1, 5, 4)));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Result<Ledger> ledger = Error{"it did not end"};
  std::thread filter([&] {
    ledger = filter_meter_messages({source_path("filter/descriptions/dpm.desc"), "", folder / "log"}, ends[0]);
  });
  const auto kept_now = [&]() -> std::uint64_t {
    auto reader = TraceReader::open(folder / "log");
    return reader ? read_back(*reader).events.size() : 0;
  };
  REQUIRE(::write(ends[1], messages.data(), messages.size()) == static_cast<ssize_t>(messages.size()));
  const auto end = Clock::now() + kPatience;
  while (kept_now() < 500 && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(kept_now() == 500);
  {
    auto reader = TraceReader::open(folder / "log").value();
    CHECK(read_back(reader).losses.lost() == 0);
  }
  // The beginning of a message: nothing of it is in the trace, which is not complete then.
  REQUIRE(::write(ends[1], messages.data(), 10) == 10);
  ::close(ends[1]);
  filter.join();
  ::close(ends[0]);
  REQUIRE(ledger);
  CHECK(ledger->kept == 500);
  CHECK(ledger->lost == 1);
}

TEST_CASE("standard filter: the program around it reads files and a descriptor, and names what is wrong", "[filter]") {
  const TemporaryFolder folder;
  const TraceInfo info = small_info(1, 5, 4);
  const auto events = random_events(1, 5000, info);
  const auto sends =
      std::count_if(events.begin(), events.end(), [](const Event& event) { return event.type == EventType::send; });
  REQUIRE(sends > 0);
  const auto input = messages_of(events);
  std::ofstream(folder / "messages", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  std::ofstream(folder / "rules") << "type=Send\n";
  StandardFilterFiles files{source_path("filter/descriptions/dpm.desc"), folder / "rules", folder / "log"};
  const int descriptor = ::open((folder / "messages").c_str(), O_RDONLY);
  const auto ledger = filter_meter_messages(files, descriptor);
  REQUIRE(ledger);
  CHECK(ledger->seen == 5000);
  CHECK(ledger->kept == static_cast<std::uint64_t>(sends));
  CHECK(ledger->kept + ledger->filtered == 5000);

  CHECK_THAT(filter_meter_messages(files, descriptor).error().what, Catch::Contains("log exists already"));
  files.templates = folder / "absent";
  CHECK_THAT(filter_meter_messages(files, descriptor).error().what,
             Catch::Contains("/absent: No such file or directory"));
  std::ofstream(folder / "wrong") << "type=Sned";
  files.templates = folder / "wrong";
  CHECK_THAT(filter_meter_messages(files, descriptor).error().what,
             Catch::EndsWith("/wrong:1: no event type 'Sned' (did you mean 'SEND'?)"));
  ::close(descriptor);
}
