// Controllers: how they come and go, and what they ask.
#include "backends/linux/remote/daemon/meterd.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "backends/linux/remote/agents/charge_service.hpp"
#include "backends/linux/transport/net/asio.hpp"
#include "os/machine.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::size_t kControllersMax = 64;
constexpr std::size_t kWhyBytesMax = 4096;

}  // namespace

std::string meterd_socket(const std::string& machine) { return "meterd@" + machine; }

Result<void> Meterd::run(const Options& options, const std::function<void()>& on_ready) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_IGN);  // supervisors that end are nobody's business
  asio::io_context context(1);
  Meterd daemon(context, options);
  if (auto begun = daemon.begin(); !begun) return begun;
  on_ready();
  context.run();
  daemon.folder_->remove(meterd_socket(options.machine));
  return {};
}

Result<void> Meterd::begin() {
  auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  folder_ = *std::move(folder);
  const UniqueFd lock = folder_->lock();  // of two that begin at the same time one finds the other
  const std::string name = meterd_socket(options_.machine);
  if (const UniqueFd other = folder_->connect(name, SOCK_STREAM); other)
    return Error{"a meterdaemon runs already: process " + std::to_string(peer_of(other.get()).pid)};
  auto socket = folder_->listen(name, SOCK_STREAM);
  if (!socket) return socket.error();
  listener_.emplace(context_, *std::move(socket), [this](UniqueFd peer) { accept(std::move(peer)); });
  find_charges();
  forget_abandoned();
  note_activity();
  return {};
}

void Meterd::log(const std::string& line) { std::fprintf(stderr, "dpm meterd [%d]: %s\n", ::getpid(), line.c_str()); }

void Meterd::note_activity() {
  idle_timer_.start(options_.idle, [this] {
    if (controllers_.empty() && charges_.empty() && charges_being_made_ == 0) return context_.stop();
    note_activity();
  });
}

void Meterd::accept(UniqueFd socket) {
  const SocketPeer peer = peer_of(socket.get());
  if (!peer.may_ask() || controllers_.size() == kControllersMax) {
    ++dropped_peers_;
    log("refused process " + std::to_string(peer.pid) + " of user " + std::to_string(peer.user) + " (" +
        std::to_string(dropped_peers_) + " peers so far)");
    return;
  }
  const std::uint64_t id = next_controller_++;
  Controller& controller = controllers_[id];
  controller.id = id;
  MessageStream::Handlers handlers;
  handlers.on_message = [this, id](ControlMessage message) {
    auto* request = std::get_if<Request>(&message);
    if (request != nullptr) return on_request(controllers_.at(id), std::move(*request));
    controllers_.at(id).stream->close_when_sent("it answers instead of asking");
  };
  handlers.on_end = [this, id](const std::string& why, bool broken) { drop(id, why, broken); };
  handlers.on_drained = [this, id] {
    if (const auto at = controllers_.find(id); at != controllers_.end()) pause(at->second.name, false);
  };
  controller.stream = std::make_unique<MessageStream>(context_, std::move(socket), std::move(handlers));
  controller.hello_timer = std::make_unique<Timer>(context_);
  controller.hello_timer->start(options_.hello_patience, [this, id] { drop(id, "it did not say who it is", true); });
  note_activity();
}

void Meterd::drop(std::uint64_t id, const std::string& why, bool broken) {
  auto node = controllers_.extract(id);
  if (node.empty()) return;
  Controller& controller = node.mapped();
  if (broken) {
    ++dropped_peers_;
    log("dropped " + (controller.name.empty() ? "a peer" : controller.name) + ": " + why + " (" +
        std::to_string(dropped_peers_) + " peers so far)");
  }
  // Its charges go on, and keep what they have to say.
  if (!controller.name.empty() && find_controller(controller.name) == nullptr) {
    for (auto& [pid, charge] : charges_)
      if (charge.facts.controller == controller.name) set_listener(charge, kNobody);
  }
  note_activity();
}

Meterd::Controller* Meterd::find_controller(const std::string& name) {
  for (auto& [id, controller] : controllers_)
    if (controller.name == name) return &controller;
  return nullptr;
}

void Meterd::reply(Asker asker, ReplyBody body) {
  const auto at = controllers_.find(asker.first);
  if (at == controllers_.end()) return;  // gone meanwhile
  if (auto* refused = std::get_if<Refused>(&body); refused != nullptr && refused->why.size() > kWhyBytesMax)
    refused->why.resize(kWhyBytesMax);
  MessageStream& stream = *at->second.stream;
  if (auto sent = stream.send(Reply{asker.second, std::move(body)}); !sent)
    (void)stream.send(Reply{asker.second, Refused{sent.error().what.substr(0, kWhyBytesMax)}});
}

void Meterd::on_request(Controller& controller, Request request) {
  const Asker asker{controller.id, request.number};
  if (const auto* hello = std::get_if<Hello>(&request.body)) return greet(controller, request.number, *hello);
  if (controller.name.empty()) {
    reply(asker, Refused{"say Hello first"});
    return controller.stream->close_when_sent("it did not say Hello first");
  }
  perform(controller, asker, request.body);
}

void Meterd::greet(Controller& controller, std::uint64_t number, const Hello& hello) {
  const Asker asker{controller.id, number};
  controller.hello_timer->cancel();
  std::string refusal;
  if (hello.version != kControlVersion)
    refusal = "the meterdaemon here has control version " + std::to_string(kControlVersion) +
              ", its controller version " + std::to_string(hello.version) + ": use the same dpm on both machines";
  if (hello.controller == kNobody) refusal = "'" + hello.controller + "' is no name for a controller";
  if (!refusal.empty()) {
    reply(asker, Refused{refusal});
    return controller.stream->close_when_sent(refusal);
  }
  // Names are unlike any other's: the older connection is one that has not noticed its end yet.
  Controller* older = find_controller(hello.controller);
  if (older != nullptr && older != &controller) {
    older->name.clear();
    older->stream->close_when_sent("its controller has connected once more");
  }
  controller.name = hello.controller;
  if (charges_being_found_ > 0) {
    waiting_hellos_.emplace_back(controller.id, number);
  } else {
    welcome(controller, number);
  }
}

void Meterd::welcome(Controller& controller, std::uint64_t number) {
  Welcome welcome;
  welcome.machine = options_.machine.empty() ? machine_name() : options_.machine;
  welcome.addresses = machine_addresses();
  welcome.user = ::geteuid();
  welcome.charges = describe_charges();
  reply({controller.id, number}, std::move(welcome));
  for (auto& [pid, charge] : charges_)
    if (charge.facts.controller == controller.name) set_listener(charge, controller.name);
}

std::vector<control::Charge> Meterd::describe_charges() const {
  std::vector<control::Charge> described;
  for (const auto& [pid, charge] : charges_) {
    described.push_back(charge.facts);
    for (const auto& [id, controller] : controllers_)
      if (controller.name == charge.facts.controller) described.back().attended = true;
  }
  return described;
}

void Meterd::perform(Controller& controller, Asker asker, RequestBody& request) {
  if (std::holds_alternative<CreateProcess>(request) || std::holds_alternative<AcquireProcess>(request))
    return create(controller, asker, std::move(request), "--supervise");
  if (std::holds_alternative<CreateFilter>(request)) return create(controller, asker, std::move(request), "--collect");
  if (const auto* get = std::get_if<GetLog>(&request)) return get_log(asker, *get);
  if (const auto* wanted = std::get_if<Adopt>(&request)) return adopt(controller, asker, wanted->pid);
  if (const auto* find = std::get_if<FindFile>(&request))
    return find_file(asker, std::make_shared<FileSearch>(find->path));
  if (const auto* put = std::get_if<PutFile>(&request)) {
    const auto done = controller.uploads.put(*put);
    return reply(asker, done ? ReplyBody(Done{}) : ReplyBody(Refused{done.error().what}));
  }
  if (std::holds_alternative<ListCharges>(request)) return reply(asker, Charges{describe_charges()});
  if (const auto* wanted = std::get_if<SetFlags>(&request)) return pass_on(controller, asker, *wanted);
  if (const auto* wanted = std::get_if<StartProcess>(&request)) return pass_on(controller, asker, *wanted);
  if (const auto* wanted = std::get_if<StopProcess>(&request)) return pass_on(controller, asker, *wanted);
  if (const auto* wanted = std::get_if<KillProcess>(&request)) return pass_on(controller, asker, *wanted);
  if (const auto* wanted = std::get_if<Release>(&request)) return pass_on(controller, asker, *wanted);
  pass_on(controller, asker, std::get<Input>(request));
}

// In steps, with everything else in between.
void Meterd::find_file(Asker asker, const std::shared_ptr<FileSearch>& search) {
  if (auto found = search->step()) return reply(asker, std::move(*found));
  if (controllers_.contains(asker.first)) later(context_, [this, asker, search] { find_file(asker, search); });
}

// In steps, as above: when the filter has read what was sent to it, and had the time to write it.
void Meterd::list_log(Asker asker, const GetLog& request, const std::shared_ptr<LogSettling>& settling) {
  const Charge* charge = find(request.pid);
  if (charge == nullptr) return reply(asker, Refused{"the filter has been released"});
  if (settling->is_over()) {
    auto files = read_log(charge->facts.log, request);
    return reply(asker, files ? *std::move(files) : ReplyBody(Refused{files.error().what}));
  }
  if (controllers_.contains(asker.first))
    after(context_, LogSettling::kStep, [this, asker, request, settling] { list_log(asker, request, settling); });
}

void Meterd::get_log(Asker asker, const GetLog& request) {
  const Charge* charge = find(request.pid);
  if (charge == nullptr || charge->facts.kind != control::Charge::Kind::filter)
    return reply(asker, Refused{"no filter " + std::to_string(request.pid) + " is looked after here"});
  if (request.file.empty()) return list_log(asker, request, std::make_shared<LogSettling>(request.pid));
  auto piece = read_log(charge->facts.log, request);
  reply(asker, piece ? *std::move(piece) : ReplyBody(Refused{piece.error().what}));
}

}  // namespace dpm
