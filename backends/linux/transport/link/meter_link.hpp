// The way of a metered program's events from its machine to a filter, wherever that is: an EventSink that sends them to
// the filter's collector over TLS (tls/), in batches of some dozens, or at once where that was asked for.
//
// Nothing is lost that is not counted, and the program is held up as little as can be:
//   - What the collector has not confirmed is kept, in memory first, then on disk. When both are full on_events() waits,
//     and what is recorded meanwhile waits in LinuxSource, until this lets calls pass unrecorded and counts them. When
//     nothing has moved for `patience` the batch is dropped and counted here.
//   - A broken connection is made anew, with pauses that grow; both ends know by number where to go on.
//   - on_end() waits for the last confirmation as long as something moves, and `end_wait` longer. What the collector
//     does not have then stays in a file, as a stream that `dpm filter` reads.
//
// All sockets are waited for in an io_context, by a thread that never serves the metered program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/linux/transport/frames/filter_address.hpp"
#include "backends/linux/transport/net/io_context.hpp"
#include "model/event_source.hpp"
#include "model/time.hpp"
#include "model/trace_growth.hpp"
#include "trace/meter_stream.hpp"

namespace dpm {

struct MeterLinkOptions {
  bool immediate = false;
  std::size_t batch_events = 32;                           // wait for one another,
  Duration delay = Duration::from_seconds(0.1);            // so long at most
  std::size_t memory_events_max = 1 << 16;                 // not confirmed: 4 MB
  std::uint64_t spool_bytes_max = std::uint64_t{1} << 30;  // 0: nothing is kept on disk
  std::string folder;                                      // for what is kept on disk; empty: state_folder()/spool
  Duration patience = Duration::from_seconds(10);
  Duration end_wait = Duration::from_seconds(60);
};

// What became of the events, complete after on_end(): recorded = confirmed + left + lost.
struct LinkReport {
  std::uint64_t recorded = 0;   // given to the link
  std::uint64_t confirmed = 0;  // passed to the filter's standard input
  std::uint64_t left = 0;       // in the file `left_in`, which `dpm filter` reads
  std::vector<Loss> losses;
  std::string left_in;
  std::string problem;  // why the filter could not be reached, the last time; empty: it could

  std::uint64_t lost() const;
  // Sentences for the user, about what did not go as it should.
  std::vector<std::string> warnings() const;
};

// Names that come later than on_begin() come by on_growth(), each once: the source keeps no tables.
class MeterLink : public EventSink, public GrowthSink {
 public:
  // The io_context is run by another thread than that of the events, until the link is gone.
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

 private:
  struct State;
  explicit MeterLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
