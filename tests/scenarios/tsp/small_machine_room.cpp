#include "tests/scenarios/tsp/small_machine_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <semaphore>
#include <thread>
#include <tuple>

#include "model/check.hpp"

namespace dpm::test {
namespace {

struct Killed {};  // unwinds a process that will never continue

class Room;

class Process final : public MessageCalls {
 public:
  enum class State { ready, computing, waiting, ended };

  Process(Room& room, std::uint32_t id, const RoomProcess& description)
      : room_(room), id_(id), description_(description), random_(Random::stream(1, description.name)) {}
  ~Process() override { join(); }

  void start() {
    thread_ = std::thread([this] {
      mine_.acquire();
      try {
        if (!killed_) description_.program(*this);
      } catch (const Killed&) {
      } catch (const std::exception& exception) {
        error = fmt::format("{}: {}", description_.name, exception.what());
      }
      state = State::ended;
      theirs_.release();
    });
  }
  void run_until_blocked() {
    mine_.release();
    theirs_.acquire();
  }
  void kill() {
    killed_ = true;
    if (state != State::ended) run_until_blocked();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  const std::string& machine() const { return description_.machine; }

  LinkIndex link_to(std::string_view process) const override;
  void send_message(LinkIndex to, const OutgoingMessage& message) override;
  Message receive_message(const Selection& selection) override {
    DPM_CHECK(selection.over.empty());
    while (inbox.empty()) block(State::waiting);
    Message message = std::move(inbox.front());
    inbox.pop_front();
    return message;
  }
  void compute(Duration cpu_time) override {
    remaining_s = cpu_time.seconds();
    cpu_s += remaining_s;
    block(State::computing);
  }
  void did_work(Duration cpu_time) override { compute(cpu_time); }
  const std::string& name() const override { return description_.name; }
  Random& random() override { return random_; }

  LinkIndex create_link(std::optional<DataArea>) override { return unsupported<LinkIndex>(); }
  LinkIndex duplicate_link(LinkIndex) override { return unsupported<LinkIndex>(); }
  void destroy_link(LinkIndex) override { unsupported<int>(); }
  LinkIndex standard_link(StandardLink) const override { return unsupported<LinkIndex>(); }
  LinkIndex link_from(std::string_view) const override { return unsupported<LinkIndex>(); }
  std::optional<Message> a_receive_message(const Selection&) override { return unsupported<Message>(); }
  std::optional<Message> receive_message_until(Deadline, const Selection&) override { return unsupported<Message>(); }
  Message call(LinkIndex, OutgoingMessage) override { return unsupported<Message>(); }
  std::optional<Message> call_until(Deadline, LinkIndex, OutgoingMessage) override { return unsupported<Message>(); }
  std::vector<Message> call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>>,
                                std::optional<Deadline>) override {
    return unsupported<std::vector<Message>>();
  }
  void sleep(Duration) override { unsupported<int>(); }
  Deadline deadline_in(Duration) const override { return unsupported<Deadline>(); }
  void reply(const Message&, const OutgoingMessage&) override { unsupported<int>(); }
  void move_data(LinkIndex, LinkIndex, std::uint64_t) override { unsupported<int>(); }
  void print_line(std::string_view) override {}
  void stop_task() override { throw Killed{}; }
  LocalTime local_time() const override { return unsupported<LocalTime>(); }
  std::vector<std::byte>& address_space() override {
    unsupported<int>();
    return space_;
  }

  State state = State::ready;
  double remaining_s = 0;
  double cpu_s = 0;
  std::deque<Message> inbox;
  std::string error;

 private:
  template <typename T>
  static T unsupported() {
    DPM_CHECK(false);
    return T{};
  }
  void block(State why) {
    state = why;
    theirs_.release();
    mine_.acquire();
    if (killed_) throw Killed{};
  }

  Room& room_;
  std::uint32_t id_;
  const RoomProcess& description_;
  Random random_;
  std::vector<std::byte> space_;
  bool killed_ = false;
  std::binary_semaphore mine_{0}, theirs_{0};
  std::thread thread_;
};

class Room {
 public:
  Room(const std::vector<RoomProcess>& descriptions, const DelayModel& delays, bool shared)
      : delays_(delays), shared_(shared) {
    for (const auto& description : descriptions) {
      const auto id = static_cast<std::uint32_t>(processes_.size());
      processes_.push_back(std::make_unique<Process>(*this, id, description));
    }
  }

  RoomResult run() {
    for (auto& process : processes_) process->start();
    do {
      run_ready();
    } while (advance());
    result_.makespan_s = last_end_s_;
    for (auto& process : processes_) {
      result_.cpu_s[process->name()] = process->cpu_s;
      if (!process->error.empty()) result_.error = process->error;
      result_.deadlock |= process->state != Process::State::ended;
      process->kill();
    }
    return std::move(result_);
  }

  std::uint32_t find(std::string_view name) const {
    const auto found = std::find_if(processes_.begin(), processes_.end(), [&](auto& p) { return p->name() == name; });
    DPM_CHECK(found != processes_.end());
    return static_cast<std::uint32_t>(found - processes_.begin());
  }

  void send(std::uint32_t from, std::uint32_t to, const OutgoingMessage& message) {
    const DelayClass& between = delays_.between(processes_.at(from)->machine(), processes_.at(to)->machine());
    double& last = last_arrival_s_[{from, to}];  // messages of one sender to one receiver never overtake
    last = std::max(last, now_s_ + DelayModel::delivery(between, message.length_bytes).seconds());
    Message arriving;
    arriving.sender = ProcessId{from};
    arriving.code = message.code;
    arriving.length_bytes = message.length_bytes;
    arriving.data = message.data;
    on_the_way_.emplace(std::tuple{last, from, result_.messages++}, std::pair{to, std::move(arriving)});
    result_.sent.emplace_back(processes_[from]->name(), message.length_bytes);
  }

 private:
  void run_ready() {
    for (auto& process : processes_) {
      const bool woken = process->state == Process::State::waiting && !process->inbox.empty();
      if (process->state != Process::State::ready && !woken) continue;
      process->run_until_blocked();
      if (process->state == Process::State::ended) last_end_s_ = now_s_;
    }
  }

  double share_of(const Process& process) const {
    if (!shared_) return 1;
    const auto computing = std::count_if(processes_.begin(), processes_.end(), [&](auto& other) {
      return other->state == Process::State::computing && other->machine() == process.machine();
    });
    return 1.0 / static_cast<double>(computing);
  }

  // Advances to the next thing that happens: the first computation to end, or the first message to arrive. False:
  // nothing will.
  bool advance() {
    double step_s = -1;
    std::vector<std::pair<Process*, double>> computing;
    for (auto& process : processes_) {
      if (process->state != Process::State::computing) continue;
      computing.emplace_back(process.get(), share_of(*process));
      const double needed_s = process->remaining_s / computing.back().second;
      if (step_s < 0 || needed_s < step_s) step_s = needed_s;
    }
    if (!on_the_way_.empty()) {
      const double arrival_s = std::max(0.0, std::get<0>(on_the_way_.begin()->first) - now_s_);
      if (step_s < 0 || arrival_s < step_s) step_s = arrival_s;
    }
    if (step_s < 0) return false;
    now_s_ += step_s;
    for (auto& [process, share] : computing) {
      process->remaining_s -= step_s * share;
      if (process->remaining_s < kMomentS) process->state = Process::State::ready;
    }
    while (!on_the_way_.empty() && std::get<0>(on_the_way_.begin()->first) <= now_s_ + kMomentS) {
      auto [to, message] = std::move(on_the_way_.begin()->second);
      on_the_way_.erase(on_the_way_.begin());
      processes_[to]->inbox.push_back(std::move(message));
    }
    return true;
  }

  static constexpr double kMomentS = 1e-10;  // closer than this counts as the same moment

  const DelayModel& delays_;
  bool shared_;
  double now_s_ = 0;
  double last_end_s_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> last_arrival_s_;
  std::map<std::tuple<double, std::uint32_t, std::uint64_t>, std::pair<std::uint32_t, Message>> on_the_way_;
  RoomResult result_;
  std::vector<std::unique_ptr<Process>> processes_;
};

LinkIndex Process::link_to(std::string_view process) const { return LinkIndex{room_.find(process)}; }

void Process::send_message(LinkIndex to, const OutgoingMessage& message) { room_.send(id_, to.value, message); }

}  // namespace

RoomResult run_in_room(const std::vector<RoomProcess>& processes, const DelayModel& delays, bool shared_processors) {
  return Room(processes, delays, shared_processors).run();
}

}  // namespace dpm::test
