#include "answers/reading/part_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/messages/message_resolver.hpp"
#include "analysis/messages/message_survey.hpp"
#include "answers/reading/tee_sink.hpp"
#include "model/metered_cpu.hpp"
#include "model/process_names.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::cli {
namespace {

// The first event of each machine; its streams are in the order of the index.
std::vector<std::optional<LocalTime>> first_times(const PacketIndex& index, const TraceReader& reader) {
  std::vector<std::optional<LocalTime>> first(reader.info().machines.size());
  for (const IndexedStream& stream : index.streams()) {
    const MachineId machine = reader.machine_of_stream(stream.file);
    if (machine.value >= first.size()) continue;
    for (const IndexedPacket& packet : stream.packets)
      first[machine.value] = std::min(first[machine.value].value_or(packet.first_time), packet.first_time);
  }
  return first;
}

LocalTime later(LocalTime time, double seconds) { return {time.ns + std::llround(seconds * 1e9)}; }

// Times since a process began, as times since its first event in the part. A process that starts in the part has all of them there.
// The CPU time of acquired processes stays as it is, because it counts since their first event anyway.
class SinceFirstEvent {
 public:
  explicit SinceFirstEvent(const TraceInfo& info) : info_(info) {}

  std::span<const Event> of(std::span<const Event> batch) {
    events_.assign(batch.begin(), batch.end());
    for (Event& event : events_) begin_here(event);
    return events_;
  }

 private:
  struct Before {
    std::uint64_t proc_ns = 0, ready_ns = 0, disk_ns = 0;
  };

  void begin_here(Event& event) {
    const bool starts = event.type == EventType::start_process;
    const Before first = starts ? Before{} : Before{event.proc_time_ns, event.ready_time_ns, event.disk_time_ns};
    const Before before = before_.try_emplace(event.process.value, first).first->second;
    if (!was_acquired(info_, event.process)) event.proc_time_ns -= std::min(event.proc_time_ns, before.proc_ns);
    if (event.has_ready_time()) event.ready_time_ns -= std::min(event.ready_time_ns, before.ready_ns);
    if (event.has_disk_time()) event.disk_time_ns -= std::min(event.disk_time_ns, before.disk_ns);
  }

  const TraceInfo& info_;
  std::vector<Event> events_;
  std::unordered_map<std::uint32_t, Before> before_;  // by process
};

}  // namespace

Result<TraceInput> PartReading::read(const std::string& path, const std::vector<EventSink*>& sinks) {
  const std::string directory = trace_directory(path);
  auto reader = TraceReader::open(directory);
  if (!reader) return reader.error();
  if (!reader->can_be_read_in_parts())
    return Error{directory +
                 ": cannot be read in parts: it is not finished, begins in the middle, or has processes that moved; "
                 "leave out --from, --to and --process"};
  const auto index = reader->index();
  if (!index) return index.error();
  const TraceInfo& info = reader->info();
  if (const auto known = check_process_names(info, part_.processes); !known)
    return Error{"--process: " + known.error().what};
  std::vector<std::optional<LocalTime>> first(part_.begins.begin(), part_.begins.end());
  if (first.empty()) first = first_times(*index, *reader);
  TraceReader::Part part;
  std::vector<bool> wanted(info.processes.size(), part_.processes.empty());
  for (std::uint32_t p = 0; p < wanted.size(); ++p)
    if (is_called_one_of(info, ProcessId{p}, part_.processes)) wanted[p] = true;
  part.has = [&](ProcessId process) { return process.value < wanted.size() && wanted[process.value]; };
  part.times_of = [&](MachineId machine) {
    const LocalTime begin = machine.value < first.size() ? first[machine.value].value_or(LocalTime()) : LocalTime();
    return TimeSpan{part_.from_s ? later(begin, *part_.from_s) : LocalTime{INT64_MIN},
                    part_.to_s ? later(begin, *part_.to_s) : LocalTime{INT64_MAX}};
  };
  TeeSink tee(sinks);
  const auto damaged = [&] {
    return Error{directory + ": a packet differs from its entry in the index: the trace is damaged"};
  };
  std::optional<MessageResolver> resolver;
  if (has_live_channels(info)) {
    MessageSurvey survey;
    survey.on_begin(info);
    if (!reader->read_part(*index, part, [&](std::span<const Event> batch) { survey.on_events(batch); }))
      return damaged();
    survey.on_end({});
    resolver.emplace(std::move(survey), tee);
  }
  EventSink& sink = resolver ? static_cast<EventSink&>(*resolver) : tee;
  sink.on_begin(info);
  const bool begins_later = part_.from_s.value_or(0) > 0;
  SinceFirstEvent times(info);
  const auto delivered = reader->read_part(
      *index, part, [&](std::span<const Event> batch) { sink.on_events(begins_later ? times.of(batch) : batch); });
  if (!delivered) return damaged();
  const std::uint64_t kept = reader->ledger().kept;
  (void)reader->report_of(kept);
  Ledger ledger = reader->ledger();
  ledger.warnings.push_back(fmt::format(
      "a part of the trace was read, {} of {} events: messages that cross its border have one end", *delivered, kept));
  sink.on_end({ledger.seen, ledger.losses, ledger.warnings});
  TraceInput input{directory, resolver ? resolver->info() : info, ledger};
  if (resolver)
    input.ledger.warnings.insert(input.ledger.warnings.end(), resolver->warnings().begin(), resolver->warnings().end());
  return input;
}

}  // namespace dpm::cli
