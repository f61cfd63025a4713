// Standard input, output and error of a program under control (metering report 3.5.2), at our end of the pipes.
//
// Output is kept until a controller takes it. While a slow controller listens, the program waits as it would for a slow
// terminal, for at most kListenerPatience. While no controller listens, the program never waits: output beyond
// kKeptBytesMax is dropped and counted.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "control/agents/output_buffer.hpp"
#include "model/result.hpp"
#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class ProgramStreams {
 public:
  static constexpr std::size_t kKeptBytesMax = 4 * 1024 * 1024;
  static constexpr std::size_t kInputBytesMax = 4 * 1024 * 1024;
  // A controller that takes nothing for this long is treated as gone.
  static constexpr std::chrono::seconds kListenerPatience{30};

  // The program's ends: the caller closes them after the program has inherited them.
  struct ProgramEnds {
    UniqueFd input, output, error;
  };

  struct Handlers {
    std::function<bool()> may_send;  // a controller listens, and there is room
    std::function<bool()> is_listened_to;
    std::function<void(OutputBuffer::Piece)> send;
  };

  ProgramStreams(asio::io_context& context, Handlers handlers);
  ProgramStreams(const ProgramStreams&) = delete;
  ProgramStreams& operator=(const ProgramStreams&) = delete;

  // `input_file`: the program's standard input. Empty: a pipe, which add_input() feeds.
  Result<ProgramEnds> open(const std::string& input_file);

  // Refused if the program reads no input from us, or has left too much unread.
  Result<void> add_input(const std::string& bytes, bool end);

  // Sends what may be sent. Call it when `may_send` may have become true.
  void pump();
  // The program has ended: reads what is still in its pipes. Calls `then` when that has been sent, or at once if no
  // controller listens.
  void drain(std::function<void()> then);

  // Our ends of output and error, for the keeper, which reads them when we are dead.
  int output_fd() const { return output_.pipe->fd(); }
  int error_fd() const { return error_.pipe->fd(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Source {
    std::optional<Descriptor> pipe;  // until its end
    bool is_error = false;
  };

  void read(Source& source);
  bool read_once(Source& source, bool keep_all);
  void wait_for(Source& source);
  void write_input();
  void close_input();
  bool has_patience() const;
  bool must_wait() const;
  void update();

  asio::io_context& context_;
  Handlers handlers_;
  Source output_, error_;
  OutputBuffer kept_{kKeptBytesMax};
  Clock::time_point taken_at_;  // when something was last taken
  Timer stall_timer_;
  std::function<void()> when_drained_;

  std::optional<Descriptor> input_;
  std::string pending_input_;
  bool input_ends_ = false;
};

}  // namespace dpm
