// Speaks for a meterdaemon on its standard input and output, but not as an honest one. Its machine's name, which the
// launcher gives it, says what it does when it is asked for a file:
//
//     much       prints 64 MB, then answers           endless    prints without end, and never answers
//     states     reports states without end           silent     reads nothing any more
//     red-ends   ends
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/control/daemon_on_streams/daemon_on_streams.hpp"

namespace dpm::control {
namespace {

using test::send;

constexpr std::size_t kPieceBytes = 128 * 1024;
constexpr int kMuch = 512;  // pieces

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

}  // namespace
}  // namespace dpm::control

int main(int count, char** words) {
  using namespace dpm::control;
  const std::string machine = words[count - 1];
  test::serve(Welcome{.machine = machine, .host = host_of(machine)}, [&](const Request& request) {
    if (std::holds_alternative<FindFile>(request.body)) act(machine);
    test::send(Reply{request.number, Done{}});
  });
}
