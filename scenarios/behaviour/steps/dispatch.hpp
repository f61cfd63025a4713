// Hands out tasks: each member of a group has `in_flight` of them at a time, and the one that has answered gets the next.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Dispatch {
  static const StepWords words;

  std::vector<Task> tasks;
  Whom to;
  Value times = 1;
  Value in_flight = 1;
  KindName answer;
  Steps first;                       // before each of the first tasks
  Steps next;                        // between an answer and the next task
  Steps rest;                        // after an answer, when no task is left
  std::vector<double> weights = {};  // of the tasks, when the step was read
  std::size_t slot = 0;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;

 private:
  void hand_out(const std::string& member, Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
