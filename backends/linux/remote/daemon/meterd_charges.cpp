// Charges: how the daemon makes, finds, tells and loses the processes that look after them.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "backends/linux/remote/agents/charge_service.hpp"
#include "backends/linux/remote/daemon/meterd.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::size_t kChargesMax = 1000;             // what fits into one Welcome
constexpr std::size_t kQueuedBytesMax = 1024 * 1024;  // for a controller, before who prints has to wait
constexpr std::chrono::seconds kFindPatience{3};      // for the supervisors that another daemon has left
constexpr const char* kSupervisorKilled = "its supervisor was killed; it goes on unmetered, and its output is not seen";

void ignore_answer(const ReplyBody&) {}

}  // namespace

Meterd::Charge* Meterd::find(std::uint32_t pid) {
  const auto at = charges_.find(pid);
  return at == charges_.end() ? nullptr : &at->second;
}

Meterd::Charge* Meterd::find(const ChargeLink* link) {
  for (auto& [pid, charge] : charges_)
    if (charge.link.get() == link) return &charge;
  return nullptr;
}

std::unique_ptr<ChargeLink> Meterd::connect_charge(UniqueFd socket) {
  // The handlers need to know which link they belong to before there is one.
  auto self = std::make_shared<ChargeLink*>(nullptr);
  auto link = std::make_unique<ChargeLink>(
      context_, std::move(socket),
      ChargeLink::Handlers{[this, self](ReportBody body) { on_report(*self, std::move(body)); },
                           [this, self] { on_charge_end(*self); }});
  *self = link.get();
  return link;
}

// ---- those that are there already

void Meterd::find_charges() {
  const std::string prefix = charge_sockets(options_.machine);
  for (const auto& name : folder_->names(prefix)) {
    UniqueFd socket = folder_->connect(name, SOCK_STREAM);
    if (!socket) continue;
    ++charges_being_found_;
    auto link = std::make_shared<std::unique_ptr<ChargeLink>>(connect_charge(std::move(socket)));
    const auto greet_waiting = [this] {
      if (charges_being_found_ > 0) return;
      for (const auto& [id, number] : std::exchange(waiting_hellos_, {}))
        if (const auto at = controllers_.find(id); at != controllers_.end()) welcome(at->second, number);
    };
    const auto timer = std::make_shared<Timer>(context_);
    timer->start(kFindPatience, [this, link, greet_waiting] {
      --charges_being_found_;
      link->reset();
      greet_waiting();
    });
    (*link)->ask(Hello{kControlVersion, kNobody}, [this, link, timer, greet_waiting, name](ReplyBody body) {
      timer->cancel();
      --charges_being_found_;
      auto* welcome = std::get_if<Welcome>(&body);
      if (welcome != nullptr && welcome->charges.size() == 1) {
        look_after(std::move(welcome->charges.front()), std::move(*link));
      } else {
        const auto* refused = std::get_if<Refused>(&body);
        log("found " + name +
            " and cannot look after it: " + (refused != nullptr ? refused->why : "it has nothing yet"));
        later(context_, [link] { link->reset(); });  // it is at work in this call
      }
      greet_waiting();
    });
  }
}

void Meterd::look_after(control::Charge facts, std::unique_ptr<ChargeLink> link) {
  const std::uint32_t pid = facts.pid;
  // A number that is given out again belonged to a process that has ended, of which nobody wanted to hear any more.
  if (Charge* older = find(pid); older != nullptr && older->link != nullptr) {
    older->link->ask(Release{pid}, ignore_answer);
    after(context_, kFindPatience, [kept = std::make_shared<std::unique_ptr<ChargeLink>>(std::move(older->link))] {});
  }
  Charge charge;
  charge.facts = std::move(facts);
  charge.link = std::move(link);
  charges_.insert_or_assign(pid, std::move(charge));
}

// ---- new ones

void Meterd::create(Controller& controller, Asker asker, RequestBody request, const char* role) {
  if (charges_.size() + charges_being_made_ >= kChargesMax)
    return reply(asker, Refused{"this machine's daemon looks after " + std::to_string(charges_.size()) +
                                " processes and filters already: remove some"});
  auto socket = start_charge_process(role, options_.machine);
  if (!socket) return reply(asker, Refused{socket.error().what});
  ++charges_being_made_;
  auto link = std::make_shared<std::unique_ptr<ChargeLink>>(connect_charge(*std::move(socket)));
  control::Charge facts;
  facts.controller = controller.name;
  if (const auto* process = std::get_if<CreateProcess>(&request)) {
    facts.job = process->job;
    facts.state = ProcessState::fresh;
    facts.flags = process->flags;
    facts.filter = process->filter;
  } else if (const auto* acquired = std::get_if<AcquireProcess>(&request)) {
    facts.job = acquired->job;
    facts.state = ProcessState::acquired;
    facts.flags = acquired->flags;
    facts.filter = acquired->filter;
  } else if (const auto* filter = std::get_if<CreateFilter>(&request)) {
    facts.kind = control::Charge::Kind::filter;
    facts.name = filter->name;
  }
  (*link)->ask(Hello{kControlVersion, controller.name}, ignore_answer);
  (*link)->ask(std::move(request), [this, asker, link, facts](ReplyBody body) {
    --charges_being_made_;
    on_created(asker, link, facts, std::move(body));
  });
}

void Meterd::on_created(Asker asker, const std::shared_ptr<std::unique_ptr<ChargeLink>>& link, control::Charge facts,
                        ReplyBody body) {
  if (const auto* process = std::get_if<ProcessCreated>(&body)) {
    facts.pid = process->pid;
    facts.name = process->name;
  } else if (const auto* filter = std::get_if<FilterCreated>(&body)) {
    facts.pid = filter->pid;
    facts.filter = filter->address;
    facts.log = filter->log;
  } else {
    later(context_, [link] { link->reset(); });  // it is at work in this call
    return reply(asker, std::move(body));
  }
  reply(asker, std::move(body));
  look_after(std::move(facts), std::move(*link));
  // Its controller may have gone meanwhile.
  Charge& charge = charges_.at(facts.pid);
  if (find_controller(charge.facts.controller) == nullptr) set_listener(charge, kNobody);
}

void Meterd::adopt(Controller& controller, Asker asker, std::uint32_t pid) {
  Charge* charge = find(pid);
  if (charge == nullptr) return reply(asker, Refused{"process " + std::to_string(pid) + " is not looked after here"});
  const Controller* owner = find_controller(charge->facts.controller);
  if (owner != nullptr && owner != &controller)
    return reply(asker, Refused{"process " + std::to_string(pid) + " belongs to the controller " + owner->name +
                                ", which is connected"});
  charge->facts.controller = controller.name;
  reply(asker, Done{});
  set_listener(*charge, controller.name);
}

// ---- between both

template <typename Request>
void Meterd::pass_on(Controller& controller, Asker asker, const Request& request) {
  Charge* charge = find(request.pid);
  const std::string number = std::to_string(request.pid);
  if (charge == nullptr) return reply(asker, Refused{"process " + number + " is not looked after here"});
  if (charge->facts.controller != controller.name)
    return reply(asker, Refused{"process " + number + " belongs to the controller " + charge->facts.controller +
                                (find_controller(charge->facts.controller) != nullptr
                                     ? ", which is connected"
                                     : ", which is not connected: adopt it first")});
  const std::uint32_t pid = request.pid;
  const auto answer = [this, asker](ReplyBody body) { reply(asker, std::move(body)); };
  if constexpr (std::is_same_v<Request, Release>) {
    release(*charge, answer);
  } else {
    if constexpr (std::is_same_v<Request, KillProcess>) {
      if (charge->link == nullptr) return kill_unattended(*charge, answer);
    }
    if (charge->link == nullptr) return answer(Refused{kSupervisorKilled});
    if constexpr (std::is_same_v<Request, SetFlags>) {
      charge->link->ask(request, [this, pid, flags = request.flags, answer](ReplyBody body) {
        if (Charge* changed = find(pid); changed != nullptr && std::holds_alternative<Done>(body))
          changed->facts.flags = flags;
        answer(std::move(body));
      });
    } else {
      charge->link->ask(request, answer);
    }
  }
}

template void Meterd::pass_on(Controller&, Asker, const SetFlags&);
template void Meterd::pass_on(Controller&, Asker, const StartProcess&);
template void Meterd::pass_on(Controller&, Asker, const StopProcess&);
template void Meterd::pass_on(Controller&, Asker, const KillProcess&);
template void Meterd::pass_on(Controller&, Asker, const Release&);
template void Meterd::pass_on(Controller&, Asker, const Input&);

void Meterd::release(Charge& charge, const ChargeLink::Answer& answer) {
  const std::uint32_t pid = charge.facts.pid;
  if (charge.link == nullptr) {
    if (charge.facts.state != ProcessState::killed) return answer(Refused{kSupervisorKilled});
    charges_.erase(pid);
    return answer(Done{});
  }
  charge.link->ask(Release{pid}, [this, pid, answer](ReplyBody body) {
    Charge* released = find(pid);
    if (released != nullptr && std::holds_alternative<Done>(body)) {
      later(context_, [link = std::make_shared<std::unique_ptr<ChargeLink>>(std::move(released->link))] {});
      charges_.erase(pid);
      note_activity();
    }
    answer(std::move(body));
  });
}

// What has ended waits to be asked for how, and what it printed. But not for ever: a controller may be gone for good.
void Meterd::forget_abandoned() {
  constexpr std::chrono::seconds kLookEvery{600};
  const auto now = Clock::now();
  std::vector<std::uint32_t> forgotten;
  for (auto& [pid, charge] : charges_) {
    const bool is_abandoned =
        charge.facts.state == ProcessState::killed && find_controller(charge.facts.controller) == nullptr;
    if (!is_abandoned) {
      charge.abandoned.reset();
    } else if (!charge.abandoned) {
      charge.abandoned = now;
    } else if (now - *charge.abandoned >= options_.keep) {
      forgotten.push_back(pid);
    }
  }
  for (const std::uint32_t pid : forgotten) {
    Charge& charge = charges_.at(pid);
    log("forgot " + charge.facts.name + " (" + std::to_string(pid) + "), ended: " + charge.facts.reason +
        "; its controller " + charge.facts.controller + " has not come back");
    release(charge, ignore_answer);
  }
  after(context_, std::min(options_.keep, kLookEvery), [this] { forget_abandoned(); });
}

void Meterd::set_listener(Charge& charge, const std::string& controller) {
  if (controller != kNobody) {
    for (auto& output : std::exchange(charge.held, {})) tell_owner(charge, std::move(output));
  }
  if (charge.link == nullptr) return;
  charge.link->set_reading(true);
  charge.link->ask(Hello{kControlVersion, controller}, ignore_answer);
}

void Meterd::tell_owner(const Charge& charge, ReportBody body) {
  Controller* owner = find_controller(charge.facts.controller);
  if (owner == nullptr) return;
  (void)owner->stream->send(Report{std::move(body)});
  if (owner->stream->queued_bytes() > kQueuedBytesMax) pause(owner->name, true);
}

// While a controller is slow, what its processes print stays with their supervisors.
void Meterd::pause(const std::string& controller, bool on) {
  for (auto& [pid, charge] : charges_)
    if (charge.facts.controller == controller && charge.link != nullptr) charge.link->set_reading(!on);
}

void Meterd::on_report(ChargeLink* link, ReportBody body) {
  Charge* charge = find(link);
  if (charge == nullptr) return;
  if (const auto* changed = std::get_if<StateChanged>(&body)) {
    charge->facts.state = changed->state;
    charge->facts.reason = changed->reason;
  } else if (const auto* ended = std::get_if<FilterEnded>(&body)) {
    charge->facts.state = ProcessState::killed;
    charge->facts.reason = ended->reason;
  } else if (auto* output = std::get_if<Output>(&body);
             output != nullptr && find_controller(charge->facts.controller) == nullptr) {
    charge->held.push_back(std::move(*output));  // was under way when its listener went
    return;
  }
  tell_owner(*charge, std::move(body));
}

// ---- those whose process was killed

void Meterd::on_charge_end(ChargeLink* link) {
  Charge* charge = find(link);
  if (charge == nullptr) return;
  charge->link.reset();
  const std::uint32_t pid = charge->facts.pid;
  if (charge->facts.state == ProcessState::killed) return;
  if (charge->facts.kind == control::Charge::Kind::filter) {
    charge->facts.state = ProcessState::killed;
    charge->facts.reason = "the process that collected for it was killed";
    return tell_owner(*charge, FilterEnded{pid, charge->facts.reason});
  }
  UniqueFd process = open_process(pid);
  charge->facts.reason = kSupervisorKilled;
  if (!process || has_ended(process.get())) return on_program_end(pid);
  tell_owner(*charge, StateChanged{pid, charge->facts.state, charge->facts.reason});
  charge->process = std::make_unique<Descriptor>(context_, std::move(process));
  charge->process->when_readable([this, pid] { on_program_end(pid); });
}

void Meterd::on_program_end(std::uint32_t pid) {
  Charge* charge = find(pid);
  if (charge == nullptr || charge->link != nullptr) return;
  charge->process.reset();
  charge->facts.state = ProcessState::killed;
  charge->facts.reason = "ended, nobody knows how: its supervisor had been killed";
  tell_owner(*charge, StateChanged{pid, charge->facts.state, charge->facts.reason});
  for (const auto& answer : std::exchange(charge->killers, {})) answer(Done{});
}

void Meterd::kill_unattended(Charge& charge, ChargeLink::Answer answer) {
  if (charge.process == nullptr) return answer(Refused{"it has ended already"});
  if (::syscall(SYS_pidfd_send_signal, charge.process->fd(), SIGKILL, nullptr, 0) != 0)
    return answer(Refused{Error::from_errno("kill process " + std::to_string(charge.facts.pid)).what});
  charge.killers.push_back(std::move(answer));
}

}  // namespace dpm
