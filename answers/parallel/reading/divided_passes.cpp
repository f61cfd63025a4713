#include "answers/parallel/reading/divided_passes.hpp"

#include <algorithm>
#include <optional>

#include "analysis/parallelism/pass_writer.hpp"
#include "analysis/parallelism/streamed_pass.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kPieceEvents = 8'192;  // of 24 bytes: a piece stays in the cache

// The passes of one worker: of one step, of both, or none.
class OwnPasses {
 public:
  OwnPasses(std::uint32_t rank, std::uint32_t ranks, std::uint32_t processes) {
    if (rank == 0) no_delay_.emplace(processes, MessageDelays::none);
    if (rank == 1 || ranks == 1) delay_.emplace(processes, MessageDelays::target);
  }

  // False: it is not a piece of this history.
  bool take(const Bytes& piece) {
    ByteReader in(piece);
    while (in.ok() && !in.at_end()) {
      const auto process = in.get<std::uint32_t>();
      in.get(events_);
      if (!in.ok()) return false;
      if (no_delay_ && !no_delay_->add(process, events_)) return false;
      if (delay_ && !delay_->add(process, events_)) return false;
    }
    return in.ok();
  }

  StepPaths paths() const {
    return {no_delay_ ? no_delay_->path() : LongestPath(), delay_ ? delay_->path() : LongestPath()};
  }

 private:
  std::optional<StreamedPass> no_delay_, delay_;
  std::vector<PassEvent> events_;
};

bool passes(std::uint32_t rank) { return rank < 2; }

}  // namespace

// What one worker has found.
struct DividedPasses::Found {
  StepPaths paths;
  std::uint64_t traced_cpu_ns = 0;
  bool is_well = true;  // false: what others sent is not of this history
};

Result<PassedTogether> DividedPasses::pass(const HistoryShare& share, MessageCosts& costs) {
  Found found;
  exchange_pieces(share, costs, found);
  if (!ranks_.is_first()) {
    ByteWriter out;
    out.put(found);
    ranks_.send(0, out.take());
    return Error{"the first rank has the results"};
  }
  for (std::uint32_t rank = 1; rank < ranks_.count(); ++rank) {
    const Bytes bytes = ranks_.receive(rank);
    ByteReader in(bytes);
    const auto theirs = in.get<Found>();
    if (rank == 1) found.paths.delay = theirs.paths.delay;
    found.traced_cpu_ns += theirs.traced_cpu_ns;
    found.is_well &= in.ok() && theirs.is_well;
  }
  if (!found.is_well) return alone_("a rank sent a message that the first rank cannot read");
  if (found.paths.no_delay.not_reached > 0) return alone_("messages are received before they are sent, by the trace");
  return PassedTogether{found.paths, found.traced_cpu_ns};
}

// As many for all, so that those of one time come together.
std::uint64_t DividedPasses::agree_on_pieces(std::uint64_t own_events, Found& found) {
  ByteWriter out;
  out.put(own_events);
  std::uint64_t most = 0;
  for (const Bytes& bytes : ranks_.all(out.take())) {
    ByteReader in(bytes);
    const auto events = in.get<std::uint64_t>();
    found.is_well &= in.ok() && events <= kNoEvent;
    if (events <= kNoEvent) most = std::max(most, events);
  }
  return most / kPieceEvents + 1;
}

void DividedPasses::exchange_pieces(const HistoryShare& share, MessageCosts& costs, Found& found) {
  PassWriter writer(share, costs);
  OwnPasses own(ranks_.own(), ranks_.count(), share.process_count());
  const std::uint64_t pieces = agree_on_pieces(share.event_count(), found);
  for (std::uint64_t piece = 1; piece <= pieces; ++piece) {
    ByteWriter out;
    writer.write_until(share.event_count() * piece / pieces, out);
    Bytes bytes = out.take();
    std::vector<Bytes> for_each(ranks_.count());
    for (std::uint32_t rank = 0; rank < ranks_.count(); ++rank)
      if (passes(rank) && rank != ranks_.own()) for_each[rank] = bytes;
    auto received = ranks_.exchange(std::move(for_each));
    if (!passes(ranks_.own())) continue;
    received[ranks_.own()] = std::move(bytes);
    for (const Bytes& theirs : received) found.is_well &= own.take(theirs);
  }
  found.paths = own.paths();
  found.traced_cpu_ns = writer.traced_cpu_ns();
}

}  // namespace dpm
