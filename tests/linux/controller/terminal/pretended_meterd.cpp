// Speaks for a meterdaemon on its standard input and output, so that DPM_SSH can name it, and does nothing. Lines that
// are sent to a process's standard input say what it reports of that process:
//
//     print TEXT      the process prints TEXT and a newline       write TEXT      without the newline
//     end REASON      it ends                                     flood N         it prints N lines
//     hang            nothing is answered any more                break           the connection ends
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "backends/linux/remote/protocol/control_codec.hpp"
#include "model/check.hpp"
#include "tests/linux/controller/fake_machines.hpp"

namespace dpm::control {
namespace {

void send(const ControlMessage& message) {
  std::string bytes;
  DPM_CHECK(append_message(bytes, message).has_value());
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(STDOUT_FILENO, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) std::exit(0);
    sent += static_cast<std::size_t>(count);
  }
}

void act(const Input& input) {
  const std::string line = input.bytes.substr(0, input.bytes.find('\n'));
  const auto blank = line.find(' ');
  const std::string verb = line.substr(0, blank), rest = blank == std::string::npos ? "" : line.substr(blank + 1);
  if (verb == "print") send(Report{Output{.pid = input.pid, .bytes = rest + "\n"}});
  if (verb == "write") send(Report{Output{.pid = input.pid, .bytes = rest}});
  if (verb == "end") send(Report{StateChanged{input.pid, ProcessState::killed, rest}});
  if (verb == "flood")
    for (int i = std::atoi(rest.c_str()); i > 0; --i)
      send(Report{Output{.pid = input.pid, .bytes = "line " + std::to_string(i) + "\n"}});
  if (verb == "hang")
    while (true) pause();
  if (verb == "break") std::exit(0);
}

int serve() {
  test::FakeMachines machines;
  FrameReader frames;
  char part[4096];
  for (ssize_t count; (count = read(STDIN_FILENO, part, sizeof part)) > 0;) {
    frames.feed({part, static_cast<std::size_t>(count)});
    for (auto frame = frames.next(); frame && frame->has_value(); frame = frames.next()) {
      const auto message = decode_message(**frame).value();
      const auto& request = std::get<Request>(message);
      if (std::holds_alternative<Hello>(request.body)) {
        send(Reply{request.number, Welcome{.machine = "pretended"}});
        continue;
      }
      const auto answers = machines.ask({{"here", request.body}});
      send(Reply{request.number, answers.at(0).value()});
      if (const auto* input = std::get_if<Input>(&request.body)) act(*input);
    }
  }
  return 0;
}

}  // namespace
}  // namespace dpm::control

int main() { return dpm::control::serve(); }
