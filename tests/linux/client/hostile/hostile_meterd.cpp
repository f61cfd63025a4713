// Speaks for a meterdaemon on its standard input and output, but not as an honest one. Its machine's name, which the
// launcher gives it, says what it does when it is asked for a file:
//
//     much       prints 64 MB, then answers           endless    prints without end, and never answers
//     states     reports states without end           silent     reads nothing any more
//     red-ends   ends
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "backends/linux/remote/protocol/control_codec.hpp"
#include "model/check.hpp"

namespace dpm::control {
namespace {

constexpr std::size_t kPieceBytes = 128 * 1024;
constexpr int kMuch = 512;  // pieces

void send(const ControlMessage& message) {
  std::string bytes;
  DPM_CHECK(append_message(bytes, message).has_value());
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(STDOUT_FILENO, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) std::exit(0);
    sent += static_cast<std::size_t>(count);
  }
}

// Every name that begins with "red" leads to the same machine.
std::string host_of(const std::string& machine) { return machine.starts_with("red") ? "boot 1:2" : ""; }

void print(int pieces) {
  for (int i = 0; i != pieces; ++i) send(Report{Output{.pid = 1, .bytes = std::string(kPieceBytes, 'y')}});
}

void act(const std::string& machine) {
  if (machine == "much") print(kMuch);
  if (machine == "endless") print(-1);
  while (machine == "states") send(Report{StateChanged{1, ProcessState::stopped, std::string(1000, 'r')}});
  while (machine == "silent") pause();
  if (machine == "red-ends") std::exit(0);
}

int serve(const std::string& machine) {
  FrameReader frames;
  char part[4096];
  for (ssize_t count; (count = read(STDIN_FILENO, part, sizeof part)) > 0;) {
    frames.feed({part, static_cast<std::size_t>(count)});
    for (auto frame = frames.next(); frame && frame->has_value(); frame = frames.next()) {
      const auto message = decode_message(**frame).value();
      const auto& request = std::get<Request>(message);
      if (std::holds_alternative<Hello>(request.body)) {
        send(Reply{request.number, Welcome{.machine = machine, .host = host_of(machine)}});
        continue;
      }
      if (std::holds_alternative<FindFile>(request.body)) act(machine);
      send(Reply{request.number, Done{}});
    }
  }
  return 0;
}

}  // namespace
}  // namespace dpm::control

int main(int count, char** words) { return dpm::control::serve(words[count - 1]); }
