#include <nlohmann/json.hpp>

#include "answers/results/prediction_results.hpp"
#include "answers/scenario/answer.hpp"
#include "answers/scenario/requests.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

class PredictionAnswer : public Answer {
 public:
  bool is_about_the_run() const override { return true; }

  Result<Json> answer(const Findings& found, const Question& question) override {
    const auto history = found.histories.of(question.computation);
    if (!history) return history.error();
    const AnalysisRequest& request = question.request;
    const auto method = method_from(request.prediction);
    const auto order = order_from(request.prediction);
    if (!method) return method.error();
    if (!order) return order.error();
    Json document = Json::array();
    for (const auto& name : request.placements.empty() ? question.file.placement_names : request.placements) {
      const auto scenario = place(question.system, name, question.scenario.seed);
      if (!scenario) return scenario.error();
      auto target = resolve(**history, placement_of(*scenario));
      if (!target) return target.error();
      target->target.placement = name;
      const auto prediction = predict(**history, target->target, {.order = *order, .method = *method});
      if (!prediction) return prediction.error();
      document.push_back(prediction_json(*prediction, (*history)->info));
    }
    return document;
  }
};

}  // namespace

std::unique_ptr<Answer> make_prediction_answer() { return std::make_unique<PredictionAnswer>(); }

}  // namespace dpm::cli
