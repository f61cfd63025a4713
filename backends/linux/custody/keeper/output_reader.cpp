#include "backends/linux/custody/keeper/output_reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "backends/linux/custody/keeper/detached_process.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

bool is_at_end(int output) {
  char part[64 * 1024];
  const ssize_t length = ::read(output, part, sizeof part);
  return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

// While the meter lives, only the end of an output is noticed: what it holds is the meter's.
void read_when_alone(int meter, std::vector<int> outputs) {
  bool is_alone = false;
  while (!outputs.empty()) {
    std::vector<pollfd> polled = {{is_alone ? -1 : meter, POLLIN, 0}};
    for (const int output : outputs) polled.push_back({output, static_cast<short>(is_alone ? POLLIN : 0), 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    for (std::size_t i = 1; i < polled.size(); ++i)
      if (polled[i].revents != 0 && (!is_alone || is_at_end(polled[i].fd))) std::erase(outputs, polled[i].fd);
    if (polled.front().revents != 0) is_alone = true;
  }
}

}  // namespace

Result<void> start_output_reader(const std::string& program, std::vector<UniqueFd> outputs) {
  const UniqueFd meter = open_process(static_cast<std::uint32_t>(::getpid()));
  if (!meter) return Error::from_errno("open a descriptor of this process, for the reader of its output to watch");
  std::vector<int> read;
  for (const auto& output : outputs) read.push_back(output.get());
  std::vector<int> kept = read;
  kept.push_back(meter.get());
  return spawn_detached("dpm-reader", program, kept,
                        {[] { return Result<void>(); }, [&] { read_when_alone(meter.get(), read); }});
}

}  // namespace dpm
