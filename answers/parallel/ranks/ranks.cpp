#include "answers/parallel/ranks/ranks.hpp"

#include "model/check.hpp"

namespace dpm {

std::vector<Bytes> Ranks::exchange(std::vector<Bytes> for_each) {
  DPM_CHECK(for_each.size() == count());
  std::vector<Bytes> received(count());
  // Each begins with its neighbour, so that not all send to the same one.
  for (std::uint32_t step = 1; step < count(); ++step) {
    const std::uint32_t to = (own() + step) % count();
    send(to, std::move(for_each[to]));
  }
  received[own()] = std::move(for_each[own()]);
  for (std::uint32_t step = 1; step < count(); ++step) {
    const std::uint32_t from = (own() + count() - step) % count();
    received[from] = receive(from);
  }
  return received;
}

std::vector<Bytes> Ranks::all(const Bytes& own_bytes) { return exchange(std::vector<Bytes>(count(), own_bytes)); }

Bytes Ranks::from_first(Bytes bytes) {
  if (!is_first()) return receive(0);
  for (std::uint32_t to = 1; to < count(); ++to) send(to, bytes);
  return bytes;
}

}  // namespace dpm
