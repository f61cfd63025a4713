// links: dpm_filter dpm_trace dpm_model
// Meter messages come over the network: whatever arrives, cut anywhere, the standard filter counts all of it. The first
// byte chooses the description and how the input is cut.
#include <stdlib.h>

#include <filesystem>

#include "filter/standard_filter.hpp"
#include "model/check.hpp"
#include "trace/meter_message.hpp"
#include "trace/trace_reader.hpp"

namespace {

constexpr const char* kWithSize =
    "HEADER\n size,0,4,10\n machine,4,2,10\n traceType,6,1,10\n time,8,8,10\nSEND 1,\n pid,0,4,10\n"
    " toTask,4,4,10\n channel,8,4,10\nRECEIVE 3,\n pid,0,4,10\n fromTask,4,4,10\n channel,8,4,10\n";
constexpr const char* kWithoutSize =
    "HEADER\n machine,0,1,10\n traceType,1,1,10\nSEND 1,\n fromTask,0,1,10\n toTask,1,1,10\n channel,2,1,10\nOTHER "
    "2,\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  (void)dpm::decode_meter_message(input);
  std::string folder = (std::filesystem::temp_directory_path() / "dpm-fuzz-XXXXXX").string();
  DPM_CHECK(::mkdtemp(folder.data()) != nullptr);

  auto descriptions = dpm::parse_descriptions("file", data[0] % 2 == 0 ? kWithSize : kWithoutSize).value();
  auto rules =
      dpm::RuleSet::compile("rules", data[0] % 4 < 2 ? "" : "machine=#*, channel>3", descriptions.records).value();
  auto writer = dpm::TraceWriter::create(folder + "/log", dpm::describe_messages(descriptions, rules)).value();
  dpm::StandardFilter filter(std::move(descriptions), std::move(rules), *writer);
  const std::size_t piece = std::size_t{1} + data[0] / 4;
  for (std::size_t i = 0; i < input.size(); i += piece)
    filter.feed(input.subspan(i, std::min(piece, input.size() - i)));
  filter.end();
  DPM_CHECK(filter.ledger().balanced());

  auto reader = dpm::TraceReader::open(folder + "/log").value();
  std::uint64_t events = 0;
  const auto losses = reader.read([&](std::span<const dpm::Event> batch) { events += batch.size(); });
  DPM_CHECK(losses.seen == events + losses.lost());
  DPM_CHECK(reader.ledger().seen == filter.ledger().seen);
  std::filesystem::remove_all(folder);
  return 0;
}
