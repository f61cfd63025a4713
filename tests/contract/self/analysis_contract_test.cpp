// The analysis contract tried on small analyses: one that keeps it, and one for each way of breaking it.
#include "tests/contract/analysis_contract.hpp"

#include <map>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// Feeds a batch at a time to a function that adds to a text.
class TextAnalysis : public EventSink {
 public:
  using OnBatch = std::function<void(std::span<const Event>, std::string&)>;
  explicit TextAnalysis(OnBatch on_batch) : on_batch_(std::move(on_batch)) {}

  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { on_batch_(batch, text_); }
  void on_end(const LossReport&) override {}
  const std::string& text() const { return text_; }

 private:
  OnBatch on_batch_;
  std::string text_;
};

RunAnalysis analysis(const TextAnalysis::OnBatch& on_batch) {
  return [on_batch](EventSource& source) {
    TextAnalysis sink(on_batch);
    const auto run = source.run(sink);
    return run ? sink.text() : run.error().what;
  };
}

std::string bytes_sent(EventSource& source) {
  std::map<std::uint32_t, std::uint64_t> bytes;
  TextAnalysis sink([&](std::span<const Event> batch, std::string&) {
    for (const auto& event : batch) {
      if (event.type == EventType::send) bytes[event.process.value] += event.length_bytes;
    }
  });
  REQUIRE(source.run(sink));
  std::string text;
  for (const auto& [process, sum] : bytes) text += std::to_string(process) + ": " + std::to_string(sum) + "\n";
  return text;
}

}  // namespace

TEST_CASE("analysis contract: a sum per process keeps it", "[contract]") {
  CHECK(check_analysis_contract(bytes_sent, client_and_server(20)) == std::vector<std::string>{});
}

TEST_CASE("analysis contract: a result that depends on the batches is caught", "[contract]") {
  const auto violations = check_analysis_contract(
      analysis([](std::span<const Event> batch, std::string& text) { text += std::to_string(batch.size()) + "\n"; }),
      client_and_server(20));
  REQUIRE(violations.size() == 2);
  CHECK_THAT(violations.front(), Catch::Matchers::Contains("batches of one"));
}

TEST_CASE("analysis contract: a result that depends on the order between processes is caught", "[contract]") {
  const auto violations = check_analysis_contract(analysis([](std::span<const Event> batch, std::string& text) {
                                                    for (const auto& event : batch)
                                                      text += std::to_string(event.process.value);
                                                  }),
                                                  client_and_server(20));
  REQUIRE(violations.size() == 3);
  CHECK_THAT(violations.front(), Catch::Matchers::Contains("another order between processes"));
}

TEST_CASE("analysis contract: CPU time of a whole life is caught", "[contract]") {
  const auto violations = check_analysis_contract(
      [](EventSource& source) {
        std::map<std::uint32_t, std::uint64_t> cpu_ns;
        TextAnalysis sink([&](std::span<const Event> batch, std::string&) {
          for (const auto& event : batch) cpu_ns[event.process.value] = event.proc_time_ns;
        });
        REQUIRE(source.run(sink));
        std::string text;
        for (const auto& [process, used_ns] : cpu_ns) text += std::to_string(used_ns) + "\n";
        return text;
      },
      client_and_server(20));
  REQUIRE(violations.size() == 2);
  CHECK_THAT(violations.front(), Catch::Matchers::Contains("acquired processes"));
}

TEST_CASE("analysis contract: a result that is another one each time is caught", "[contract]") {
  int run_number = 0;
  const auto violations =
      check_analysis_contract([&](EventSource&) { return std::to_string(++run_number); }, client_and_server(2));
  CHECK(violations.size() >= 12);
}
