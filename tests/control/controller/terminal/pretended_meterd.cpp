// Speaks for a meterdaemon on its standard input and output, and does nothing. Lines that are sent to a process's standard
// input say what it reports of that process:
//
//     print TEXT      the process prints TEXT and a newline       write TEXT      without the newline
//     end REASON      it ends                                     flood N         it prints N lines
//     hang            nothing is answered any more                break           the connection ends
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/control/controller/fake_machines.hpp"
#include "tests/control/daemon_on_streams/daemon_on_streams.hpp"

namespace dpm::control {
namespace {

using test::send;

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

}  // namespace
}  // namespace dpm::control

// As ssh is called: OPTIONS MACHINE COMMAND
int main(int count, char** arguments) {
  using namespace dpm::control;
  test::FakeMachines machines;
  test::serve(Welcome{.machine = arguments[count - 2]}, [&](const Request& request) {
    const auto answers = machines.ask({{"here", request.body}});
    const auto& answer = answers.at(0);
    test::send(Reply{request.number, answer ? *answer : ReplyBody(Refused{answer.error().what})});
    if (const auto* input = std::get_if<Input>(&request.body)) act(*input);
  });
}
