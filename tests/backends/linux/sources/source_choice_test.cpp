// Which source meters a program, and the reason that is given, with methods that only say what they can.
#include "backends/linux/sources/source_choice.hpp"

#include <fmt/format.h>

#include <utility>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

struct Facts {
  std::string obstacle, drawback;
  std::uint32_t custody = 0;
  bool fails = false;
};

class PretendedRun : public MeteredRun {
 public:
  const MeteredFacts& facts() const override { return facts_; }
  std::unique_ptr<LiveSource> meter(MeterOptions) override { return nullptr; }
  void start() override {}
  Result<void> release() override { return {}; }

 private:
  MeteredFacts facts_;
};

class PretendedMethod : public MeteringMethod {
 public:
  PretendedMethod(std::string name, Facts facts) : name_(std::move(name)), facts_(std::move(facts)) {}

  std::string name() const override { return name_; }
  std::string summary() const override { return ""; }
  std::optional<Obstacle> obstacle() const override {
    if (facts_.obstacle.empty()) return std::nullopt;
    return Obstacle{facts_.obstacle, "do this"};
  }
  std::string drawback() const override { return facts_.drawback; }
  bool has_custody(std::uint32_t pid) const override { return facts_.custody == pid; }
  bool finds_callers() const override { return name_ == "slow"; }
  bool finds_hand_overs() const override { return name_ == "fast"; }
  Result<std::unique_ptr<MeteredRun>> launch(const std::vector<std::string>&, const Options&) const override {
    if (facts_.fails) return Error{"it fails"};
    return std::unique_ptr<MeteredRun>(std::make_unique<PretendedRun>());
  }
  Result<std::unique_ptr<MeteredRun>> launch_child(const std::vector<std::string>&,
                                                   const ChildStreams&) const override {
    return Error{"it starts no children"};
  }
  Result<std::unique_ptr<MeteredRun>> acquire(std::uint32_t, const Options&) const override {
    return Error{"it acquires nothing"};
  }

 private:
  std::string name_;
  Facts facts_;
};

SourceChooser chooser(const Facts& fast, const Facts& slow = {}) {
  std::vector<std::unique_ptr<MeteringMethod>> methods;
  methods.push_back(std::make_unique<PretendedMethod>("fast", fast));
  methods.push_back(std::make_unique<PretendedMethod>("slow", slow));
  return SourceChooser(std::move(methods));
}

std::string reason(const SourceChooser& among, const SourceChooser::Wishes& wishes = {}) {
  const auto choice = among.choose("auto", wishes);
  REQUIRE(choice);
  return choice->reason;
}

}  // namespace

TEST_CASE("sources: auto takes the first without an obstacle, and says why not the others", "[sources]") {
  CHECK(reason(chooser({})) == "fast (auto: this account may use it)");
  CHECK(reason(chooser({.obstacle = "no rights"})) == "slow (auto: not fast: no rights)");
  CHECK(reason(chooser({.drawback = "slower here"})) == "slow (auto: not fast: slower here)");
  CHECK(reason(chooser({}), {.callers = true}) == "slow (auto: not fast: for --where)");
  CHECK(reason(chooser({}, {.custody = 7}), {.running_pid = 7}) == "slow (auto: it has metered this process before)");
  CHECK(reason(chooser({}, {.custody = 7}), {.running_pid = 8}) == "fast (auto: this account may use it)");
}

TEST_CASE("sources: one that was asked for is taken, or the reason and the remedy are given", "[sources]") {
  CHECK(chooser({.drawback = "slower here"}).choose("fast", {})->reason == "fast (--source fast)");
  CHECK(chooser({.obstacle = "no rights"}).choose("fast", {}).error().what == "--source fast: no rights: do this");
  CHECK_FALSE(chooser({}).choose("fast", {.callers = true}));
  CHECK(reason(chooser({}), {.hand_overs = true}) == "fast (auto: the only one that sees hand-overs)");
  CHECK(chooser({.obstacle = "no rights"}).choose("auto", {.hand_overs = true}).error().what ==
        "this needs --source fast: no rights: do this");
  CHECK(chooser({}).choose("slow", {.hand_overs = true}).error().what ==
        "--source slow does not see hand-overs: leave it out, or --hand-overs");
  CHECK(chooser({}).choose("faster", {}).error().what == "source 'faster' does not exist here: auto, fast, slow");
}

TEST_CASE("sources: when the first cannot begin, the next does, and the reason says so", "[sources]") {
  const SourceChooser among = chooser({.fails = true});
  auto choice = among.choose("auto", {});
  REQUIRE(choice);
  const auto run =
      SourceChooser::begin(*choice, [](const MeteringMethod& method) { return method.launch({"true"}, {}); });
  CHECK(run);
  CHECK(choice->reason == "slow (auto: not fast: it fails)");
}

TEST_CASE("sources: when the only one cannot begin, its error is told", "[sources]") {
  const SourceChooser among = chooser({}, {.fails = true});
  auto choice = among.choose("slow", {});
  REQUIRE(choice);
  const auto run =
      SourceChooser::begin(*choice, [](const MeteringMethod& method) { return method.launch({"true"}, {}); });
  REQUIRE_FALSE(run);
  CHECK(run.error().what == "it fails");
}
