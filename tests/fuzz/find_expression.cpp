// links: dpm_answers_find dpm_model
// Expressions of dpm find come from users: an error has its place, and what is accepted asks about fields that the items have.
#include "answers/find/find_expression.hpp"

#include <cstdint>
#include <string_view>

#include "answers/find/selection.hpp"
#include "model/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto expression = dpm::cli::parse_find_expression({reinterpret_cast<const char*>(data), size});
  if (!expression) {
    DPM_CHECK(expression.error().what.starts_with("character "));
    return 0;
  }
  for (const auto& rule : expression->rules) {
    DPM_CHECK(!rule.empty());
    for (const auto& condition : rule) {
      DPM_CHECK(dpm::cli::field_named(expression->kind, condition.field->name) == condition.field);
      DPM_CHECK(condition.amount >= 0);
      DPM_CHECK(dpm::cli::is_name(condition.field->type) == !condition.name.empty());
    }
  }
  dpm::TraceInfo info;
  info.machines.push_back({"red"});
  info.processes.resize(2);
  info.processes[0].name = info.processes[0].program = "server";
  info.processes[1].name = info.processes[1].program = "client#2";
  for (auto& process : info.processes) process.machine = {0};
  info.channels.push_back({{0}, "to server"});
  const auto selection = dpm::cli::Selection::resolve(*expression, info);
  if (!selection) return 0;
  for (const std::uint32_t end : {0u, 1u, 7u}) {
    dpm::cli::Item item;
    item.from = {end};
    item.to = {1};
    item.channel = {end};
    item.took_ns = item.bytes = end;
    (void)selection->accepts(item);
  }
  return 0;
}
