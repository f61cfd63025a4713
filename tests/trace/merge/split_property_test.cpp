// Random computations on several machines, as an observer of everything would record them; and the same as each
// machine's meter sees its part, with its own ids, its own clock, and the names its kernel knows. Merged again, every
// process must have sent and received the same messages, to and from the same others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/messages/message_resolver.hpp"
#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"
#include "trace/merge/trace_union.hpp"

using namespace dpm;

namespace {

struct SocketEnd {  // one end of a way: a process, and the names of its socket
  ProcessId process;
  std::string address, bound_to;  // what the other end calls it; what its own kernel calls it
  std::uint16_t port = 0;
  std::uint64_t socket = 0;
};

struct Way {  // one direction
  ChannelMedium medium = ChannelMedium::tcp;
  SocketEnd from, to;
  std::uint64_t sent = 0, received = 0;  // bytes, or datagrams
  std::vector<std::uint32_t> datagrams;  // their sizes
  bool closed = false;
};

struct Shape {
  std::uint32_t machines = 3, processes = 3, connections = 12, steps = 300;
};

// Everything, by one clock: the true computation.
struct World {
  Recording all;
  std::vector<Way> ways;  // by channel
};

class WorldMaker {
 public:
  WorldMaker(std::uint64_t seed, const Shape& shape) : random_(seed), shape_(shape) {}

  World make() {
    TraceInfo& info = world_.all.info;
    for (std::uint32_t m = 0; m < shape_.machines; ++m) {
      const std::string number = std::to_string(m + 1);
      info.machines.push_back(
          {.name = "m" + number, .addresses = {"10.0.0." + number, "10.1.0." + number, "fe80::" + number}});
      for (std::uint32_t p = 0; p < shape_.processes; ++p) add_process(m);
    }
    for (std::uint32_t c = 0; c < shape_.connections; ++c) connect();
    for (std::uint32_t s = 0; s < shape_.steps; ++s) random_.chance(.03) ? connect() : communicate();
    world_.all.losses.seen = world_.all.events.size();
    return std::move(world_);
  }

 private:
  void add_process(std::uint32_t machine) {
    ProcessInfo process;
    process.machine.value = static_cast<std::uint16_t>(machine);
    process.pid = process.tid = static_cast<std::uint32_t>(100 + world_.all.info.processes.size());
    process.began_ns = process.pid;
    process.name = "p" + std::to_string(process.pid);
    world_.all.info.processes.push_back(process);
  }

  MachineId machine_of(ProcessId process) const { return world_.all.info[process].machine; }
  ProcessId any_process() {
    return ProcessId{static_cast<std::uint32_t>(random_.below(world_.all.info.processes.size()))};
  }

  Event& event(ProcessId process, EventType type) {
    Event made;
    made.type = type;
    made.process = process;
    made.machine = machine_of(process);
    made.local_time.ns = ++now_;
    made.proc_time_ns = static_cast<std::uint64_t>(now_);
    world_.all.events.push_back(made);
    return world_.all.events.back();
  }

  SocketEnd socket_end(ProcessId process, std::size_t family, bool local, bool may_be_any, std::uint16_t port) {
    SocketEnd made;
    made.process = process;
    made.address = world_.all.info[machine_of(process)].addresses.at(family);
    if (local) made.address = family == 2 ? "::1" : "127.0.0.1";
    made.bound_to = made.address;
    if (may_be_any && random_.chance(.5)) made.bound_to = family == 2 || random_.chance(.3) ? "::" : "0.0.0.0";
    made.port = port;
    made.socket = ++sockets_;
    return made;
  }

  ChannelId add_way(ChannelMedium medium, const SocketEnd& from, const SocketEnd& to) {
    ChannelInfo channel;
    channel.kind = medium == ChannelMedium::udp ? ChannelKind::datagram : ChannelKind::stream;
    world_.all.info.channels.push_back(channel);
    world_.ways.push_back({medium, from, to, 0, 0, {}, false});
    return ChannelId{static_cast<std::uint32_t>(world_.ways.size() - 1)};
  }

  // Few ports, so that names come again; then the connection that had them is over.
  void connect() {
    constexpr ChannelMedium kMedia[] = {ChannelMedium::tcp, ChannelMedium::tcp, ChannelMedium::udp,
                                        ChannelMedium::unix_socket, ChannelMedium::pipe};
    const ChannelMedium medium = kMedia[random_.below(5)];
    const ProcessId a = any_process();
    ProcessId b = any_process();
    const bool internet = medium == ChannelMedium::tcp || medium == ChannelMedium::udp;
    while (!internet && machine_of(b) != machine_of(a)) b = any_process();
    const bool here = machine_of(a) == machine_of(b);
    const bool is_udp = medium == ChannelMedium::udp;
    const std::size_t family = random_.below(3);
    const bool local = here && random_.chance(.5);
    SocketEnd client = socket_end(a, family, local, is_udp, static_cast<std::uint16_t>(4000 + random_.below(2)));
    SocketEnd server = socket_end(b, family, local, is_udp, static_cast<std::uint16_t>(80 + random_.below(2)));
    if (is_udp) client.port = static_cast<std::uint16_t>(5000 + sockets_);  // a separate socket each time
    if (!internet) {
      client.address = fmt::format("socket:[{}]", client.socket);
      server.address = "/run/s#" + std::to_string(server.socket);
      client.bound_to = client.address;
      server.bound_to = server.address;
      client.port = server.port = 0;
    }
    for (Way& way : world_.ways) {
      const auto same = [](const SocketEnd& x, const SocketEnd& y) {
        return x.address == y.address && x.port == y.port;
      };
      if ((same(way.from, client) && same(way.to, server)) || (same(way.from, server) && same(way.to, client))) {
        if (is_loopback_address(client.address) && machine_of(way.from.process) != machine_of(a)) continue;
        way.closed = true;
      }
    }
    const ChannelId out = add_way(medium, client, server), in = add_way(medium, server, client);
    open(a, EventType::connect, out, in);
    open(b, EventType::accept, in, out);
  }

  void open(ProcessId process, EventType type, ChannelId sends, ChannelId receives) {
    Event& made = event(process, type);
    made.channel = sends;
    made.passed_channel = receives;
    if (type == EventType::accept) made.code = ChannelId::kNone;
  }

  void communicate() {
    const ChannelId channel{static_cast<std::uint32_t>(random_.below(world_.ways.size()))};
    Way& way = world_.ways[channel.value];
    if (way.closed) return;
    const bool is_udp = way.medium == ChannelMedium::udp;
    if (random_.chance(.5)) {
      Event& send = event(way.from.process, EventType::send);
      send.channel = channel;
      send.length_bytes = static_cast<std::uint32_t>(1 + random_.below(20));
      send.sequence = is_udp ? way.datagrams.size() + 1 : way.sent;
      way.sent += send.length_bytes;
      way.datagrams.push_back(send.length_bytes);
      return;
    }
    if (is_udp ? way.received == way.datagrams.size() : way.received == way.sent) return;
    if (random_.chance(.3)) {
      world_.all.info.channel_sets.push_back({channel});
      event(way.to.process, EventType::receive_call).code =
          static_cast<std::uint32_t>(world_.all.info.channel_sets.size() - 1);
    }
    Event& receive = event(way.to.process, EventType::receive);
    receive.channel = channel;
    if (is_udp) {
      receive.length_bytes = way.datagrams[way.received++];
    } else {
      receive.sequence = way.received;
      receive.length_bytes = static_cast<std::uint32_t>(1 + random_.below(way.sent - way.received));
      way.received += receive.length_bytes;
    }
  }

  Random random_;
  Shape shape_;
  World world_;
  std::int64_t now_ = 0;
  std::uint64_t sockets_ = 0;
};

// What the meter of one machine writes down, event by event.
class MachineView {
 public:
  MachineView(const World& world, MachineId machine, std::uint64_t seed)
      : world_(&world), machine_(machine), random_(seed) {
    info.machines.push_back(world.all.info[machine]);
    clock_shift_ns_ = static_cast<std::int64_t>(random_.below(1'000'000'000'000));
    processes_.resize(world.all.info.processes.size());
    channels_.resize(world.ways.size());
  }

  bool is_seen(const Event& event) const { return event.machine == machine_; }

  Event seen(Event event) {
    event.machine = MachineId{0};
    event.local_time.ns += clock_shift_ns_;
    event.process = process(event.process);
    event.channel = channel(event.channel);
    event.passed_channel = channel(event.passed_channel);
    if (event.type == EventType::receive_call && event.code != 0) {
      const ChannelId only = channel(world_->all.info.channel_sets[event.code].front());
      event.code = static_cast<std::uint32_t>(info.channel_sets.size());
      info.channel_sets.push_back({only});
    }
    return event;
  }

  TraceInfo info;

 private:
  ProcessId process(ProcessId whole) {
    ProcessId& ours = processes_[whole.value];
    if (ours.is_none()) {
      ours = ProcessId{static_cast<std::uint32_t>(info.processes.size())};
      info.processes.push_back(world_->all.info[whole]);
      info.processes.back().machine = MachineId{0};
    }
    return ours;
  }

  ChannelEnd end(const SocketEnd& socket) {
    ChannelEnd made{socket.address, socket.port, {}, 0};
    if (world_->all.info[socket.process].machine != machine_) {
      if (made.address.find('.') != std::string::npos && random_.chance(.3)) made.address = "::ffff:" + made.address;
      return made;
    }
    made.machine = MachineId{0};
    made.socket = socket.socket;
    made.address = socket.bound_to;
    return made;
  }

  ChannelId channel(ChannelId whole) {
    if (whole.is_none()) return {};
    ChannelId& ours = channels_[whole.value];
    if (ours.is_none()) {
      ours = ChannelId{static_cast<std::uint32_t>(info.channels.size())};
      const Way& way = world_->ways[whole.value];
      ChannelInfo channel = world_->all.info[whole];
      channel.medium = way.medium;
      channel.sender = end(way.from);
      channel.receiver = end(way.to);
      info.channels.push_back(channel);
    }
    return ours;
  }

  const World* world_;
  MachineId machine_;
  Random random_;
  std::int64_t clock_shift_ns_ = 0;
  std::vector<ProcessId> processes_;
  std::vector<ChannelId> channels_;
};

// The machines' views, merged while they grow, in batches that come in any order between machines.
Recording merged_again(const World& world, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::unique_ptr<MachineView>> views;
  std::vector<std::vector<Event>> left;  // by machine, last one first
  TraceUnion united;
  for (std::uint32_t m = 0; m < world.all.info.machines.size(); ++m) {
    const MachineId machine{static_cast<std::uint16_t>(m)};
    views.push_back(std::make_unique<MachineView>(world, machine, seed + m));
    auto& events = left.emplace_back();
    for (const Event& event : world.all.events)
      if (views.back()->is_seen(event)) events.push_back(event);
    std::reverse(events.begin(), events.end());
    united.add(views.back()->info, "trace " + std::to_string(m));
  }
  std::vector<TableSizes> told;
  for (const auto& view : views) told.push_back(TableSizes::of(view->info));
  const auto tell = [&](std::size_t m) {
    const TraceGrowth growth = TraceGrowth::since(told[m], views[m]->info);
    growth.add_to(told[m]);
    united.grow(m, growth);
  };
  Recording merged;
  for (std::size_t waiting = world.all.events.size(); waiting > 0;) {
    const std::size_t m = random.below(views.size());
    std::vector<Event> batch;
    for (std::size_t size = random.below(9); size > 0 && !left[m].empty(); --size, --waiting) {
      batch.push_back(views[m]->seen(left[m].back()));
      left[m].pop_back();
    }
    tell(m);
    united.remap(m, batch, merged.events);
  }
  for (std::size_t m = 0; m < views.size(); ++m) {  // what was learnt late
    tell(m);
    TraceGrowth news;
    const auto& channels = views[m]->info.channels;
    for (std::uint32_t i = 0; i < channels.size(); ++i) news.channels_again.push_back({ChannelId{i}, channels[i]});
    united.grow(m, news);
  }
  CHECK(united.refused_events() == 0);
  for (const auto& warning : united.warnings()) FAIL_CHECK(warning);
  merged.info = united.info();
  merged.losses.seen = merged.events.size();
  return merged;
}

Recording resolve(const Recording& recording) {
  MessageSurvey survey;
  REQUIRE(MemorySource(recording).run(survey));
  RecordingSink sink;
  MessageResolver resolver(std::move(survey), sink);
  REQUIRE(MemorySource(recording).run(resolver));
  return sink.recording();
}

// By pid, what each process did, in its order.
std::map<std::uint32_t, std::vector<std::string>> deeds(const Recording& recording) {
  std::map<std::uint32_t, std::vector<std::string>> deeds;
  const TraceInfo& info = recording.info;
  for (const Event& event : recording.events) {
    std::string text(name_of(event.type));
    text += event.peer.is_none() ? " -" : " " + std::to_string(info[event.peer].pid);
    text += fmt::format(" #{} {} {}{}", event.sequence, event.length_bytes, event.proc_time_ns,
                        (event.flags & event_flags::kNoMessage) != 0 ? " no message" : "");
    if (event.type == EventType::receive_call) text += event.code == 0 ? " any" : " one";
    deeds[info[event.process].pid].push_back(text);
  }
  return deeds;
}

}  // namespace

TEST_CASE("merge: a computation cut into one trace for each machine has the same messages when merged", "[merge]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Shape shape;
    shape.machines = 2 + static_cast<std::uint32_t>(random.below(4));
    shape.processes = 1 + static_cast<std::uint32_t>(random.below(3));
    shape.connections = 5 + static_cast<std::uint32_t>(random.below(40));
    const World world = WorldMaker(seed, shape).make();
    const Recording merged = merged_again(world, seed);
    INFO("seed " << seed);
    CHECK(merged.info.machines.size() == world.all.info.machines.size());
    CHECK(merged.info.processes.size() <= world.all.info.processes.size());
    CHECK(merged.info.channels.size() == world.all.info.channels.size());
    CHECK(deeds(resolve(merged)) == deeds(resolve(world.all)));
  }
}
