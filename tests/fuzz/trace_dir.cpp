// links: dpm_filter dpm_trace dpm_model
// A trace directory may come from anywhere. The input overwrites a piece of a good trace: first byte, which file
// (trace.json or the stream), and whether the trace is compressed; next two, where; the rest, with what. The trace is refused, or
// its books balance and its ids are in its tables, and so it is with the trace that `dpm compress` makes of it.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "filter/event_filter.hpp"
#include "model/check.hpp"
#include "trace/ctf_packet.hpp"
#include "trace/event_fields.hpp"
#include "trace/repack.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace {

void write_trace(const std::string& directory, bool compressed) {
  dpm::TraceInfo info;
  info.machines.push_back({"red", 1});
  for (int i = 0; i < 3; ++i) info.processes.push_back({"p", "program", dpm::MachineId{0}});
  info.processes[1].acquired = true;
  info.processes[1].began_ns = 10;
  info.machines[0].addresses = {"10.0.0.1"};
  info.channels.push_back({dpm::ProcessId{0}, "c"});
  info.channels[0].medium = dpm::ChannelMedium::tcp;
  info.channels[0].sender = {"10.0.0.1", 4000, dpm::MachineId{0}, 7};
  info.channels[0].receiver = {"10.0.0.2", 80, {}, 0};
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer =
      dpm::TraceWriter::create(directory, dpm::describe_events(info.filters, rules), {.compressed = compressed})
          .value();
  dpm::EventFilter filter(std::move(rules), *writer);
  filter.on_begin(info);
  for (std::uint32_t i = 0; i < 20; ++i) {
    dpm::Event event;
    event.type = dpm::kEventTypes[i % dpm::kEventTypes.size()];
    event.machine.value = 0;
    event.process.value = i % 3;
    filter.on_events(std::span(&event, 1));
    if (i % 4 == 3) writer->flush();
  }
  dpm::LossReport losses;
  losses.seen = 20;
  filter.on_end(losses);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Random damage never has the right checksum: it is set right, so that what lies behind it is tested as well.
void repair_checksum(std::string& bytes) {
  dpm::PacketHead head;
  if (bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::uint64_t size = head.packet_size_bits / 8;
  if (size < sizeof head || size > bytes.size()) return;
  head.checksum = dpm::checksum_of(std::as_bytes(std::span(bytes).first(static_cast<std::size_t>(size))));
  std::memcpy(bytes.data(), &head, sizeof head);
}

bool in_table(std::uint64_t id, std::uint64_t none, std::size_t size) { return id == none || id < size; }

void read(const std::string& directory) {
  auto reader = dpm::TraceReader::open(directory);
  if (!reader) return;
  const dpm::TraceInfo& info = reader->info();
  std::uint64_t events = 0;
  const auto losses = reader->read([&](std::span<const dpm::Event> batch) {
    events += batch.size();
    for (const auto& event : batch) {
      DPM_CHECK(event.process.value < info.processes.size() && event.machine.value < info.machines.size());
      DPM_CHECK(in_table(event.peer.value, dpm::ProcessId::kNone, info.processes.size()));
      DPM_CHECK(in_table(event.channel.value, dpm::ChannelId::kNone, info.channels.size()));
    }
  });
  DPM_CHECK(losses.seen == events + losses.lost());
  DPM_CHECK(reader->ledger().balanced());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  std::string folder = (std::filesystem::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  DPM_CHECK(::mkdtemp(folder.data()) != nullptr);
  const std::string directory = folder + "/trace";
  const bool compressed = data[0] % 32 >= 16;
  write_trace(directory, compressed);
  const std::string path = directory + (data[0] % 2 == 0 ? "/trace.json" : "/ctf/machine_0_filter_0");
  std::string bytes = bytes_of(path);
  const std::size_t at = (data[1] + 256u * data[2]) % bytes.size();
  for (std::size_t i = 3; i < size && at + i - 3 < bytes.size(); ++i) bytes[at + i - 3] = static_cast<char>(data[i]);
  if (data[0] % 4 == 1) repair_checksum(bytes);
  if (data[0] % 8 == 7) bytes.resize(at);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;

  read(directory);
  if (dpm::repack_trace(directory, folder + "/repacked", !compressed)) read(folder + "/repacked");
  std::filesystem::remove_all(folder);
  return 0;
}
