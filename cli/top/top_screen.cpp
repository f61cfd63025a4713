#include "cli/top/top_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/top/columns.hpp"
#include "cli/top/curve_text.hpp"
#include "text/characters.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {

using view::Key;
using view::LineStyle;

namespace {

constexpr std::size_t kNameLeast = 16;   // columns
constexpr std::size_t kHelpColumn = 14;  // where the help says what a key does
constexpr double kPeriodLeast_s = .25, kPeriodMost_s = 60;
constexpr std::array kCurves = {"% CPU", "messages sent/s", "bytes sent/s"};

double value_of(const Rates& rates, std::size_t curve) {
  if (curve == 0) return rates.cpu * 100;
  return curve == 1 ? rates.sent : rates.sent_bytes;
}

std::size_t columns_that_fit(std::size_t room) {
  std::size_t count = 0, used = kNameLeast;
  for (const TopColumn& column : top_columns()) {
    used += column.width + 1;
    if (used > room) break;
    ++count;
  }
  return count;
}

// Of a column of names: as much as they need, of a third of the screen.
std::size_t name_width_in(std::size_t columns, const std::vector<const ProcessRates*>& named) {
  std::size_t longest = kNameLeast;
  for (const ProcessRates* process : named) longest = std::max(longest, character_count(printable(process->name)));
  return std::clamp(columns / 3, kNameLeast, longest);
}

std::string cell(const std::string& text, std::size_t width) {
  return " " + padded_left(shortened_name(text, width), width);
}

}  // namespace

void TopScreen::show(TopNumbers numbers, const TopHistory& history) {
  if (frozen_) return;
  numbers_ = std::move(numbers);
  history_ = &history;
}

bool TopScreen::press(const Key& key) {
  if (key.kind == Key::Kind::interrupt) return false;
  if (edits_filter_) {
    edit_filter(key);
    return true;
  }
  switch (key.kind) {
    case Key::Kind::character:
      if (key.character == 'q') return false;
      press_character(key.character);
      break;
    case Key::Kind::tab:
      view_ = static_cast<View>((static_cast<int>(view_) + 1) % 3);
      break;
    case Key::Kind::escape:
      help_ = false;
      filter_.clear();
      break;
    case Key::Kind::up:
      turn(0, -1);
      break;
    case Key::Kind::down:
      turn(0, 1);
      break;
    case Key::Kind::page_up:
      turn(-1, 0);
      break;
    case Key::Kind::page_down:
      turn(1, 0);
      break;
    case Key::Kind::home:
      first_ = 0;
      break;
    case Key::Kind::end:
      first_ = rows().size();
      break;
    case Key::Kind::left:
      press_character('<');
      break;
    case Key::Kind::right:
      press_character('>');
      break;
    default:
      break;
  }
  first_ = std::min(first_, rows().empty() ? 0 : rows().size() - 1);
  return true;
}

void TopScreen::press_character(char character) {
  const std::size_t sorts = top_columns().size() + 1;
  switch (character) {
    case 'h':
    case '?':
      help_ = !help_;
      break;
    case '1':
      view_ = View::processes;
      break;
    case '2':
      view_ = View::matrix;
      break;
    case '3':
      view_ = View::history;
      break;
    case '>':
    case 's':
      sort_ = (sort_ + 1) % sorts;
      break;
    case '<':
      sort_ = (sort_ + sorts - 1) % sorts;
      break;
    case 'r':
      reverse_ = !reverse_;
      break;
    case 't':
      threads_ = !threads_;
      break;
    case 'c':
      curve_ = (curve_ + 1) % kCurves.size();
      break;
    case '/':
      edits_filter_ = true;
      filter_.clear();
      break;
    case ' ':
    case 'f':
      frozen_ = !frozen_;
      break;
    case '+':
      period_s_ = std::min(kPeriodMost_s, period_s_ * 2);
      break;
    case '-':
      period_s_ = std::max(kPeriodLeast_s, period_s_ / 2);
      break;
    default:
      break;
  }
}

void TopScreen::edit_filter(const Key& key) {
  if (key.kind == Key::Kind::character) filter_ += key.character;
  if (key.kind == Key::Kind::backspace && !filter_.empty()) filter_.pop_back();
  if (key.kind == Key::Kind::escape) filter_.clear();
  if (key.kind == Key::Kind::enter || key.kind == Key::Kind::escape) edits_filter_ = false;
  first_ = 0;
}

void TopScreen::turn(int pages, int rows) {
  const int move = pages * static_cast<int>(page_) + rows;
  first_ = static_cast<std::size_t>(std::max(0, static_cast<int>(first_) + move));
}

std::vector<const ProcessRates*> TopScreen::rows() const {
  std::vector<const ProcessRates*> rows;
  for (const ProcessRates& process : numbers_.processes)
    if (filter_.empty() || process.name.find(filter_) != std::string::npos) rows.push_back(&process);
  const bool by_name = sort_ == top_columns().size();
  std::stable_sort(rows.begin(), rows.end(), [&](const ProcessRates* a, const ProcessRates* b) {
    if (by_name) return a->name < b->name;
    const auto& column = top_columns()[sort_];
    return column.number(*a) > column.number(*b);
  });
  if (reverse_) std::reverse(rows.begin(), rows.end());
  return rows;
}

void TopScreen::add_header(Lines& lines, std::size_t columns) const {
  const Ledger& ledger = numbers_.ledger;
  const auto add = [&](const std::string& text, LineStyle style) {
    lines.push_back({shortened(text, columns), style});
  };
  add(fmt::format("dpm top  {}  {} {}{}", printable(title_), seconds_text(numbers_.elapsed_s),
                  numbers_.is_over ? "- ended" : "so far", frozen_ ? "  FROZEN" : ""),
      LineStyle::strong);
  add(fmt::format("P {:.2f} (run {:.2f})   messages {}/s   {}B/s   {} processes   every {:g} s", numbers_.P,
                  numbers_.P_of_run, short_number(numbers_.messages), short_number(numbers_.bytes),
                  numbers_.processes.size(), period_s_),
      LineStyle::plain);
  const bool is_sound = ledger.lost == 0;
  add(fmt::format("events {}: {} kept + {} filtered + {} lost{}", ledger.seen, ledger.kept, ledger.filtered,
                  ledger.lost,
                  ledger.warnings.empty()
                      ? ""
                      : fmt::format("; {} warning{}", ledger.warnings.size(), ledger.warnings.size() == 1 ? "" : "s")),
      is_sound ? LineStyle::weak : LineStyle::warning);
}

void TopScreen::add_processes(Lines& lines, std::size_t columns, std::size_t rows) const {
  const std::size_t shown = columns_that_fit(columns);
  std::size_t name_width = columns;
  for (std::size_t i = 0; i < shown; ++i) name_width -= std::min(name_width, top_columns()[i].width + 1);
  const auto mark = [&](std::size_t column) { return sort_ == column ? (reverse_ ? "^" : "*") : ""; };
  std::string heading =
      padded_right(shortened(std::string("process") + mark(top_columns().size()), name_width), name_width);
  for (std::size_t i = 0; i < shown; ++i)
    heading += cell(top_columns()[i].heading + std::string(mark(i)), top_columns()[i].width);
  lines.push_back({heading, LineStyle::heading});
  const auto all = this->rows();
  for (std::size_t i = first_; i < all.size() && i < first_ + rows - 1; ++i) {
    std::string text = padded_right(shortened_name(printable(all[i]->name), name_width), name_width);
    for (std::size_t c = 0; c < shown; ++c) text += cell(top_columns()[c].text(*all[i]), top_columns()[c].width);
    lines.push_back({std::move(text), LineStyle::plain});
  }
  if (all.empty())
    lines.push_back({filter_.empty() ? "no process yet" : "no process has such a name", LineStyle::weak});
}

// The senders are the rows of the table of processes, in its order; the receivers those that get most from these.
void TopScreen::add_matrix(Lines& lines, std::size_t columns, std::size_t rows) const {
  constexpr std::size_t kCellLeast = 7;
  const auto all = this->rows();
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(first_ + rows - 1, all.size()));
  const std::vector<const ProcessRates*> senders(
      all.begin() + static_cast<std::ptrdiff_t>(std::min(first_, all.size())), end);
  std::map<std::pair<ProcessId, ProcessId>, double> rates;
  for (const PairRates& pair : numbers_.pairs) rates[{pair.from, pair.to}] = pair.messages;
  const auto rate = [&](const ProcessRates* from, const ProcessRates* to) {
    const auto found = rates.find({from->process, to->process});
    return found == rates.end() ? -1 : found->second;
  };

  std::vector<std::pair<double, const ProcessRates*>> receivers;
  for (const ProcessRates* to : all) {
    double sum = 0;
    bool any = false;  // ever
    for (const ProcessRates* from : senders) {
      any |= rate(from, to) >= 0;
      sum += std::max(0.0, rate(from, to));
    }
    if (any) receivers.emplace_back(sum, to);
  }
  std::stable_sort(receivers.begin(), receivers.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t name_width = name_width_in(columns, senders);
  const std::size_t room = columns > name_width ? columns - name_width : 0;
  receivers.resize(std::min(receivers.size(), room / (kCellLeast + 1)));
  std::size_t longest = kCellLeast;
  for (const auto& [sum, to] : receivers) longest = std::max(longest, character_count(printable(to->name)));
  const std::size_t cell_width =
      receivers.empty() ? kCellLeast : std::clamp(room / receivers.size() - 1, kCellLeast, longest);

  std::string heading = padded_right("messages/s to", name_width);
  for (const auto& [sum, to] : receivers) heading += cell(printable(to->name), cell_width);
  lines.push_back({heading, LineStyle::heading});
  for (const ProcessRates* from : senders) {
    std::string text = padded_right(shortened_name(printable(from->name), name_width), name_width);
    for (const auto& [sum, to] : receivers)
      text += cell(rate(from, to) < 0 ? "." : short_number(rate(from, to)), cell_width);
    lines.push_back({std::move(text), LineStyle::plain});
  }
  if (senders.empty()) lines.push_back({"no process yet", LineStyle::weak});
}

void TopScreen::add_history(Lines& lines, std::size_t columns, std::size_t rows) const {
  constexpr std::size_t kNumber = 8;
  const std::size_t name_width = name_width_in(columns, this->rows());
  const std::size_t width = columns > name_width + kNumber + 2 ? columns - name_width - kNumber - 2 : 0;
  lines.push_back({fmt::format("{}{} now, and the last {} periods; c shows another",
                               padded_right("process", name_width + 1), kCurves[curve_], width),
                   LineStyle::heading});
  const auto add = [&](const std::string& name, const TopHistory::Curve& curve) {
    std::vector<double> values;
    for (const Rates& rates : curve) values.push_back(value_of(rates, curve_));
    const std::string number = padded_left(short_number(values.empty() ? 0 : values.back()), kNumber);
    lines.push_back({padded_right(shortened_name(name, name_width), name_width) + " " + number + " " +
                         curve_text(values, width, unicode_),
                     LineStyle::plain});
  };
  if (history_ == nullptr) return;
  add("all", history_->all());
  const auto all = this->rows();
  for (std::size_t i = first_; i < all.size() && i < first_ + rows - 2; ++i)
    add(printable(all[i]->name), history_->of(all[i]->process));
}

void TopScreen::add_help(Lines& lines, std::size_t columns) {
  for (const std::string text : {
           "1 2 3, Tab    processes, matrix of messages, history",
           "s < >         sort by the next or previous column (* marks it); r turns the order round",
           "/             show only processes with this text in their names; Escape shows all",
           "space, f      freeze the numbers, and go on",
           "t             threads, or processes",
           "c             in the history: CPU, messages, or bytes",
           "+ -           a longer or shorter period between two updates",
           "arrows, PgUp PgDn Home End   other rows",
           "q, Control-C  quit; a program that runs goes on",
           "",
           "P             the mean number of busy CPUs, in the last period and in the run",
           "waits for     the process that is to send it a message; or 'message', CPU, disk, lock, timer, child, "
           "'events' (poll); 'runs': it does not wait; '-': not known (another machine)",
           "queue         messages that have come and that it has not received; '-': not metered",
       }) {
    if (text.size() <= columns) {
      lines.push_back({text, LineStyle::plain});
      continue;
    }
    std::string before = text.substr(0, kHelpColumn);
    for (const std::string& part : wrapped(text.substr(kHelpColumn), columns - std::min(columns - 1, kHelpColumn))) {
      lines.push_back({before + part, LineStyle::plain});
      before.assign(kHelpColumn, ' ');
    }
  }
}

std::vector<view::ScreenLine> TopScreen::lines(view::ScreenSize size) const {
  const auto columns = static_cast<std::size_t>(std::max(size.columns, 1));
  const auto rows = static_cast<std::size_t>(std::max(size.rows, 6));
  Lines lines;
  add_header(lines, columns);
  const std::size_t room = rows - lines.size() - 1;
  page_ = room - 1;
  if (help_) {
    add_help(lines, columns);
  } else if (view_ == View::processes) {
    add_processes(lines, columns, room);
  } else if (view_ == View::matrix) {
    add_matrix(lines, columns, room);
  } else {
    add_history(lines, columns, room);
  }
  lines.resize(rows - 1);
  const std::string hints = "q quit  h help  1 2 3 views  s sort  / filter  f freeze  t threads";
  lines.push_back({edits_filter_ ? "name contains: " + filter_ + "_" : hints, LineStyle::weak});
  for (view::ScreenLine& line : lines) line.text = shortened(line.text, columns);
  return lines;
}

}  // namespace dpm::cli
