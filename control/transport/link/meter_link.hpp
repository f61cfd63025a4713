// Carries a metered program's events to a filter on any machine: an EventSink that sends them to the filter's collector
// over TLS (tls/), in batches of some dozens, or at once if that was requested.
//
// Every loss is counted, and the program is delayed as little as possible:
//   - Events that the collector has not confirmed are kept, in memory first, then on disk. When both are full, on_events()
//     waits and new events wait in the live source, until the source lets calls pass unrecorded and counts them. When
//     nothing has moved for `patience`, the batch is dropped and counted here.
//   - After a break, the link connects again, with growing pauses. Both ends know by number where to continue.
//   - on_end() waits for the last confirmation while anything moves, and then for `end_wait`. Events that the collector
//     does not have by then stay in a file, as a stream that `dpm filter` reads.
//
// The io_context's thread waits for all sockets. It never serves the metered program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/transport/frames/filter_address.hpp"
#include "control/transport/link/link_watch.hpp"
#include "model/event_source.hpp"
#include "model/time.hpp"
#include "model/trace_growth.hpp"
#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"
#include "trace/meter_stream.hpp"

namespace dpm {

struct MeterLinkOptions {
  bool immediate = false;
  std::size_t batch_events = 32;                           // a batch waits for this many,
  Duration delay = Duration::from_seconds(0.1);            // at most this long
  std::size_t memory_events_max = 1 << 16;                 // not confirmed: 4 MB
  std::uint64_t spool_bytes_max = std::uint64_t{1} << 30;  // 0: nothing is kept on disk
  std::string folder;                                      // for events on disk; empty: state_folder()/spool
  Duration patience = Duration::from_seconds(10);
  Duration end_wait = Duration::from_seconds(60);
  std::function<void(const LinkStatus&)> on_status;  // as in LinkSender::Options; until on_end()
  std::function<Result<UniqueFd>()> dial;            // as in LinkSender::Options
};

// What became of the events, complete after on_end(): recorded = confirmed + left + lost.
struct LinkReport {
  std::uint64_t recorded = 0;   // given to the link
  std::uint64_t confirmed = 0;  // passed to the filter's standard input
  std::uint64_t left = 0;       // in the file `left_in`, which `dpm filter` reads
  std::vector<Loss> losses;
  std::string left_in;
  std::string problem;       // why the filter could not be reached last; empty: it could
  bool is_complete = false;  // the collector has the account of everything

  std::uint64_t lost() const;
  // At the end. What a filter that is gone does not get is not undelivered: its collector counts it.
  LinkStatus status() const;
  // Sentences for the user about what went wrong.
  std::vector<std::string> warnings() const;
};

// Names after on_begin() come through on_growth(), each once: the source keeps no tables.
class MeterLink : public EventSink, public GrowthSink {
 public:
  // `filter` has the key of the meter's machine and job. Another thread than that of the events runs the io_context until the link is destroyed.
  static Result<std::unique_ptr<MeterLink>> create(asio::io_context& context, FilterAddress filter, MeterIdentity meter,
                                                   MeterLinkOptions options = {});
  ~MeterLink() override;

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // From any thread.
  void set_immediate(bool on);
  LinkReport report() const;
  // While the program's end waits for the last events: what is missing now, however short the break is.
  LinkStatus status() const;

 private:
  struct State;
  explicit MeterLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
