#include <nlohmann/json.hpp>

#include "answers/results/parallelism_results.hpp"
#include "answers/scenario/answer.hpp"
#include "answers/scenario/requests.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

class ParallelismAnswer : public Answer {
 public:
  Result<Json> answer(const Findings& found, const Question& question) override {
    const auto method = method_from(question.request.prediction);
    if (!method) return method.error();
    if (found.parallel && found.parallel->is_of(question.computation, *method)) return json(*found.parallel);
    auto history = found.histories.of(question.computation);
    if (!history) return history.error();
    const auto parallel = find_parallelism(*std::move(history), question.computation, *method);
    if (!parallel) return parallel.error();
    return json(*parallel);
  }

 private:
  static Json json(const ParallelismFindings& found) {
    return parallelism_json(found.parallelism, found.efficiency, found.path, found.history->info);
  }
};

}  // namespace

std::unique_ptr<Answer> make_parallelism_answer() { return std::make_unique<ParallelismAnswer>(); }

}  // namespace dpm::cli
