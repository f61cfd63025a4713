// dpm validate: tests the claims of validation/ again, and reports which of them hold.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/commands/validate/claims_junit.hpp"
#include "cli/commands/validate/claims_report.hpp"
#include "cli/commands/validate/claims_results.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "cli/validate/claim_folder.hpp"
#include "cli/validate/history.hpp"
#include "cli/validate/machine_label.hpp"
#include "cli/validate/new_claim.hpp"
#include "cli/validate/repetition.hpp"
#include "cli/validate/results_folder.hpp"
#include "cli/validate/runner.hpp"
#include "os/new_file.hpp"
#include "os/own_program.hpp"
#include "scenarios/document/json_node.hpp"
#include "text/printable.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

constexpr int kNothingCouldBeTried = 77;

struct AskedClaim {
  Claim claim;
  Baseline baseline;
};

class ValidateCommand : public Command {
 public:
  std::string name() const override { return "validate"; }
  std::string summary() const override { return "Whether DPM's claims about its measurements and predictions hold"; }
  std::string example() const override { return "dpm validate tsp file-system --quick"; }

  void describe(Options& options) override {
    options.list("CLAIM", asked_, "A folder of validation/ with a claim.json (default: all of them)");
    options.flag("--quick", quick_, "The quick form of each claim: fewer cases, seconds instead of minutes");
    options.flag("--json", json_, "Print the same numbers as JSON");
    options.value("--accept", accepted_,
                  "Measure this claim, show its baseline and the new values, and make these its baseline");
    options.value("--claims", claims_, "The folder of the claims (default: validation, here or of this program)");
    options.value("--runners", runners_,
                  "The folder of the programs validation_CLAIM (default: validation beside this program)");
    options.value("--report", report_, "Write a page with every claim's matrices and pictures; nothing is overwritten");
    options.value("--junit", junit_, "Write the verdicts to this new file, as JUnit's XML for a CI server");
    const Option history =
        options.value("--history", history_, "Append the figures to this file; --report then shows them over commits");
    const Option commit = options.value("--commit", commit_, "With --history: the commit that is measured");
    history.needs(commit);
    commit.needs(history);
    options.value("-o,--output", output_, "A new folder for the files of the runners");
    options.value("--plant", plant_,
                  "Plant this error, to see that a claim can fail; a claim's README lists its errors");
    const Option made = options.value(
        "--new", new_,
        "Make a claim of this name about a system of yours, in the folder of --claims (default: claims): of a "
        "scenario, of a trace, or of a command after --");
    options.value("--scenario", scenario_, "With --new: the scenario, with two placements or more").needs(made);
    options.value("--trace", trace_, "With --new: the trace").needs(made);
    options
        .list("--cpus", cpus_,
              "With --new and a command: CPUs to meter and time it on, as taskset names them; give two")
        .one_word_each()
        .needs(made);
  }

  int run(Terminal& terminal) override {
    if (!new_.empty()) return make_claim(terminal);
    if (!accepted_.empty() && !asked_.empty())
      return refuse(terminal, *this, Error{"--accept names its claim: leave out '" + asked_.front() + "'"});
    if (!accepted_.empty() && !plant_.empty())
      return refuse(terminal, *this, Error{"--plant makes a result wrong, which --accept must not accept"});
    if (!accepted_.empty() && !report_.empty())
      return refuse(terminal, *this, Error{"--accept measures to change a baseline, --report to show: one at a time"});
    if (!accepted_.empty() && !(junit_ + history_).empty())
      return refuse(terminal, *this, Error{"--accept measures to change a baseline: leave out --junit and --history"});
    if (!plant_.empty() && !history_.empty())
      return refuse(terminal, *this, Error{"--plant makes a result wrong, which does not belong into the history"});
    const std::vector<std::string> new_files = {report_, junit_};
    if (const auto can_be = check_new_files(new_files); !can_be) return refuse(terminal, *this, can_be.error());
    program_ = own_program();
    const std::string program_folder = std::filesystem::path(program_).parent_path().string();
    if (runners_.empty()) runners_ = program_folder + "/validation";
    const auto folder = ClaimFolder::open(claims_, program_folder);
    if (!folder) return refuse(terminal, *this, folder.error());
    const auto results = ResultsFolder::create(output_);
    if (!results) return refuse(terminal, *this, results.error());
    return accepted_.empty() ? try_claims(*folder, *results, terminal) : accept(*folder, *results, terminal);
  }

 private:
  // Unreadable files are refused before the first claim is tried, which may take minutes.
  Result<std::vector<AskedClaim>> asked_claims(const ClaimFolder& folder) const {
    std::vector<AskedClaim> all;
    for (const auto& name : asked_.empty() ? folder.names() : asked_) {
      const auto is_same = [&](const AskedClaim& known) { return known.claim.name == name; };
      if (std::any_of(all.begin(), all.end(), is_same)) continue;
      auto claim = folder.claim(name);
      if (!claim) return claim.error();
      auto baseline = folder.baseline(*claim);
      if (!baseline) return baseline.error();
      *claim = claim->form(quick_);
      if (auto done = need_baseline(*claim, *baseline, folder.baseline_path(*claim), quick_); !done)
        return done.error();
      all.push_back({*std::move(claim), *std::move(baseline)});
    }
    return all;
  }

  int try_claims(const ClaimFolder& folder, const ResultsFolder& results, Terminal& terminal) {
    const auto asked = asked_claims(folder);
    if (!asked) return refuse(terminal, *this, asked.error());
    std::vector<HistoryEntry> history;
    if (!history_.empty()) {
      auto read = read_history(history_);
      if (!read) return refuse(terminal, *this, read.error());
      history = *std::move(read);
      std::erase_if(history, [&](const HistoryEntry& entry) { return entry.is_quick != quick_; });
    }
    std::vector<Judgement> judgements;
    for (const auto& [claim, baseline] : *asked) {
      terminal.err << "validate: " << claim.name << " (" << judgements.size() + 1 << " of " << asked->size() << ")"
                   << std::endl;
      const References references = baseline.references(claim, quick_);
      judgements.push_back(try_again(try_claim(claim, references, quick_, results, claim.name, terminal), references,
                                     results, terminal));
      judgements.back().machine = machine_of(claim);
      say_ending(judgements.back(), terminal);
    }
    if (!history_.empty()) {
      history.push_back(history_entry(commit_, machine_, quick_, judgements));
      if (auto done = append_history(history_, history.back()); !done) return refuse(terminal, *this, done.error());
    }
    for (const auto& [path, text] :
         {std::pair(report_, &ValidateCommand::report_text), std::pair(junit_, &ValidateCommand::junit_text)}) {
      if (path.empty()) continue;
      if (auto done = write_new_file(path, (this->*text)(judgements, history)); !done)
        return refuse(terminal, *this, done.error());
      terminal.err << "wrote " << printable(path) << '\n';
    }
    if (json_) {
      print_json(claims_json(judgements), terminal);
    } else {
      terminal.out << claims_text(judgements, terminal.width);
    }
    return status_of(judgements);
  }

  std::string report_text(const std::vector<Judgement>& judgements, const std::vector<HistoryEntry>& history) const {
    return view::render_report(claims_report(judgements, quick_, history));
  }

  std::string junit_text(const std::vector<Judgement>& judgements, const std::vector<HistoryEntry>&) const {
    return claims_junit(judgements);
  }

  // The words of the command come where the names of claims do.
  int make_claim(Terminal& terminal) {
    if ((scenario_.empty() ? 0 : 1) + (trace_.empty() ? 0 : 1) + (asked_.empty() ? 0 : 1) != 1)
      return refuse(terminal, *this,
                    Error{"--new makes a claim of one thing: --scenario FILE, --trace TRACE, or a command after --"});
    const std::string claims = claims_.empty() ? "claims" : claims_;
    const auto folder = write_new_claim({claims, new_, scenario_, trace_, asked_, cpus_});
    if (!folder) return refuse(terminal, *this, folder.error());
    terminal.err << "wrote " << printable(*folder)
                 << ": claim.json, system.json, run.py, README.md\nnext: dpm validate --claims " << printable(claims)
                 << " --accept " << new_ << '\n';
    return kDone;
  }

  // Empty if its figures are the same on every machine.
  std::string machine_of(const Claim& claim) const { return claim.is_timed ? machine_ : ""; }

  Judgement try_claim(const Claim& claim, const References& references, bool is_quick, const ResultsFolder& results,
                      const std::string& part, Terminal& terminal) const {
    const auto broken = [&](const std::string& why) {
      return judge_unmeasured(claim, references, Verdict::broken, why);
    };
    const auto place = results.part(part);
    if (!place) return broken(place.error().what);
    const RunnerOptions options{is_quick, plant_, program_, runners_, *place + "/result.json"};
    const auto outcome = run_claim(claim, options, [&](const std::string& line) {
      terminal.err << claim.name << ": " << printable(line) << std::endl;
    });
    if (!outcome) return broken(outcome.error().what);
    if (outcome->ending == RunnerEnding::skipped)
      return judge_unmeasured(claim, references, Verdict::skipped, outcome->reason);
    if (outcome->ending == RunnerEnding::broken) return broken(outcome->reason);
    const auto text = read_text_file(options.result_path, kLongestJson);
    if (!text) return broken("it has written no result: " + text.error().what);
    auto result = parse_claim_result(*text, "result.json", claim);
    if (result) return judge(claim, references, *std::move(result));
    Judgement refused = broken(result.error().what);
    refused.is_refused = true;
    return refused;
  }

  // The quick form has figures that hold on a busy machine.
  Judgement try_again(Judgement first, const References& references, const ResultsFolder& results,
                      Terminal& terminal) const {
    if (quick_ || !is_worth_repeating(first)) return first;
    const Claim& claim = first.claim;
    terminal.err << claim.name << ": " << name_of(first.verdict)
                 << "; it is measured twice more, because the machine may have been disturbed" << std::endl;
    std::vector<ClaimResult> runs = {first.result};
    while (runs.size() < kMeasuredMost) {
      const std::string part = claim.name + "-" + std::to_string(runs.size() + 1);
      Judgement next = try_claim(claim, references, quick_, results, part, terminal);
      if (next.verdict == Verdict::skipped || next.verdict == Verdict::broken) return next;
      runs.push_back(std::move(next.result));
    }
    Judgement judgement = judge(claim, references, combined(claim, runs));
    judgement.result.remarks.emplace_back(
        "measured three times, because the first failed: each figure is the median, or the worst where it has no "
        "noise");
    return judgement;
  }

  static void say_ending(const Judgement& judgement, Terminal& terminal) {
    if (judgement.verdict == Verdict::skipped)
      terminal.err << "SKIPPED: " << judgement.claim.name << ": " << printable(judgement.reason) << '\n';
    else
      terminal.err << judgement.claim.name << ": " << name_of(judgement.verdict) << '\n';
  }

  static int status_of(const std::vector<Judgement>& judgements) {
    const auto any = [&](const auto& is) { return std::any_of(judgements.begin(), judgements.end(), is); };
    if (any([](const Judgement& judgement) { return judgement.is_refused; })) return kWrongInput;
    if (any([](const Judgement& judgement) { return judgement.verdict > Verdict::skipped; })) return kFellShort;
    const bool all_skipped = !any([](const Judgement& judgement) { return judgement.verdict != Verdict::skipped; });
    return all_skipped ? kNothingCouldBeTried : kDone;
  }

  int accept(const ClaimFolder& folder, const ResultsFolder& results, Terminal& terminal) {
    const auto claim = folder.claim(accepted_);
    if (!claim) return refuse(terminal, *this, claim.error());
    Baseline before;
    // --accept replaces an unreadable baseline, but reports it first.
    if (auto known = folder.baseline(*claim)) {
      before = *std::move(known);
    } else {
      terminal.err << "note: " << printable_lines(known.error().what) << '\n';
    }
    AcceptedRun accepted;
    accepted.machine = machine_of(*claim);
    if (!claim->is_timed && !before.runs().empty()) accepted = before.runs().back();  // --quick keeps the full form
    for (const bool is_quick : {false, true}) {
      if (quick_ && !is_quick) continue;
      terminal.err << "validate: " << claim->name << (is_quick ? ", quick" : "") << std::endl;
      const Claim form = claim->form(is_quick);
      const Judgement judgement =
          try_claim(form, {}, is_quick, results, claim->name + (is_quick ? "-quick" : ""), terminal);
      if (judgement.verdict == Verdict::skipped || judgement.verdict == Verdict::broken) {
        terminal.err << "dpm validate: " << claim->name << ": " << name_of(judgement.verdict) << ": "
                     << printable_lines(judgement.reason) << "\nThe baseline is unchanged.\n";
        return judgement.is_refused ? kWrongInput : kFellShort;
      }
      accepted.of(is_quick) = judgement.result.figures;
    }
    Baseline after = before;
    after.accept(*claim, accepted);
    terminal.out << acceptance_text(*claim, before, accepted, terminal.width);
    const std::string path = folder.baseline_path(*claim);
    if (auto written = replace_file(path, baseline_text(*claim, after)); !written) {
      terminal.err << "dpm validate: " << written.error().what << '\n';
      return kFellShort;
    }
    terminal.err << "wrote " << printable(path) << '\n';
    return kDone;
  }

  std::vector<std::string> asked_, cpus_;
  std::string accepted_, claims_, runners_, output_, plant_, report_, junit_, history_, commit_, new_, scenario_,
      trace_;
  std::string program_, machine_ = label_of_this_machine();
  bool quick_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_validate() { return std::make_unique<ValidateCommand>(); }

}  // namespace dpm::cli
