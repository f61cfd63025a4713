// Requests to a running meter, as lines over a local socket.
//
//     flags LIST    changes which events are metered, as in `--flags`; answers the resulting flags
//     status        answers a line of meter_status.hpp
//     processes     answers the ids of the program's running processes: "100 104"
//     stop          ends the metering; the program goes on. Answers "stopping" before it does so
//     setmeter PID FLAGS CONNECTION
//                   of that process and those that it starts from now on (metering report 4.1). FLAGS: `keep`, or a list that names
//                   all of them. CONNECTION: `keep`; `none`; `trace`, the meter's own trace; or `given`, a stream socket that comes
//                   with the line (SCM_RIGHTS), to which meter messages go (trace/meter_stream.hpp). Answers "set"
//
// Each request gets one line, "ok ..." or "error ...". Only the meter's own account and root may ask. A client that sends
// anything but a line of text is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
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

// What `setmeter` changes of one process.
struct MeterChange {
  enum class Connection { keep, none, trace, given };
  std::uint32_t pid = 0;
  std::optional<MeterFlags> flags;  // nothing: they stay
  Connection connection = Connection::keep;
  UniqueFd given;
};

// The parts of a meter that requests use.
struct MeterControl {
  std::function<MeterStatus()> status;
  std::function<void(MeterFlags)> set_flags;
  std::function<std::vector<std::uint32_t>()> processes;
  std::function<void()> stop;
  std::function<Result<void>(MeterChange)> set_meter;
};

// The answer to one line, without its newline. `given`: the descriptor that came with it.
std::string answer_request(std::string_view line, const MeterControl& control, UniqueFd given = {});

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
    UniqueFd given;       // that came with it
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

// Asks the meter of a program. Returns its answer after "ok ", or its error. `given` goes with the request, unless it is -1.
Result<std::string> ask_meter(const KeptProgram& program, const std::string& request, int given = -1);
// The same for the program to which process `pid` belongs.
Result<std::string> ask_meter(std::uint32_t pid, const std::string& request, int given = -1);

}  // namespace dpm
