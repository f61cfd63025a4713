#include "scenarios/behaviour/step_walk.hpp"

namespace dpm {
namespace {

class Walk : public StepFields {
 public:
  Walk(std::function<void(Step&)> visit, MessageUse use) : visit_(std::move(visit)), use_(std::move(use)) {}

  void walk(Steps& steps) {
    for (Step& step : steps) {
      if (visit_) visit_(step);
      std::visit([&](auto& what) { what.fields(*this); }, step.what);
    }
  }

  void steps(const Field&, Steps& steps) override { walk(steps); }
  void optional_steps(const Field&, Steps& steps) override { walk(steps); }
  void branches(const Field&, std::vector<ChoiceBranch>& branches) override {
    for (ChoiceBranch& branch : branches) walk(branch.steps);
  }
  void sends(const KindName& kind, const Whom& to) override {
    if (use_.sends) use_.sends(kind, to);
  }
  void takes(const KindName& kind, const Whom& from) override {
    if (use_.takes) use_.takes(kind, from);
  }

 private:
  const std::function<void(Step&)> visit_;
  const MessageUse use_;
};

}  // namespace

void each_step(Steps& steps, const std::function<void(Step&)>& visit) { Walk(visit, {}).walk(steps); }
void each_message(Steps& steps, const MessageUse& use) { Walk({}, use).walk(steps); }

}  // namespace dpm
