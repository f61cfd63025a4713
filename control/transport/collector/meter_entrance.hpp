// The first step of every connection to a collector: it proves with its first bytes that it has a key (frames/preamble.hpp),
// or is dropped. Until then it costs a descriptor and some bytes of memory. Connections that wait have a bounded number of
// places (unproved_places.hpp); those that were passed on are out of their reach.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "control/transport/collector/unproved_places.hpp"
#include "control/transport/frames/preamble.hpp"
#include "control/transport/frames/recent_set.hpp"
#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"
#include "trace/delivery_report.hpp"

namespace dpm {

class MeterEntrance {
 public:
  struct Proved {
    UniqueFd socket;  // nothing behind the preamble was read
    std::string identity;
    std::string network;  // peer_network()
  };
  using Refusal = std::uint64_t RefusedConnections::*;  // why one was dropped
  struct Handlers {
    std::function<std::optional<std::string>(std::string_view identity)> find_key;
    std::function<void(Proved)> on_proved;
    std::function<void(Refusal)> on_refused;
  };
  struct Limits {
    std::chrono::milliseconds patience;
    std::size_t places;
  };

  MeterEntrance(asio::io_context& context, Limits limits, Handlers handlers)
      : context_(context), limits_(limits), handlers_(std::move(handlers)), places_(limits.places) {}

  void accept(UniqueFd socket);  // non-blocking
  void note_meter(const std::string& network) { places_.note_meter(network); }
  bool make_room();  // drops one; false: there is none
  void drop_all();

 private:
  using Number = UnprovedPlaces::Number;
  static constexpr std::size_t kNoncesMax = 4096;
  struct Waiting {
    Waiting(asio::io_context& context, UniqueFd socket, PreambleReader begun, std::string from)
        : descriptor(context, std::move(socket)),
          patience(context),
          preamble(std::move(begun)),
          network(std::move(from)) {}
    Descriptor descriptor;
    Timer patience;
    PreambleReader preamble;
    std::string network;
  };
  enum class Progress { waits, complete, refused };

  static Progress read(int socket, PreambleReader& preamble);
  void go_on(Number number);
  void judge(UniqueFd socket, const PreambleReader& preamble, const std::string& network);
  void drop(Number number, Refusal why);

  asio::io_context& context_;
  Limits limits_;
  Handlers handlers_;
  UnprovedPlaces places_;
  RecentSet<Nonce> nonces_{kNoncesMax};  // of preambles that were proved
  std::map<Number, std::unique_ptr<Waiting>> waiting_;
  Number last_ = 0;
};

}  // namespace dpm
