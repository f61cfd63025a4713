// dpm find: the slowest messages, the longest requests, and whatever else of a trace meets conditions.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/find/edges.hpp"
#include "answers/find/find_expression.hpp"
#include "answers/find/find_results.hpp"
#include "answers/find/item_finder.hpp"
#include "answers/find/selection.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/clocks_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "cli/command.hpp"
#include "cli/trace_options/trace_options.hpp"
#include "model/nearest_name.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

class FindCommand : public Command {
 public:
  std::string name() const override { return "find"; }
  std::string summary() const override {
    return "The slowest messages, longest requests, processes, channels and gaps that meet conditions";
  }
  std::string example() const override { return "dpm find out/trace 'requests from:client latency>10ms' --limit 5"; }

  void describe(Options& options) override {
    options_.describe(options);
    options.list("EXPRESSION", words_,
                 "messages (default), requests, processes, channels or gaps, and conditions such as from:nginx, to:, "
                 "program:, bytes>1k, latency>5ms, wait>10ms, in quotes (default: all)");
    options.value("--sort", sort_,
                  "The field by which the greatest come first (default: latency, cpu, bytes or length)");
    options.value("--limit", limit_.rows, "The largest number of rows; 0: all").show_default();
    options
        .value("--by", by_,
               "Instead of the messages or requests themselves: a histogram of their latencies for each edge")
        .one_of({"edge"});
  }

  int run(Terminal& terminal) override {
    const auto expression = parse_find_expression(fmt::format("{}", fmt::join(words_, " ")));
    if (!expression) return refuse(terminal, *this, Error{printable(expression.error().what)});
    const ItemKind kind = expression->kind;
    const auto sorted_by = sort_field(kind);
    if (!sorted_by) return refuse(terminal, *this, sorted_by.error());
    ItemFinder finder(kind);
    const auto input = read_trace(options_.trace, finder.sinks());
    if (!input) return refuse(terminal, *this, input.error());
    const auto selection = Selection::resolve(*expression, input->info);
    if (!selection) return refuse(terminal, *this, Error{printable(selection.error().what)});
    std::vector<Item> items = finder.items(input->info);
    std::erase_if(items, [&](const Item& item) { return !selection->accepts(item); });
    if (by_.empty())
      print_items(std::move(items), kind, **sorted_by, *input, terminal);
    else
      print_edges(edges_of(items), kind, *input, terminal);
    print_clock_notes(finder.clocks(), input->info, terminal.err);
    print_ledger(input->ledger, terminal);
    return kDone;
  }

 private:
  Result<const ItemField*> sort_field(ItemKind kind) const {
    const bool has_latencies = kind == ItemKind::messages || kind == ItemKind::requests;
    if (!by_.empty() && !has_latencies)
      return Error{fmt::format("--by: {} have no latencies; messages and requests have", name_of(kind))};
    if (sort_.empty()) return &main_field(kind);
    const std::vector<std::string> names = field_names(kind);
    const ItemField* field = field_named(kind, sort_);
    if (field == nullptr || field->end == ItemEnd::either)
      return Error{
          fmt::format("--sort: {} are not sorted by '{}'{}", name_of(kind), sort_, did_you_mean(sort_, names))};
    return field;
  }

  void print_items(std::vector<Item> items, ItemKind kind, const ItemField& sorted_by, const TraceInput& input,
                   Terminal& terminal) const {
    sort_items(items, sorted_by, input.info);
    if (options_.json)
      print_json(items_json(items, kind, input.info, limit_, input.ledger), terminal);
    else if (items.empty())
      terminal.out << fmt::format("no {} meet the conditions\n", name_of(kind));
    else
      terminal.out << items_text(items, kind, input.info, limit_, terminal.width);
  }

  void print_edges(const std::vector<Edge>& edges, ItemKind kind, const TraceInput& input, Terminal& terminal) const {
    if (options_.json)
      print_json(edges_json(edges, kind, input.info, limit_, input.ledger), terminal);
    else if (edges.empty())
      terminal.out << fmt::format("no {} meet the conditions\n", name_of(kind));
    else
      terminal.out << edges_text(edges, kind, input.info, limit_, terminal.width);
  }

  TraceOptions options_;
  std::vector<std::string> words_;
  std::string sort_, by_;
  FoundLimit limit_{20};
};

}  // namespace

std::unique_ptr<Command> make_find() { return std::make_unique<FindCommand>(); }

}  // namespace dpm::cli
