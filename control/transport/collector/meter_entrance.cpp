#include "control/transport/collector/meter_entrance.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "control/transport/frames/meter_scope.hpp"
#include "os/descriptors.hpp"
#include "os/net/peer_network.hpp"

namespace dpm {

void MeterEntrance::accept(UniqueFd socket) {
  PreambleReader preamble;
  std::string network = peer_network(socket.get());
  // A meter sends its preamble as soon as it is connected: it has often come already.
  const auto progress = read(socket.get(), preamble);
  if (progress == Progress::complete) return judge(std::move(socket), preamble, network);
  if (progress == Progress::refused) return handlers_.on_refused(&RefusedConnections::not_authenticated);
  const Number number = ++last_;
  const auto evicted = places_.enter(number, network);
  auto& waiting = *waiting_
                       .emplace(number, std::make_unique<Waiting>(context_, std::move(socket), std::move(preamble),
                                                                  std::move(network)))
                       .first->second;
  waiting.patience.start(limits_.patience, [this, number] { drop(number, &RefusedConnections::too_slow); });
  waiting.descriptor.when_readable([this, number] { go_on(number); });
  if (evicted) drop(*evicted, &RefusedConnections::too_many);
}

MeterEntrance::Progress MeterEntrance::read(int socket, PreambleReader& preamble) {
  std::array<char, kPreambleHeadBytes + kIdentityBytesMax> bytes;
  while (const std::size_t wanted = preamble.wanted()) {
    const ssize_t got = ::recv(socket, bytes.data(), wanted, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Progress::waits;
    if (got <= 0 || !preamble.take({bytes.data(), static_cast<std::size_t>(got)})) return Progress::refused;
  }
  return Progress::complete;
}

void MeterEntrance::go_on(Number number) {
  Waiting& waiting = *waiting_.at(number);
  const auto progress = read(waiting.descriptor.fd(), waiting.preamble);
  if (progress == Progress::waits) return waiting.descriptor.when_readable([this, number] { go_on(number); });
  if (progress == Progress::refused) return drop(number, &RefusedConnections::not_authenticated);
  // Its descriptor cannot be taken back.
  UniqueFd socket = duplicate(waiting.descriptor.fd());
  const auto ended = waiting_.extract(number);
  places_.leave(number);
  if (!socket) return handlers_.on_refused(&RefusedConnections::too_many);
  judge(std::move(socket), ended.mapped()->preamble, ended.mapped()->network);
}

void MeterEntrance::judge(UniqueFd socket, const PreambleReader& preamble, const std::string& network) {
  const auto key = handlers_.find_key(preamble.identity());
  // Only nonces that were proved are remembered: others would displace them.
  if (!key || !preamble.is_proved(*key) || !nonces_.add(preamble.nonce()))
    return handlers_.on_refused(&RefusedConnections::not_authenticated);
  handlers_.on_proved({std::move(socket), std::string(preamble.identity()), network});
}

void MeterEntrance::drop(Number number, Refusal why) {
  if (waiting_.erase(number) == 0) return;
  places_.leave(number);
  handlers_.on_refused(why);
}

bool MeterEntrance::make_room() {
  const auto evicted = places_.evict();
  if (evicted) drop(*evicted, &RefusedConnections::too_many);
  return evicted.has_value();
}

void MeterEntrance::drop_all() {
  while (!waiting_.empty()) {
    places_.leave(waiting_.begin()->first);
    waiting_.erase(waiting_.begin());
  }
}

}  // namespace dpm
