// Does one of several branches: drawn by weight, dealt by weight, or one after the other.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Choose {
  static const StepWords words;

  std::vector<ChoiceBranch> branches;
  bool dealt = false;  // the weights are a deck
  // Branches (from 1) one after the other, each so often in a row, then from the beginning; empty: by weight.
  std::vector<std::uint64_t> order;
  std::vector<std::uint64_t> times;
  std::vector<double> weights;  // of the branches, when the step was read
  std::size_t slot = 0;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
