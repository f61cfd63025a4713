// How a running meter is asked and told from outside: by lines over a local socket.
//
//     flags LIST    changes which events are metered, as in `--flags`; answers the flags that result
//     status        answers a line of meter_status.hpp
//     processes     answers the process ids of the program that run now: "100 104"
//     stop          ends the metering; the program goes on. Answers "stopping" before that is done
//
// Each request gets one line, "ok ..." or "error ...". Only the meter's own account and root are heard, and whoever
// sends what is no line of text is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "backends/linux/custody/keeper/meter_status.hpp"
#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "model/meter_flags.hpp"
#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// What a meter lets others see and change.
struct MeterControl {
  std::function<MeterStatus()> status;
  std::function<void(MeterFlags)> set_flags;
  std::function<std::vector<std::uint32_t>()> processes;
  std::function<void()> stop;
};

// The answer to one line, without its newline. No I/O.
std::string answer_request(std::string_view line, const MeterControl& control);

class ControlServer {
 public:
  static constexpr std::size_t kLineMax = 4096;

  // For the calling process, which is found by being the meter of a program that is kept.
  static Result<ControlServer> open(MeterControl control);
  ControlServer(ControlServer&&) = default;
  ControlServer& operator=(ControlServer&&) = delete;
  ~ControlServer();

  int fd() const { return ready_.get(); }  // readable when there is something to do
  void handle();                           // does it, and never waits

 private:
  struct Client {
    UniqueFd connection;
    std::string pending;  // what has come of a line
  };

  ControlServer(MeterControl control, SocketFolder folder, std::string name, UniqueFd socket, UniqueFd ready);
  void accept_client();
  bool serve(Client& client) const;  // false: drop it

  MeterControl control_;
  SocketFolder folder_;
  std::string socket_name_;
  UniqueFd socket_;
  UniqueFd ready_;  // an epoll of the socket and the clients
  std::list<Client> clients_;
};

// Asks the meter of a program. What it answers after "ok ", or its error.
Result<std::string> ask_meter(const KeptProgram& program, const std::string& request);
// The same of the program that process `pid` belongs to.
Result<std::string> ask_meter(std::uint32_t pid, const std::string& request);

}  // namespace dpm
