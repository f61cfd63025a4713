#include "filter/meter_stream_filter.hpp"

#include "filter/event_filter.hpp"
#include "filter/filter_files.hpp"
#include "filter/filter_input.hpp"
#include "filter/filter_status.hpp"
#include "filter/unfit_input.hpp"
#include "trace/event_fields.hpp"
#include "trace/meter_stream.hpp"
#include "trace/trace_writer.hpp"

namespace dpm {

Result<Ledger> filter_meter_stream(const std::string& templates, const std::string& directory, int input,
                                   TraceForm form) {
  auto compiled = load_rules(templates, event_layouts());
  if (!compiled) return compiled.error();
  std::vector<RuleSet> rules;
  rules.push_back(*std::move(compiled));
  auto writer = TraceWriter::create(directory, describe_events({"filter"}, rules), std::move(form));
  if (!writer) return writer.error();

  EventFilter filter(std::move(rules), **writer);
  MeterStreamReader reader(filter, writer->get());
  FilterStatus status;
  const auto checkpoint = [&] {
    if (reader.is_at_rest())
      (*writer)->checkpoint(filter.ledger_after(reader.report()));
    else
      (*writer)->checkpoint();
    return status.report(**writer, filter.filtered());
  };
  InputBeginning beginning;
  const auto feed = [&](std::span<const std::byte> bytes) {
    beginning.see(bytes);
    reader.feed(bytes);
    return reader.has_begun();
  };
  const auto input_status = read_filter_input(input, {feed, checkpoint});
  reader.end();
  status.report(**writer, filter.filtered());
  if (!input_status) return input_status.error();
  if (!(*writer)->status()) return (*writer)->status().error();
  if (reader.is_unfit()) return beginning.refuse(directory, reader.why_lost());
  return (*writer)->ledger();
}

}  // namespace dpm
