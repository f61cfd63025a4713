#include "answers/parallel/reading/divided_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/messages/message_resolver.hpp"
#include "analysis/messages/message_survey.hpp"
#include "answers/parallel/reading/process_shares.hpp"
#include "answers/reading/await_recorder.hpp"
#include "answers/reading/tee_sink.hpp"
#include "backends/replay/replay_source.hpp"

namespace dpm {
namespace {

constexpr unsigned kPartNumbersShift = 40;  // more datagrams than this no part has

// What workers must agree about before they read: the same files, seen from each machine.
std::string digest_of(const std::string& directory, const TraceReader& reader) {
  std::string digest = fmt::format("{} events kept", reader.ledger().kept);
  std::error_code ignored;
  for (const auto& name : {"trace.json", "ctf/metadata"})
    digest += fmt::format(", {} has {} bytes", name, std::filesystem::file_size(directory + "/" + name, ignored));
  return digest;
}

Bytes bytes_of(const std::string& text) {
  ByteWriter out;
  out.put(text);
  return out.take();
}

std::string text_of(const Bytes& bytes) {
  ByteReader in(bytes);
  std::string text;
  in.get(text);
  return text;
}

}  // namespace

// An error of one worker is the error of all, with the name of that worker unless all have the same.
Result<void> DividedReading::agree(const Result<void>& own) {
  ByteWriter out;
  out.put(own.has_value());
  out.put(own.has_value() ? std::string() : own.error().what);
  out.put(ranks_.name());
  std::vector<std::pair<std::string, std::string>> failed;  // what, who
  const auto all = ranks_.all(out.take());
  for (const Bytes& bytes : all) {
    ByteReader in(bytes);
    const bool is_well = in.get<bool>();
    std::string what, who;
    in.get(what);
    in.get(who);
    if (!is_well) failed.emplace_back(what, who);
  }
  if (failed.empty()) return {};
  const bool is_common =
      failed.size() == all.size() &&
      std::all_of(failed.begin(), failed.end(), [&](const auto& other) { return other.first == failed.front().first; });
  if (is_common) return Error{failed.front().first};
  return Error{fmt::format("{}: {}", failed.front().second, failed.front().first)};
}

Result<void> DividedReading::agree_on(const Result<std::string>& text) {
  if (const auto read = agree(text ? Result<void>() : Result<void>(text.error())); !read) return read;
  const bool is_same = *text == text_of(ranks_.from_first(bytes_of(*text)));
  return agree(is_same ? Result<void>() : Error{"a file on the command line differs from that of the first rank"});
}

// Machines may differ in what they see of a file system, such as its locks.
bool DividedReading::all_of(bool own) {
  ByteWriter out;
  out.put(own);
  const auto all = ranks_.all(out.take());
  return std::all_of(all.begin(), all.end(), [](const Bytes& bytes) { return ByteReader(bytes).get<bool>(); });
}

Error DividedReading::alone(const std::string& why) {
  why_alone_ = why;
  return Error{why};
}

Result<cli::TraceInput> DividedReading::read(const std::string& path, const std::vector<EventSink*>& sinks) {
  const std::string directory = trace_directory(path);
  cli::await_recorder(directory);
  auto reader = TraceReader::open(directory);
  if (const auto opened = agree(reader ? Result<void>() : Result<void>(reader.error())); !opened) return opened.error();
  const std::string own = digest_of(directory, *reader);
  const std::string first = text_of(ranks_.from_first(bytes_of(own)));
  const Result<void> same =
      own == first
          ? Result<void>()
          : Error{fmt::format("{} differs from the trace of the first rank ({}; there: {})", directory, own, first)};
  if (const auto agreed = agree(same); !agreed) return agreed.error();
  if (!all_of(reader->can_be_read_in_parts()))
    return alone("the trace is not finished, begins in the middle, or has processes that moved");
  std::vector<DividedSink*> divided;
  for (EventSink* sink : sinks) {
    divided.push_back(dynamic_cast<DividedSink*>(sink));
    if (divided.back() == nullptr) return alone("an option of this command needs all events in one place");
  }
  return read_parts(directory, *reader, divided);
}

// The first worker has it; the others get it.
Result<PacketIndex> DividedReading::index_of(const std::string& directory, const TraceReader& reader) {
  std::string text;
  Result<void> status;
  if (ranks_.is_first()) {
    const auto index = reader.index();
    if (index) {
      text = index->to_bytes();
    } else {
      status = index.error();
    }
  }
  if (const auto agreed = agree(status); !agreed) return agreed.error();
  return PacketIndex::from_bytes(directory, text_of(ranks_.from_first(bytes_of(text))));
}

Result<cli::TraceInput> DividedReading::read_parts(const std::string& directory, TraceReader& reader,
                                                   const std::vector<DividedSink*>& sinks) {
  const auto index = index_of(directory, reader);
  if (!index) return index.error();
  const TraceInfo& recorded = reader.info();
  const Shares shares(
      ranks_.own(), ranks_.count(),
      divide_processes(recorded, index->records_of_processes(recorded.processes.size()), ranks_.count()));
  for (DividedSink* sink : sinks) sink->divide(shares);
  cli::TeeSink tee({sinks.begin(), sinks.end()});
  std::optional<MessageResolver> resolver;
  if (has_live_channels(recorded)) {
    MessageSurvey survey;
    ReplaySource source(directory);
    if (const auto done = agree(source.run(survey)); !done) return done.error();
    resolver.emplace(std::move(survey), tee);
    resolver->number_unsent_from(std::uint64_t{ranks_.own()} << kPartNumbersShift);
  }
  EventSink& sink = resolver ? static_cast<EventSink&>(*resolver) : tee;
  sink.on_begin(recorded);
  const auto delivered = reader.read_part(*index, {.has = [&](ProcessId process) { return shares.has(process); }},
                                          [&](std::span<const Event> batch) { sink.on_events(batch); });
  exchange(shares, sinks);
  const bool is_divisible =
      std::all_of(sinks.begin(), sinks.end(), [](const DividedSink* part) { return part->is_divisible(); });
  ByteWriter out;
  out.put(delivered.has_value() && is_divisible);
  out.put(delivered.value_or(0));
  out.put(resolver ? resolver->unsent() : MessageResolver::Unsent());
  std::uint64_t total = 0;
  bool is_whole = true;
  const auto all = ranks_.all(out.take());
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    ByteReader in(all[rank]);
    is_whole &= in.get<bool>();
    total += in.get<std::uint64_t>();
    const auto unsent = in.get<MessageResolver::Unsent>();
    if (resolver && rank != ranks_.own()) resolver->add(unsent);
  }
  if (!is_whole || total != reader.ledger().kept)
    return alone("the trace is damaged, or its processes moved, or the order between processes matters in it");
  bring_together(sinks);
  if (has_given_) return Error{"the first rank has the results"};
  const LossReport losses = reader.report_of(total);
  sink.on_end(losses);
  if (std::any_of(sinks.begin(), sinks.end(), [](const DividedSink* part) { return !part->is_divisible(); }))
    return alone("the order between processes matters in this trace");
  cli::TraceInput input{directory, resolver ? resolver->info() : recorded, reader.ledger()};
  if (resolver)
    input.ledger.warnings.insert(input.ledger.warnings.end(), resolver->warnings().begin(), resolver->warnings().end());
  return input;
}

void DividedReading::exchange(const Shares& shares, const std::vector<DividedSink*>& sinks) {
  for (DividedSink* sink : sinks) {
    for (int round = 0; round < sink->rounds(); ++round) {
      std::vector<ByteWriter> writers(ranks_.count());
      sink->put_for(shares, round, writers);
      std::vector<Bytes> for_each;
      for (ByteWriter& writer : writers) for_each.push_back(writer.take());
      const auto received = ranks_.exchange(std::move(for_each));
      for (std::uint32_t rank = 0; rank < ranks_.count(); ++rank) {
        if (rank == ranks_.own()) continue;
        ByteReader in(received[rank]);
        sink->take_from(shares, round, rank, in);
      }
    }
  }
}

void DividedReading::bring_together(const std::vector<DividedSink*>& sinks) {
  for (DividedSink* sink : sinks) {
    if (!sink->is_gathered()) continue;
    std::vector<Bytes> received(ranks_.count());
    if (takers_ == Takers::everyone || !ranks_.is_first()) {
      ByteWriter out;
      sink->give(out);
      if (takers_ == Takers::first) {
        ranks_.send(0, out.take());
        has_given_ = true;
        continue;
      }
      received = ranks_.all(out.take());
    }
    for (std::uint32_t rank = 0; rank < ranks_.count(); ++rank) {
      if (rank == ranks_.own()) continue;
      const Bytes bytes = takers_ == Takers::first ? ranks_.receive(rank) : std::move(received[rank]);
      ByteReader in(bytes);
      sink->take(in);
    }
  }
}

std::vector<double> DividedReading::shared(std::size_t count, const std::function<double(std::size_t)>& number_of) {
  std::vector<double> own;
  for (std::size_t i = ranks_.own(); i < count; i += ranks_.count()) own.push_back(number_of(i));
  ByteWriter out;
  out.put(own);
  const auto all = ranks_.all(out.take());
  std::vector<double> numbers(count);
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    ByteReader in(all[rank]);
    std::vector<double> theirs;
    in.get(theirs);
    for (std::size_t i = 0; i < theirs.size(); ++i) numbers.at(rank + i * ranks_.count()) = theirs[i];
  }
  return numbers;
}

}  // namespace dpm
