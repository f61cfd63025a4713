#include "control/controller/event_machines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpm::control {
namespace {

// Whole lines, of at most what one message holds.
std::vector<std::string> pieces_of(const std::string& lines) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t end = lines.size();
    if (end - at > kChunkBytesMax) {
      const std::size_t newline = lines.rfind('\n', at + kChunkBytesMax - 1);
      end = newline == std::string::npos || newline < at ? lines.find('\n', at) + 1 : newline + 1;
    }
    pieces.push_back(lines.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace

bool EventMachines::contains(const std::string& machine) const {
  return std::find(all_.begin(), all_.end(), machine) != all_.end();
}

void EventMachines::remove(const std::string& machine) {
  std::erase(all_, machine);
  untold_.erase(machine);
}

std::vector<std::string> EventMachines::complaints_of(const std::vector<Question>& questions) {
  std::vector<std::string> complaints;
  const auto answers = machines_.ask(questions);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (!answers[i]) complaints.push_back(fmt::format("machine {}: {}", questions[i].machine, answers[i].error().what));
  return complaints;
}

std::vector<std::string> EventMachines::send() {
  std::vector<Question> questions;
  for (const auto& [machine, lines] : std::exchange(untold_, {}))
    for (std::string& piece : pieces_of(lines)) questions.push_back({machine, ChangeEvents{std::move(piece)}});
  return questions.empty() ? std::vector<std::string>{} : complaints_of(questions);
}

std::vector<EventMachines::State> EventMachines::states(const std::vector<std::string>& machines) {
  std::vector<Question> questions;
  for (const std::string& machine : machines) questions.push_back({machine, LookAtEvents{}});
  std::vector<State> states;
  auto answers = machines_.ask(std::move(questions));
  for (std::size_t i = 0; i < answers.size(); ++i)
    states.emplace_back(machines[i], expect<EventsState>(std::move(answers[i])));
  return states;
}

std::vector<std::string> EventMachines::end(const std::vector<std::string>& machines) {
  std::vector<Question> questions;
  for (const std::string& machine : machines) questions.push_back({machine, EndEvents{}});
  return complaints_of(questions);
}

}  // namespace dpm::control
