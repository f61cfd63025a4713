// dpm sample report: files of counts as components of time by workload, utilisation, overlap, bottlenecks.
#include <array>
#include <nlohmann/json.hpp>

#include "answers/sampling/count_files.hpp"
#include "answers/sampling/count_page.hpp"
#include "answers/sampling/count_results.hpp"
#include "answers/sampling/mon_figures.hpp"
#include "cli/command.hpp"
#include "os/new_file.hpp"
#include "sampling/counts/count_file.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class SampleReportCommand : public Command {
 public:
  std::string name() const override { return "sample report"; }
  std::string summary() const override { return "What sampled processes waited for and ran on, by workload"; }
  std::string example() const override { return "dpm sample report a.counts b.counts --group CPU=cpu_run,cpu_queue"; }

  void describe(Options& options) override {
    options.list("FILE", files_, "Files of counts, as 'dpm sample -o FILE' writes them; several are added");
    options.list("--group", groups_, "NAME=STATE,STATE: states that are shown as one; may be given several times")
        .one_word_each();
    options
        .value("--by", by_,
               "The measure of workload: users, awake (virtual processes), runnable (tasks) or requests (in a second, "
               "of 'dpm sample --requests')")
        .one_of({"users", "awake", "runnable", "requests"})
        .show_default();
    options
        .value("--of", of_,
               "Whose states and resources: system, or virtual processes: together, foreground, background")
        .one_of({"system", "together", "foreground", "background"})
        .show_default();
    options
        .list("--overlap", overlaps_,
              "RESOURCE,RESOURCE: how often all of them are run on at once; may be given several times")
        .one_word_each();
    options.flag("--figures", figures_,
                 "Print the four figures of MON: CPU, I/O, system and user, and all of them, by workload");
    options.value("-o,--output", output_, "A new file for the sum of the counts");
    options.value("--html", html_, "A new file for a page with figures");
    const Option json = options.flag("--json", json_, "Print the result as JSON");
    options.flag("--csv", csv_, "Print the components by workload as CSV").excludes(json);
    options.flag("--states", states_, "Print the names of states and resources");
  }

  int run(Terminal& terminal) override {
    if (states_) {
      terminal.out << states_text(terminal.width);
      return kDone;
    }
    if (files_.empty()) return refuse(terminal, *this, Error{"FILE is required: 'dpm sample -o FILE' writes one"});
    const std::array<std::string, 2> new_files = {output_, html_};
    if (auto good = check_new_files(new_files); !good) return refuse(terminal, *this, good.error());
    const auto question = read_question();
    if (!question) return refuse(terminal, *this, question.error());
    const auto counts = read_count_files(files_);
    if (!counts) return refuse(terminal, *this, Error{printable(counts.error().what)});
    if (question->workload == sampling::Workload::requests && counts->levels(question->workload).empty())
      return refuse(terminal, *this, Error{"--by requests: these counts were taken without 'dpm sample --requests'"});
    if (auto done = write_files(*counts, *question); !done) return refuse(terminal, *this, done.error());
    if (json_) {
      auto json = components_json(*counts, *question);
      if (figures_) json["figures"] = mon_figures_json(*counts, *question);
      terminal.out << json.dump(2) << '\n';
    } else if (figures_) {
      terminal.out << mon_figures_text(*counts, *question, terminal.width);
    } else if (csv_) {
      terminal.out << components_csv(*counts, *question);
    } else {
      terminal.out << components_text(*counts, *question, terminal.width);
    }
    return kDone;
  }

 private:
  Result<CountQuestion> read_question() const {
    CountQuestion question{.groups = sampling::single_states(), .grouped = !groups_.empty()};
    if (!groups_.empty()) {
      auto groups = sampling::read_groups(groups_);
      if (!groups) return groups.error();
      question.groups = *std::move(groups);
    }
    for (const auto& text : overlaps_) {
      const auto set = sampling::read_resources(text);
      if (!set) return set.error();
      question.overlaps.push_back(*set);
    }
    for (std::size_t i = 0; i < sampling::kWorkloads; ++i)
      if (sampling::name_of(static_cast<sampling::Workload>(i)) == by_)
        question.workload = static_cast<sampling::Workload>(i);
    for (std::size_t i = 0; i < sampling::kScopes; ++i)
      if (sampling::name_of(static_cast<sampling::Scope>(i)) == of_) question.scope = static_cast<sampling::Scope>(i);
    return question;
  }

  Result<void> write_files(const sampling::CountArray& counts, const CountQuestion& question) const {
    if (!output_.empty())
      if (auto done = write_new_file(output_, sampling::to_text(counts)); !done) return done.error();
    if (!html_.empty())
      if (auto done = write_new_file(html_, count_page(counts, question)); !done) return done.error();
    return {};
  }

  std::vector<std::string> files_, groups_, overlaps_;
  std::string by_ = "users", of_ = "system", output_, html_;
  bool json_ = false, csv_ = false, figures_ = false, states_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sample_report() { return std::make_unique<SampleReportCommand>(); }

}  // namespace dpm::cli
