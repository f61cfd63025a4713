// Requests to a running meter, as lines over a local socket.
//
//     flags LIST    changes which events are metered, as in `--flags`; answers the resulting flags
//     status        answers a line of meter_status.hpp
//     processes     answers the ids of the program's running processes: "100 104"
//     stop          ends the metering; the program goes on. Answers "stopping" before it does so
//
// Each request gets one line, "ok ..." or "error ...". Only the meter's own account and root may ask. A client that sends
// anything but a line of text is dropped.
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

// The parts of a meter that requests use.
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

  // For the calling process, which must be a meter.
  static Result<ControlServer> open(MeterControl control);
  ControlServer(ControlServer&&) = default;
  ControlServer& operator=(ControlServer&&) = delete;
  ~ControlServer();

  int fd() const { return ready_.get(); }  // readable when handle() has something to do
  void handle();                           // never waits

 private:
  struct Client {
    UniqueFd connection;
    std::string pending;  // the beginning of a line
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

// Asks the meter of a program. Returns its answer after "ok ", or its error.
Result<std::string> ask_meter(const KeptProgram& program, const std::string& request);
// The same for the program to which process `pid` belongs.
Result<std::string> ask_meter(std::uint32_t pid, const std::string& request);

}  // namespace dpm
