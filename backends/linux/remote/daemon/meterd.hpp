// The meterdaemon: one for each user and machine (metering report 3.5.1). Controllers connect to it, through
// `dpm meterd --attach` and what their launcher makes of that; it has nothing of its own but what it passes on between them and the
// processes that look after charges. It can be killed at any time: the next one finds these again.
//
//     controller ──┐                          ┌── supervisor ── program
//     controller ──┴── "meterd@MACHINE" ── meterd ── supervisor ── program
//                      (a UNIX socket)        └── collector ── filter
//
// It ends by itself when nobody has been connected for a while and there is nothing to look after.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "backends/linux/remote/daemon/charge_link.hpp"
#include "backends/linux/remote/daemon/file_requests.hpp"
#include "backends/linux/remote/daemon/log_settling.hpp"
#include "backends/linux/transport/net/listener.hpp"

namespace dpm {

// The socket of a machine's daemon. `machine` is empty for the daemon of this machine, or the name of one of several
// that stand for machines of their own.
std::string meterd_socket(const std::string& machine);

class Meterd {
 public:
  struct Options {
    std::string machine;
    std::chrono::seconds idle{300};           // after so long without anything it ends
    std::chrono::seconds hello_patience{15};  // for a controller to say who it is
    std::chrono::seconds keep{86'400};        // what has ended, for a controller that is gone
  };

  // `on_ready` is called when it listens. Returns when it has ended by itself; an error if there is one already.
  static Result<void> run(const Options& options, const std::function<void()>& on_ready);

 private:
  using Clock = std::chrono::steady_clock;

  struct Controller {
    std::uint64_t id = 0;
    std::string name;  // empty before its Hello
    std::unique_ptr<MessageStream> stream;
    std::unique_ptr<Timer> hello_timer;
    FileUploads uploads;
  };
  struct Charge {
    control::Charge facts;
    std::unique_ptr<ChargeLink> link;            // empty if its process was killed
    std::unique_ptr<Descriptor> process;         // then: a pidfd of the program
    std::vector<control::Output> held;           // that came after the controller had gone
    std::vector<ChargeLink::Answer> killers;     // who waits for its end, without a supervisor
    std::optional<Clock::time_point> abandoned;  // when it was first seen ended, and its controller gone
  };
  using Asker = std::pair<std::uint64_t, std::uint64_t>;  // a controller's id, its request's number

  Meterd(asio::io_context& context, Options options)
      : context_(context), options_(std::move(options)), idle_timer_(context) {}
  Result<void> begin();
  void find_charges();

  void accept(UniqueFd socket);
  void drop(std::uint64_t id, const std::string& why, bool broken);
  void on_request(Controller& controller, control::Request request);
  void greet(Controller& controller, std::uint64_t number, const control::Hello& hello);
  void welcome(Controller& controller, std::uint64_t number);
  std::vector<control::Charge> describe_charges() const;

  void reply(Asker asker, control::ReplyBody body);
  void perform(Controller& controller, Asker asker, control::RequestBody& request);
  template <typename Request>
  void pass_on(Controller& controller, Asker asker, const Request& request);
  void create(Controller& controller, Asker asker, control::RequestBody request, const char* role);
  void on_created(Asker asker, const std::shared_ptr<std::unique_ptr<ChargeLink>>& link, control::Charge facts,
                  control::ReplyBody body);
  void adopt(Controller& controller, Asker asker, std::uint32_t pid);
  void find_file(Asker asker, const std::shared_ptr<FileSearch>& search);
  void list_log(Asker asker, const control::GetLog& request, const std::shared_ptr<LogSettling>& settling);
  void get_log(Asker asker, const control::GetLog& request);

  std::unique_ptr<ChargeLink> connect_charge(UniqueFd socket);
  void look_after(control::Charge facts, std::unique_ptr<ChargeLink> link);
  void set_listener(Charge& charge, const std::string& controller);
  void on_report(ChargeLink* link, control::ReportBody body);
  void on_charge_end(ChargeLink* link);
  void on_program_end(std::uint32_t pid);
  void kill_unattended(Charge& charge, ChargeLink::Answer answer);
  void release(Charge& charge, const ChargeLink::Answer& answer);
  void forget_abandoned();

  Charge* find(std::uint32_t pid);
  Charge* find(const ChargeLink* link);
  Controller* find_controller(const std::string& name);
  void tell_owner(const Charge& charge, control::ReportBody body);
  void pause(const std::string& controller, bool on);
  void note_activity();
  static void log(const std::string& line);

  asio::io_context& context_;
  Options options_;
  std::optional<SocketFolder> folder_;
  std::optional<Listener> listener_;
  std::map<std::uint64_t, Controller> controllers_;
  std::uint64_t next_controller_ = 1;
  std::map<std::uint32_t, Charge> charges_;  // by pid
  std::size_t charges_being_made_ = 0;
  std::size_t charges_being_found_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waiting_hellos_;
  std::uint64_t dropped_peers_ = 0;
  Timer idle_timer_;
};

}  // namespace dpm
