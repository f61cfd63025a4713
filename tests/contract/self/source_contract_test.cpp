// The source contract tried on sources in memory: one that keeps it, and one for each way of breaking it.
#include "tests/contract/source_contract.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"

using namespace dpm;

namespace {

SourceFactory pushing(const Recording& recording) {
  return [recording] { return std::make_unique<MemorySource>(recording, 5); };
}

// A source whose run() is the function given.
class ScriptedSource : public EventSource {
 public:
  using Script = std::function<Result<void>(EventSink&)>;
  explicit ScriptedSource(Script script) : script_(std::move(script)) {}
  Result<void> run(EventSink& sink) override { return script_(sink); }

 private:
  Script script_;
};

SourceFactory scripted(const ScriptedSource::Script& script) {
  return [script] { return std::make_unique<ScriptedSource>(script); };
}

// That there is a complaint, and that it is about `promise`.
void check_caught(const SourceFactory& make, const std::string& promise) {
  const auto violations = check_source_contract(make);
  REQUIRE_FALSE(violations.empty());
  CHECK_THAT(violations.front(), Catch::Matchers::StartsWith(promise + ":"));
}

// client_and_server after `break_it`.
SourceFactory broken(const std::function<void(Recording&)>& break_it) {
  Recording recording = client_and_server(4);
  break_it(recording);
  return pushing(recording);
}

}  // namespace

TEST_CASE("source contract: a source in memory keeps it, with many events, one, or none", "[contract]") {
  CHECK(check_source_contract(pushing(client_and_server(100))) == std::vector<std::string>{});
  CHECK(check_source_contract(pushing(Recording{})) == std::vector<std::string>{});

  Recording one = client_and_server(1);
  one.events.resize(1);
  one.losses.seen = 1;
  CHECK(check_source_contract(pushing(one)) == std::vector<std::string>{});

  Recording lossy = one;
  lossy.losses = {13, {{"machine 'red' failed with 12 events in its meter buffer", 12}}, {}};
  CHECK(check_source_contract(pushing(lossy)) == std::vector<std::string>{});
  CHECK(check_source_contract(pushing(reordered_between_processes(client_and_server(50), 7))) ==
        std::vector<std::string>{});
}

TEST_CASE("source contract: one begin first and one end last", "[contract]") {
  static const TraceInfo info;
  const auto events = client_and_server(1).events;
  const LossReport nothing_lost;
  check_caught(scripted([&](EventSink&) { return Result<void>(); }), "begin");
  check_caught(scripted([&](EventSink& sink) {
                 sink.on_begin(info);
                 sink.on_begin(info);
                 sink.on_end(nothing_lost);
                 return Result<void>();
               }),
               "begin");
  check_caught(scripted([&](EventSink& sink) {
                 sink.on_events(events);
                 sink.on_end({events.size(), {}, {}});
                 return Result<void>();
               }),
               "begin");
  check_caught(scripted([&](EventSink& sink) {
                 sink.on_begin(info);
                 return Result<void>();
               }),
               "end");
  check_caught(scripted([&](EventSink& sink) {
                 sink.on_begin(info);
                 sink.on_end(nothing_lost);
                 sink.on_end(nothing_lost);
                 return Result<void>();
               }),
               "end");
  check_caught(scripted([&](EventSink& sink) {
                 sink.on_begin(info);
                 sink.on_end(nothing_lost);
                 sink.on_events({});
                 return Result<void>();
               }),
               "end");
  check_caught(scripted([](EventSink&) { return Result<void>(Error{"no such thing"}); }), "run");
}

TEST_CASE("source contract: the info describes everything a batch names", "[contract]") {
  check_caught(broken([](Recording& r) { r.events[3].process = ProcessId{2}; }), "info");
  check_caught(broken([](Recording& r) { r.events[3].machine = MachineId{}; }), "info");
  check_caught(broken([](Recording& r) { r.events[0].peer = ProcessId{9}; }), "info");
  check_caught(broken([](Recording& r) { r.events[0].channel = ChannelId{2}; }), "info");
  check_caught(broken([](Recording& r) { r.events[0].passed_channel = ChannelId{2}; }), "info");
  check_caught(broken([](Recording& r) { r.events[1].code = 1; }), "info");  // a RECEIVECALL on a set that is not there
  check_caught(broken([](Recording& r) { r.info.processes[1].filter = 1; }), "info");
  check_caught(broken([](Recording& r) { r.info.channels[0].owner = ProcessId{}; }), "info");
  check_caught(broken([](Recording& r) { r.info.channel_sets.clear(); }), "info");
}

TEST_CASE("source contract: the info grows and never changes", "[contract]") {
  const auto run = [](auto change) {
    return scripted([change](EventSink& sink) {
      Recording recording = client_and_server(1);
      recording.info.channels.push_back({ProcessId{}, "not yet read", ChannelKind::stream});
      sink.on_begin(recording.info);
      sink.on_events(recording.events);
      change(recording.info);
      sink.on_end(recording.losses);
      return Result<void>();
    });
  };
  CHECK(check_source_contract(run([](TraceInfo& info) {
          info.machines.push_back({"green", 2});
        })) == std::vector<std::string>{});
  CHECK(check_source_contract(run([](TraceInfo& info) {
          info.channels.back().owner = ProcessId{1};  // a live meter learns late who reads
        })) == std::vector<std::string>{});
  check_caught(run([](TraceInfo& info) { info.machines[0].name = "green"; }), "info");
  check_caught(run([](TraceInfo& info) { info.channels[0].kind = ChannelKind::stream; }), "info");
  check_caught(run([](TraceInfo& info) { info.channels[0].owner.value ^= 1; }), "info");
  check_caught(run([](TraceInfo& info) { info.processes[0].group = ProcessId{1}; }), "info");
  check_caught(run([](TraceInfo& info) { info.modules.push_back({ProcessId{9}, 0, 1, 0, "/bin/true"}); }), "info");
  check_caught(run([](TraceInfo& info) { info.channels.pop_back(); }), "info");
}

TEST_CASE("source contract: events of a process come in its order", "[contract]") {
  check_caught(broken([](Recording& r) { std::swap(r.events[3], r.events[4]); }), "order per process");
  check_caught(broken([](Recording& r) { r.events[5].local_time.ns = 0; }), "order per process");
  check_caught(broken([](Recording& r) { r.events[6].sequence = 1; }), "message numbers");
  check_caught(broken([](Recording& r) { r.events[9].sequence = 1; }), "received once");
}

TEST_CASE("source contract: what is lost is counted and has a reason", "[contract]") {
  check_caught(broken([](Recording& r) { r.losses.seen += 1; }), "losses");
  check_caught(broken([](Recording& r) { r.events.pop_back(); }), "losses");
  check_caught(broken([](Recording& r) { r.losses = {r.events.size() + 1, {{"", 1}}, {}}; }), "losses");
  check_caught(broken([](Recording& r) { r.losses.losses = {{"nothing happened", 0}}; }), "losses");
}

TEST_CASE("source contract: the same again gives the same bytes", "[contract]") {
  auto run_number = std::make_shared<std::uint64_t>(0);
  const SourceFactory other_each_time = [run_number] {
    Recording recording = client_and_server(3);
    recording.events.back().pc = ++*run_number;
    return std::make_unique<MemorySource>(recording);
  };
  check_caught(other_each_time, "same bytes");
  CHECK(check_source_contract(other_each_time, {.same_bytes_again = false}) == std::vector<std::string>{});
}

TEST_CASE("source contract: a source that is wrong everywhere is told a few times, not for every event", "[contract]") {
  const auto violations = check_source_contract(broken([](Recording& r) {
    for (auto& event : r.events) event.process = ProcessId{5};
  }));
  CHECK(violations.size() == 3);
}
