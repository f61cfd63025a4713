// What `dpm top` shows: numbers and keys in, lines out. No terminal, no clock.
//
// Three views of the same numbers: the processes, the matrix of messages between the busiest of them, and their history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/rates.hpp"
#include "cli/top/top_history.hpp"
#include "view/terminal/key.hpp"
#include "view/terminal/screen_line.hpp"

namespace dpm::cli {

class TopScreen {
 public:
  // `title` is what is looked at. Without `unicode` curves are drawn in ASCII.
  TopScreen(std::string title, bool unicode) : title_(std::move(title)), unicode_(unicode) {}

  // New numbers; a frozen screen only keeps them in its history.
  void show(TopNumbers numbers, const TopHistory& history);
  // False: the user quits.
  bool press(const view::Key& key);
  std::vector<view::ScreenLine> lines(view::ScreenSize size) const;

  bool threads() const { return threads_; }
  double period_s() const { return period_s_; }
  void set_period_s(double seconds) { period_s_ = seconds; }
  void set_threads(bool threads) { threads_ = threads; }

 private:
  enum class View : std::uint8_t { processes, matrix, history };
  using Lines = std::vector<view::ScreenLine>;

  void press_character(char character);
  void edit_filter(const view::Key& key);
  void turn(int pages, int rows);
  std::vector<const ProcessRates*> rows() const;
  void add_header(Lines& lines, std::size_t columns) const;
  void add_processes(Lines& lines, std::size_t columns, std::size_t rows) const;
  void add_matrix(Lines& lines, std::size_t columns, std::size_t rows) const;
  void add_history(Lines& lines, std::size_t columns, std::size_t rows) const;
  static void add_help(Lines& lines, std::size_t columns);

  std::string title_;
  bool unicode_;
  TopNumbers numbers_;
  const TopHistory* history_ = nullptr;
  View view_ = View::processes;
  std::size_t sort_ = 0;  // of top_columns(); one more: the name
  bool reverse_ = false, frozen_ = false, help_ = false, threads_ = false, edits_filter_ = false;
  std::string filter_;
  std::size_t first_ = 0;  // row
  std::size_t curve_ = 1;  // of history: CPU, messages, bytes
  double period_s_ = 1;
  mutable std::size_t page_ = 10;  // rows of the last screen
};

}  // namespace dpm::cli
