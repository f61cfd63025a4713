// dpm sql: a question in SQL to the tables that `dpm export --to sqlite` writes.
#include <limits>
#include <nlohmann/json.hpp>

#include "answers/reading/trace_input.hpp"
#include "answers/results/clocks_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/sql_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "formats/export/sqlite.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kWhatThereIs =
    "SELECT s.type, s.name, group_concat(c.name, ', ') AS columns FROM sqlite_schema s, pragma_table_info(s.name) c "
    "WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite%' GROUP BY s.name ORDER BY s.rowid";

class SqlCommand : public Command {
 public:
  std::string name() const override { return "sql"; }
  std::string summary() const override { return "Ask a trace in SQL: tables of its events, messages and processes"; }
  std::string example() const override { return "dpm sql out/trace 'SELECT * FROM slowest_messages LIMIT 5'"; }

  void describe(Options& options) override {
    options_.describe(options);
    options.value("QUERY", query_, "What to ask, in quotes (default: lists the tables, the views and their columns)");
    options.value("--limit", most_rows_, "The largest number of rows; 0: all").show_default();
  }

  int run(Terminal& terminal) override {
    // Before the trace is read, which may take long: there are tables, and nothing in them.
    const TimeAxis no_time = TimeSurvey().axis();
    const auto empty = make_sql_tables(no_time);
    if (!empty) return refuse(terminal, *this, empty.error());
    if (const auto asked = (*empty)->ask(query(), 0); !asked) return refuse(terminal, *this, said_of(asked));

    TimeSurvey survey;
    if (const auto read = read_trace(options_.trace, {&survey}); !read) return refuse(terminal, *this, read.error());
    const TimeAxis time = survey.axis();
    const auto tables = make_sql_tables(time);
    if (!tables) return refuse(terminal, *this, tables.error());
    const auto input = read_trace(options_.trace, {tables->get()});
    if (!input) return refuse(terminal, *this, input.error());
    if (const auto done = (*tables)->finish(input->info, input->ledger); !done)
      return refuse(terminal, *this, done.error());
    const auto found = (*tables)->ask(query(), most_rows_ == 0 ? std::numeric_limits<std::size_t>::max() : most_rows_);
    if (!found) return refuse(terminal, *this, said_of(found));
    if (options_.json)
      print_json(sql_json(*found, input->ledger), terminal);
    else
      terminal.out << sql_text(*found, terminal.width);
    print_clock_notes(survey.clocks(), input->info, terminal.err);
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  std::string query() const { return query_.empty() ? kWhatThereIs : query_; }
  static Error said_of(const Result<SqlRows>& refused) { return {printable(refused.error().what)}; }

  TraceOptions options_;
  std::string query_;
  std::size_t most_rows_ = 100;
};

}  // namespace

std::unique_ptr<Command> make_sql() { return std::make_unique<SqlCommand>(); }

}  // namespace dpm::cli
