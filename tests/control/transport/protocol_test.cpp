// The two ends of the protocol, LinkBuffer and MergedStream, joined by connections that break at random places:
// whatever happens, the stream has every event once and in order, or what is missing is counted.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "control/transport/collector/merged_stream.hpp"
#include "control/transport/link/link_buffer.hpp"
#include "model/random.hpp"
#include "tests/control/transport/read_stream.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

namespace dpm::test {
namespace {

struct Peer {
  Peer(std::uint8_t key, const std::string& machine, std::size_t memory, std::uint64_t spool_bytes,
       const std::string& folder)
      : meter(machine, 2),
        buffer(wire::MeterKey{{key}}, {machine, key, "job", "program"}, memory, Spool(folder, spool_bytes),
               NamesStore(folder)) {}

  LittleMeter meter;
  LinkBuffer buffer;
  std::uint64_t dropped = 0;
  bool ended = false;

  // The connection: what is under way, and what the collector has made of it.
  bool connected = false;
  std::string to_collector, to_meter;
  FrameReader at_collector{wire::kMeterFrameBodyBytesMax}, at_meter{wire::kMeterFrameBodyBytesMax};
  std::optional<std::uint32_t> number;
  wire::Ack acked;

  void connect() {
    connected = true;
    number.reset();
    to_collector = buffer.greeting();
    to_meter.clear();
    at_collector = FrameReader(wire::kMeterFrameBodyBytesMax);
    at_meter = FrameReader(wire::kMeterFrameBodyBytesMax);
  }
};

class World {
 public:
  explicit World(std::uint64_t seed, std::size_t meters) : random_(seed) {
    for (std::size_t i = 0; i < meters; ++i)
      peers_.push_back(std::make_unique<Peer>(static_cast<std::uint8_t>(i + 1), "m" + std::to_string(i),
                                              1 + random_.below(200), 84 * random_.below(400), folder_ / "spool"));
  }

  void step() {
    Peer& peer = *peers_[random_.below(peers_.size())];
    switch (random_.below(9)) {
      case 0:
        if (peer.connected && random_.chance(.2)) peer.connected = false;
        break;
      case 1:
        if (!peer.connected) peer.connect();
        break;
      case 2:
        record(peer);
        break;
      case 3:
        if (peer.connected) peer.buffer.produce(peer.to_collector, 1 + random_.below(40'000));
        break;
      case 4:
      case 5:
        deliver_to_collector(peer);
        break;
      case 6:
        deliver_to_meter(peer);
        break;
      case 7:
        pass(random_.below(20'000));
        break;
      case 8:
        answer(peer);
        break;
    }
  }

  void end(Peer& peer) {
    peer.ended = true;
    peer.buffer.tell(peer.meter.growth());
    peer.buffer.end({peer.meter.total(),
                     0,
                     peer.dropped > 0 ? std::vector<Loss>{{"full", peer.dropped}} : std::vector<Loss>{},
                     {}});
  }

  // Until every meter knows that everything is confirmed.
  void run_to_completion() {
    for (int rounds = 0; rounds < 10'000; ++rounds) {
      bool is_over = true;
      for (auto& peer : peers_) {
        if (!peer->ended) end(*peer);
        if (peer->buffer.is_complete()) continue;
        is_over = false;
        if (!peer->connected) peer->connect();
        peer->buffer.produce(peer->to_collector, 1 << 20);
        deliver_to_collector(*peer);
        pass(1 << 20);
        answer(*peer);
        deliver_to_meter(*peer);
      }
      if (is_over) break;
    }
    merged_->finish();
    pass(SIZE_MAX);
  }

  void record(Peer& peer) {
    if (peer.ended) return;
    if (random_.chance(.05)) peer.meter.add_process();
    peer.buffer.tell(peer.meter.growth());
    const auto events = peer.meter.events(1 + random_.below(100));
    // What finds no room is dropped, and the numbers are given back, so that those in the stream still count from 0.
    const std::size_t taken = peer.buffer.append(events);
    peer.dropped += events.size() - taken;
    for (std::size_t i = events.size(); i-- > taken;)
      lost_sequences_[{&peer, events[i].process.value}].push_back(events[i].sequence);
  }

  void deliver_to_collector(Peer& peer) {
    if (!peer.connected) return;
    const std::size_t bytes = std::min<std::size_t>(peer.to_collector.size(), 1 + random_.below(30'000));
    peer.at_collector.feed(peer.to_collector.substr(0, bytes));
    peer.to_collector.erase(0, bytes);
    while (auto frame = peer.at_collector.next().value()) {
      auto parsed = wire::parse_meter_frame(std::move(*frame));
      REQUIRE(parsed.has_value());
      if (const auto* hello = std::get_if<wire::Hello>(&*parsed)) {
        const auto met = merged_->register_meter(*hello, {hello->identity.machine, hello->identity.job}).value();
        peer.number = met.meter;
        peer.acked = {met.resume.names_passed, met.resume.events_passed, false};
        wire::append_meter_frame(peer.to_meter, met.resume);
      } else {
        const auto taken = merged_->take(*peer.number, *std::move(parsed));
        INFO((taken ? "" : taken.error().what));
        REQUIRE(taken.has_value());
      }
    }
  }

  void answer(Peer& peer) {
    if (!peer.connected || !peer.number) return;
    const auto ack = merged_->ack(*peer.number);
    if (ack.names == peer.acked.names && ack.events == peer.acked.events && ack.over == peer.acked.over) return;
    peer.acked = ack;
    wire::append_meter_frame(peer.to_meter, ack);
  }

  void deliver_to_meter(Peer& peer) {
    if (!peer.connected) return;
    const std::size_t bytes = std::min<std::size_t>(peer.to_meter.size(), 1 + random_.below(50));
    peer.at_meter.feed(peer.to_meter.substr(0, bytes));
    peer.to_meter.erase(0, bytes);
    while (auto frame = peer.at_meter.next().value()) {
      const auto taken = peer.buffer.take(std::move(*frame));
      INFO((taken ? "" : taken.error().what));
      REQUIRE(taken.has_value());
    }
    // What is confirmed has been written.
    CHECK(peer.buffer.confirmed() <= peer.buffer.recorded());
  }

  void pass(std::size_t bytes) {
    bytes = std::min(bytes, merged_->waiting().size());
    stream_ += merged_->waiting().substr(0, bytes);
    merged_->passed(bytes);
  }

  void check_everything() {
    const auto contents = contents_of(stream_);
    INFO(contents.reasons());
    std::uint64_t recorded = 0, dropped = 0;
    for (const auto& peer : peers_) {
      recorded += peer->meter.total();
      dropped += peer->dropped;
      CHECK(peer->buffer.confirmed() == peer->buffer.recorded());
    }
    CHECK(contents.count + dropped == recorded);
    CHECK(contents.losses.seen == recorded);
    CHECK(contents.lost() == dropped);
    CHECK(contents.losses.warnings.empty());
    // Each process's events are those that were not dropped, in order.
    std::map<std::string, std::vector<std::uint64_t>> expected;
    for (const auto& peer : peers_) {
      for (std::uint32_t process = 0; process < peer->meter.next.size(); ++process) {
        auto lost = lost_sequences_[{peer.get(), process}];
        std::sort(lost.begin(), lost.end());
        for (std::uint64_t sequence = 0; sequence < peer->meter.next[process]; ++sequence)
          if (!std::binary_search(lost.begin(), lost.end(), sequence))
            expected[peer->meter.info.machines[0].name].push_back(sequence);
      }
    }
    for (auto& [machine, sequences] : expected) {
      std::vector<std::uint64_t> got;
      for (const auto& [name, events] : contents.events) {
        if (name.rfind(machine + " ", 0) != 0) continue;
        CHECK(std::is_sorted(events.begin(), events.end(),
                             [](const Event& a, const Event& b) { return a.sequence < b.sequence; }));
        for (const auto& event : events) got.push_back(event.sequence);
      }
      std::sort(got.begin(), got.end());
      std::sort(sequences.begin(), sequences.end());
      CHECK(got == sequences);
    }
  }

  TemporaryFolder folder_;
  Random random_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::unique_ptr<MergedStream> merged_ = std::make_unique<MergedStream>();
  std::string stream_;
  std::map<std::pair<const Peer*, std::uint32_t>, std::vector<std::uint64_t>> lost_sequences_;
};

TEST_CASE("meter path: connections that break anywhere neither lose nor double", "[meter-path]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    World world(seed, 1 + seed % 4);
    for (int i = 0; i < 2000; ++i) world.step();
    world.run_to_completion();
    world.check_everything();
  }
}

TEST_CASE("meter path: a collector that dies leaves no gap to the next one", "[meter-path]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    World world(seed, 1);
    for (int i = 0; i < 800; ++i) world.step();
    Peer& peer = *world.peers_[0];
    const std::uint64_t confirmed = peer.buffer.confirmed();
    const auto first = contents_of(world.stream_);
    CHECK(first.count >= confirmed);  // what was confirmed had been written
    // Another collector, which has never heard of the meter.
    peer.connected = false;
    world.merged_ = std::make_unique<MergedStream>();
    world.stream_.clear();
    for (int i = 0; i < 800; ++i) world.step();
    world.run_to_completion();
    const auto rest = contents_of(world.stream_);
    INFO(rest.reasons());
    CHECK(rest.count == peer.buffer.recorded() - confirmed);
    CHECK(rest.losses.seen == peer.meter.total() - confirmed);
  }
}

TEST_CASE("meter path: what no collector takes any more is a stream that a filter reads", "[meter-path]") {
  const TemporaryFolder folder;
  Peer peer(7, "red", 10, 84 * 1000, folder / "spool");
  peer.buffer.tell(peer.meter.growth());
  CHECK(peer.buffer.append(peer.meter.events(500)) == 500);
  CHECK(peer.buffer.spooled() == 490);
  peer.buffer.end({503, 0, {{"overload", 3}}, {}});
  std::string stream;
  while (const auto piece = peer.buffer.take_remaining()) stream += *piece;
  const auto contents = contents_of(stream);
  INFO(contents.reasons());
  CHECK(contents.count == 500);
  CHECK(counts_from_zero(contents));
  CHECK(contents.losses.seen == 503);
  CHECK(contents.lost() == 3);
  CHECK(contents.losses.warnings.empty());
}

TEST_CASE("meter path: a collector that breaks the protocol is not believed", "[meter-path]") {
  const TemporaryFolder folder;
  const auto answer = [&](const wire::MeterFrame& frame, bool resumed) {
    Peer peer(7, "red", 100, 0, folder / "spool");
    peer.buffer.tell(peer.meter.growth());
    CHECK(peer.buffer.append(peer.meter.events(50)) == 50);
    (void)peer.buffer.greeting();
    std::string bytes;
    if (resumed) wire::append_meter_frame(bytes, wire::Resume{});
    wire::append_meter_frame(bytes, frame);
    FrameReader reader;
    reader.feed(bytes);
    Result<void> taken;
    for (int i = 0; i < (resumed ? 2 : 1); ++i) taken = peer.buffer.take(*std::move(*reader.next()));
    CHECK(peer.buffer.confirmed() == 0);
    return taken.has_value();
  };
  CHECK(answer(wire::Resume{}, false));
  CHECK_FALSE(answer(wire::Resume{}, true));
  CHECK_FALSE(answer(wire::Resume{true, 0, 51, 0, 0}, false));
  CHECK_FALSE(answer(wire::Resume{true, 7, 0, 0, 0}, false));
  CHECK_FALSE(answer(wire::Resume{false, 1, 0, 0, 0}, false));
  CHECK_FALSE(answer(wire::Ack{0, 0, false}, false));
  CHECK_FALSE(answer(wire::Ack{0, 1, false}, true));
  CHECK_FALSE(answer(wire::Ack{0, 0, true}, true));
  CHECK_FALSE(answer(wire::Hello{}, true));
  CHECK_FALSE(answer(wire::Names{}, true));
}

TEST_CASE("meter path: a meter that breaks the protocol is refused", "[meter-path]") {
  MergedStream merged;
  LittleMeter meter("red", 2);
  const auto number =
      merged.register_meter({wire::kMeterVersion, {}, {"red", 1, "", ""}, 0}, {"red", ""}).value().meter;
  wire::Events events{0, {}};
  for (const auto& event : meter.events(3)) append_event(events.messages, event);
  CHECK_FALSE(merged.take(number, wire::Events{1, events.messages}).has_value());
  CHECK_FALSE(merged.take(number, wire::Names{1, "{}"}).has_value());
  CHECK_FALSE(merged.take(number, wire::Names{0, "nonsense"}).has_value());
  CHECK_FALSE(merged.take(number, wire::Ack{}).has_value());
  CHECK_FALSE(merged.take(number, wire::Hello{}).has_value());
  // Events that no names describe are counted, not passed on.
  CHECK(merged.take(number, events).has_value());
  CHECK(merged.take(number, wire::Over{{3, 0, {}, {}}}).has_value());
  CHECK(merged.take(number, wire::Over{{3, 0, {}, {}}}).has_value());  // again, after a new connection
  merged.finish();
  const auto contents = contents_of(merged.waiting());
  CHECK(contents.count == 0);
  CHECK(contents.losses.seen == 3);
  CHECK(contents.reasons().find("3 the meter of process 1 on red: could not be understood by the collector") == 0);
}

TEST_CASE("meter path: of a frame that a filter did not take whole, the events that it took are passed on",
          "[meter-path]") {
  constexpr std::size_t kEvents = 10;
  const auto delivered_after = [&](std::size_t bytes_of_events) {
    MergedStream merged;
    LittleMeter meter("red", 2);
    const auto number =
        merged.register_meter({wire::kMeterVersion, {}, {"red", 1, "", ""}, 0}, {"red", ""}).value().meter;
    TableSizes told;
    const auto names = to_names(meter.growth(), told).at(0);
    REQUIRE(merged.take(number, wire::Names{0, names}));
    merged.passed(merged.waiting().size());
    wire::Events events{0, {}};
    for (const auto& event : meter.events(kEvents)) append_event(events.messages, event);
    REQUIRE(merged.take(number, events));
    REQUIRE(merged.waiting().size() == kEvents * kMeterMessageBytes);
    merged.passed(bytes_of_events);
    merged.filter_gone("signal 9");
    const auto delivery = merged.deliveries().at(0);
    CHECK(merged.ack(number).events == delivery.delivered);
    CHECK(delivery.seen == kEvents);
    REQUIRE(delivery.losses.size() == (delivery.delivered == kEvents ? 0 : 1));
    if (!delivery.losses.empty()) CHECK(delivery.losses[0].events == kEvents - delivery.delivered);
    return delivery.delivered;
  };
  CHECK(delivered_after(0) == 0);
  CHECK(delivered_after(kMeterMessageBytes - 1) == 0);
  CHECK(delivered_after(kMeterMessageBytes) == 1);
  CHECK(delivered_after(7 * kMeterMessageBytes + 1) == 7);
  CHECK(delivered_after(kEvents * kMeterMessageBytes) == kEvents);
}

TEST_CASE("meter path: a meter speaks for no other machine or job than its key is for", "[meter-path]") {
  const auto hello = [](std::uint8_t key, const char* machine, const char* job) {
    return wire::Hello{wire::kMeterVersion, wire::MeterKey{{key}}, {machine, 1, job, "a"}, 0};
  };
  MergedStream merged;
  CHECK_FALSE(merged.register_meter(hello(1, "red", "foo"), {"green", "foo"}));
  CHECK(merged.deliveries().empty());
  // What it says of its job is not believed.
  CHECK(merged.register_meter(hello(2, "green", "bar"), {"green", "foo"}));
  CHECK(merged.deliveries()[0].meter.job == "foo");
  // A meter of another machine or job cannot be continued.
  CHECK_FALSE(merged.register_meter(hello(2, "red", "foo"), {"red", "foo"}));
  CHECK_FALSE(merged.register_meter(hello(2, "green", "bar"), {"green", "bar"}));
  CHECK(merged.register_meter(hello(2, "green", "foo"), {"green", "foo"}));

  // Its names hold another machine: neither they nor what follows reaches the filter.
  LittleMeter meter("red", 2);
  TableSizes told;
  const auto names = to_names(meter.growth(), told).at(0);
  wire::Events events{0, {}};
  for (const auto& event : meter.events(3)) append_event(events.messages, event);
  CHECK_FALSE(merged.has_other_machine(0));
  CHECK_FALSE(merged.take(0, wire::Names{0, names}));
  CHECK(merged.has_other_machine(0));
  CHECK_FALSE(merged.take(0, events));
  CHECK_FALSE(merged.register_meter(hello(2, "green", "foo"), {"green", "foo"}));
  merged.finish();
  CHECK(contents_of(merged.waiting()).count == 0);
  CHECK(merged.deliveries()[0].delivered == 0);

  // The same names from the machine itself.
  const auto red = merged.register_meter(hello(3, "red", "foo"), {"red", "foo"}).value().meter;
  CHECK(merged.take(red, wire::Names{0, names}));
}

}  // namespace
}  // namespace dpm::test
