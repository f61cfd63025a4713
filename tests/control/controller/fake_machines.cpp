#include "tests/control/controller/fake_machines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "control/controller/flag_names.hpp"
#include "control/protocol/sha256.hpp"

namespace dpm::control::test {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string numbered(const char* kind, std::uint32_t pid) { return std::string(kind) + " " + std::to_string(pid); }

std::string address_text(const FilterAddress& address) {
  std::string text = address.filter + "@";
  for (const auto& host : address.hosts) text += host + ",";
  return text + std::to_string(address.port);
}

// What matters of a question, on one line that begins with its kind.
std::string description(const RequestBody& body) {
  return std::visit(
      Overloaded{
          [](const Hello&) { return std::string("Hello"); },
          [](const CreateFilter& r) {
            return "CreateFilter " + r.name + " [" + r.program + "] [" + r.descriptions + "] [" + r.templates + "]" +
                   (r.port_first == 0
                        ? ""
                        : " ports " + std::to_string(r.port_first) + " to " + std::to_string(r.port_last)) +
                   (r.through_controller ? " through the controller" : "");
          },
          [](const CreateProcess& r) {
            std::string text = "CreateProcess " + r.job + " " + r.name + " " + r.file;
            for (const auto& argument : r.arguments) text += " '" + argument + "'";
            if (!r.input.empty()) text += " <" + r.input;
            return text + " flags " + to_string(r.flags) + " to " + address_text(r.filter) +
                   (r.source.empty() ? "" : " source " + r.source);
          },
          [](const AcquireProcess& r) {
            return numbered("AcquireProcess", r.pid) + " flags " + to_string(r.flags) + " to " +
                   address_text(r.filter) + (r.source.empty() ? "" : " source " + r.source);
          },
          [](const SetFlags& r) { return numbered("SetFlags", r.pid) + " " + to_string(r.flags); },
          [](const StartProcess& r) { return numbered("StartProcess", r.pid); },
          [](const StopProcess& r) { return numbered("StopProcess", r.pid); },
          [](const KillProcess& r) { return numbered("KillProcess", r.pid); },
          [](const EndFilter& r) { return numbered("EndFilter", r.pid); },
          [](const Release& r) { return numbered("Release", r.pid); },
          [](const Adopt& r) { return numbered("Adopt", r.pid); },
          [](const Input& r) {
            return numbered("Input", r.pid) + " '" + r.bytes.substr(0, r.bytes.find('\n')) + "'" +
                   (r.end ? " end" : "");
          },
          [](const FindFile& r) { return "FindFile " + r.path; },
          [](const PutFile& r) {
            return "PutFile " + r.path + " from " + std::to_string(r.offset) + (r.last ? " last" : "");
          },
          [](const GetLog& r) { return "GetLog " + r.log + " " + r.file + " from " + std::to_string(r.offset); },
          [](const LookAtLog& r) { return "LookAtLog " + r.log; },
          [](const ListManaged&) { return std::string("ListManaged"); },
          [](const ListKept&) { return std::string("ListKept"); },
          [](const RemoveKept& r) { return "RemoveKept " + r.name; },
          [](const Relay& r) { return numbered("Relay", r.pid); },
          [](const ChangeEvents& r) {
            std::string text = "ChangeEvents " + r.changes.substr(0, r.changes.size() - 1);
            for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, " | ");
            return text;
          },
          [](const LookAtEvents&) { return std::string("LookAtEvents"); },
          [](const EndEvents&) { return std::string("EndEvents"); },
      },
      body);
}

}  // namespace

std::vector<Answer> FakeMachines::ask(std::vector<Question> questions) {
  std::vector<Answer> answers;
  for (const auto& question : questions) {
    asked_.push_back(question.machine + " " + description(question.body));
    answers.push_back(answer(question));
  }
  return answers;
}

void FakeMachines::ask_meanwhile(Question question, std::chrono::milliseconds, std::function<void(Answer)> take) {
  meanwhile_.emplace_back(std::move(question), std::move(take));
}

void FakeMachines::answer_meanwhile() {
  for (const auto& [question, take] : std::exchange(meanwhile_, {})) take(answer(question));
}

void FakeMachines::read_log_folder() {
  namespace fs = std::filesystem;
  log_.clear();
  for (const auto& entry : fs::recursive_directory_iterator(log_folder_)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    log_.emplace_back(entry.path().lexically_relative(log_folder_),
                      std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }
  std::sort(log_.begin(), log_.end());
}

std::vector<std::string> FakeMachines::known_as(std::vector<std::string> machines) {
  for (auto& machine : machines)
    if (const auto first = first_names_.find(machine); first != first_names_.end()) machine = first->second;
  return machines;
}

Machines::Waited FakeMachines::wait(std::chrono::milliseconds at_most) {
  if (!later_.empty()) {
    reports_.push_back(std::move(later_.front()));
    later_.pop_front();
    return Waited::reported;
  }
  if (at_most < std::chrono::minutes(10)) return Waited::timed_out;
  is_interrupted_ = true;
  return Waited::interrupted;
}

Answer FakeMachines::answer(const Question& question) {
  if (const auto cut = cut_off_.find(question.machine); cut != cut_off_.end()) return Error{cut->second};
  const std::string text = description(question.body);
  const auto refusal = std::find_if(refusals_.begin(), refusals_.end(), [&](const Refusal& one) {
    return one.machine == question.machine && text.starts_with(one.kind);
  });
  if (refusal == refusals_.end()) {
    auto answer = reply(question.machine, question.body);
    if (const auto* refused = std::get_if<Refused>(&answer)) return Error{refused->why};
    return answer;
  }
  const Error error{refusal->why};
  refusals_.erase(refusal);
  return error;
}

std::uint32_t FakeMachines::pid_on(const std::string& machine) {
  auto& pids = pids_[machine];
  if (pids.empty()) return ++last_pid_;
  const auto pid = pids.front();
  pids.pop_front();
  return pid;
}

ReplyBody FakeMachines::reply(const std::string& machine, const RequestBody& body) {
  constexpr std::uint16_t kPort = 4000;
  if (const auto* filter = std::get_if<CreateFilter>(&body)) {
    if (filter->through_controller)
      return FilterCreated{pid_on(machine),
                           {.secret = std::string(64, 'a'), .through_controller = true, .id = std::string(32, 'b')},
                           "logs/" + machine};
    const auto address = addresses_.try_emplace(machine, "10.0.0.1").first->second;
    return FilterCreated{
        pid_on(machine),
        {.hosts = {address}, .port = kPort, .secret = std::string(64, 'a'), .id = std::string(32, 'b')},
        "logs/" + machine};
  }
  if (std::holds_alternative<CreateProcess>(body))
    return ProcessCreated{pid_on(machine), "", std::exchange(warning_, ""), source_};
  if (const auto* acquire = std::get_if<AcquireProcess>(&body))
    return ProcessCreated{acquire->pid, std::exchange(name_, ""), std::exchange(warning_, ""), source_};
  if (const auto* find = std::get_if<FindFile>(&body)) {
    const auto file = files_[machine].find(find->path);
    if (file == files_[machine].end()) return FileFound{};
    Sha256 digest;
    digest.add(file->second);
    return FileFound{true, file->second.size(), digest.hexadecimal()};
  }
  if (const auto* put = std::get_if<PutFile>(&body)) {
    auto& file = files_[machine][put->path];
    file.resize(put->offset);
    file += put->bytes;
    return Done{};
  }
  if (std::holds_alternative<LookAtEvents>(body))
    return EventsState{3,
                       2,
                       100,
                       1,
                       40,
                       7,
                       1'500'000,
                       "event E: integer_assign on i at p.main: 100 seen, 1 lost\n"
                       "process 12: prog[1] records E\n"};
  if (std::holds_alternative<LookAtLog>(body)) {
    if (!log_folder_.empty()) read_log_folder();
    LogState state;
    for (const auto& [name, bytes] : log_) state.files.push_back({name, bytes.size(), 1});
    return state;
  }
  if (const auto* get = std::get_if<GetLog>(&body)) {
    if (get->file.empty()) {
      LogFiles files;
      for (const auto& [name, bytes] : log_) files.files.push_back(name);
      std::erase_if(log_, [&](const auto& file) { return file.first == vanishing_; });
      return files;
    }
    constexpr std::size_t kPiece = 10;
    const std::size_t piece = get->bytes_max > 0 ? get->bytes_max : kPiece;
    for (const auto& [name, bytes] : log_)
      if (name == get->file) return LogPiece{bytes.substr(get->offset, piece), get->offset + piece >= bytes.size(), 1};
    return Refused{"there is no file '" + get->file + "' in the log"};
  }
  if (const auto* adopt = std::get_if<Adopt>(&body)) {
    std::erase_if(managed_[machine], [&](const ManagedProcess& managed) { return managed.pid == adopt->pid; });
    return Done{};
  }
  if (std::holds_alternative<EndFilter>(body)) return FilterFinished{std::exchange(filter_ends_, "normal")};
  if (std::holds_alternative<ListKept>(body)) return KeptFiles{kept_[machine], 0};
  if (const auto* remove = std::get_if<RemoveKept>(&body)) {
    std::erase_if(kept_[machine], [&](const KeptFile& file) { return file.name == remove->name; });
    return Done{};
  }
  if (std::holds_alternative<ListManaged>(body)) return ManagedList{managed_[machine]};
  return Done{};
}

}  // namespace dpm::control::test
