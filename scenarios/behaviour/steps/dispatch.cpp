#include "scenarios/behaviour/steps/dispatch.hpp"

#include <algorithm>

#include "scenarios/behaviour/performer.hpp"
#include "scenarios/behaviour/quantity_reader.hpp"

namespace dpm::steps {

const StepWords Dispatch::words{
    90, "dispatch", "dispatch", R"({"dispatch": KIND, "to": WHOM, "bytes": SIZE, "tasks": N, "answer": KIND})",
    "hands out N tasks: each member of a group has `in_flight` of them at a time (1), and a member that has answered "
    "gets the "
    "next. `first`, `next` and `rest` are steps to do before each of the first tasks, between an answer and the next "
    "task, and after an answer when no task is left. Goes on when all are answered. `\"dispatch\": [{\"kind\": K, "
    "\"bytes\": SIZE, \"weight\": W}, ...]` deals tasks of several kinds"};

void Dispatch::fields(StepFields& fields) {
  fields.tasks({"dispatch",
                "kind of the messages that are tasks, or several kinds, each as often as its weight says, in random "
                "order"},
               tasks);
  fields.members({"to", "process or group that does them"}, to);
  fields.bytes_of_tasks({"bytes", "length of a task, where dispatch is one kind"}, tasks);
  fields.whole({"tasks", "how many"}, times, {});
  fields.whole({"in_flight", "tasks a member has at a time; 1 unless given"}, in_flight,
               {.otherwise = 1, .range = {1, 1e9}, .written_anyway = true});
  fields.answer_kind({"answer", "kind of the answers"}, answer);
  for (const Task& task : tasks) fields.sends(task.kind, to);
  fields.optional_steps({"first", "done before each of the first tasks is sent"}, first);
  fields.takes(answer, to);
  fields.optional_steps({"next", "done after an answer, before the member that answered gets the next task"}, next);
  fields.optional_steps({"rest", "done after an answer when no task is left"}, rest);
  fields.remembers(slot);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    for (const Task& task : tasks) weights.push_back(task.weight);
    const JsonNode& at = *step.find("dispatch");
    if (!at.is(JsonKind::list) || tasks.empty()) return;
    check_weights(weights, at, reading);
    check_counts(weights, at, reading);
  });
}

void Dispatch::perform(Performer& performer, Activity& activity) const {
  std::vector<std::string> members = *to.processes;
  members.erase(std::remove(members.begin(), members.end(), performer.calls().name()), members.end());
  if (members.empty()) return;
  const KindNames awaited{answer};
  const std::uint64_t total = performer.whole(times, activity), at_a_time = performer.whole(in_flight, activity);
  std::uint64_t given = 0;
  for (std::uint64_t round = 0; round < at_a_time && given < total; ++round) {
    for (std::size_t i = 0; i < members.size() && given < total; ++i, ++given) {
      performer.perform(first, activity);
      hand_out(members[i], performer, activity);
    }
  }
  for (std::uint64_t answers = given; answers > 0; --answers) {
    performer.take(activity, *performer.await({awaited, to}));
    if (given == total) {
      performer.perform(rest, activity);
      continue;
    }
    const std::string answerer = performer.sender_name(*activity.current);
    performer.perform(next, activity);
    hand_out(answerer, performer, activity);
    ++given, ++answers;
  }
}

void Dispatch::hand_out(const std::string& member, Performer& performer, Activity& activity) const {
  const Task& task = tasks[tasks.size() == 1 ? 0 : performer.memory(slot).deck.deal(weights, *activity.draws)];
  performer.post_to(member, task.kind, task.bytes, activity);
}

}  // namespace dpm::steps
