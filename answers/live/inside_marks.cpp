#include "answers/live/inside_marks.hpp"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/value.hpp"

namespace dpm::cli {

void add_inside_marks(const InsideWindow& window, const TraceInfo& info, view::Answer& answer) {
  std::vector<std::uint32_t> rows, names;
  std::vector<double> times_s, values;
  std::map<std::uint32_t, std::uint32_t> known;  // by row of primitive_events
  view::Json events = view::Json::array();
  for (std::size_t i = 0; i < window.events.size(); ++i) {
    const Event& event = window.events[i];
    if (!is_primitive(event.type) || window.times_ns[i] < window.from_ns || window.times_ns[i] >= window.to_ns)
      continue;
    const std::uint32_t row = window.row_of(event.process);
    if (row == InsideWindow::kNoRow || event.code >= info.primitive_events.size()) continue;
    const auto [name, is_new] = known.try_emplace(event.code, static_cast<std::uint32_t>(known.size()));
    if (is_new) {
      const PrimitiveEvent& primitive = info.primitive_events[event.code];
      events.push_back({{"action", primitive.action}, {"object", primitive.object}, {"function", primitive.function}});
    }
    rows.push_back(row);
    names.push_back(name->second);
    times_s.push_back(static_cast<double>(window.times_ns[i]) * 1e-9);
    values.push_back(event.type == EventType::value ? number_of(event).as_double()
                                                    : std::numeric_limits<double>::quiet_NaN());
  }
  if (rows.empty()) return;
  answer.json["inside_events"] = std::move(events);
  answer.arrays.push_back({"inside_row", std::move(rows)});
  answer.arrays.push_back({"inside_event", std::move(names)});
  answer.arrays.push_back({"inside_t", std::move(times_s)});
  answer.arrays.push_back({"inside_value", std::move(values)});
}

}  // namespace dpm::cli
