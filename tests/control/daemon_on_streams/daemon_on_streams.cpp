#include "tests/control/daemon_on_streams/daemon_on_streams.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "control/protocol/control_codec.hpp"
#include "model/check.hpp"

namespace dpm::control::test {

void send(const ControlMessage& message) {
  std::string bytes;
  DPM_CHECK(append_message(bytes, message).has_value());
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) std::exit(0);
    sent += static_cast<std::size_t>(count);
  }
}

void serve(const Welcome& welcome, const std::function<void(const Request&)>& perform) {
  FrameReader frames;
  char part[4096];
  for (ssize_t count; (count = ::read(STDIN_FILENO, part, sizeof part)) > 0;) {
    frames.feed({part, static_cast<std::size_t>(count)});
    for (auto frame = frames.next(); frame && frame->has_value(); frame = frames.next()) {
      const auto message = decode_message(**frame).value();
      const auto& request = std::get<Request>(message);
      if (std::holds_alternative<Hello>(request.body)) {
        send(Reply{request.number, welcome});
      } else {
        perform(request);
      }
    }
  }
}

}  // namespace dpm::control::test
