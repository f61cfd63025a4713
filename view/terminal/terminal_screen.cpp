#include "view/terminal/terminal_screen.hpp"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#define NCURSES_NOMACROS  // functions: macros would take everyday names
#include <curses.h>

namespace dpm::view {
namespace {

constexpr int kControlC = 3, kEscape = 27, kDelete = 127, kControlH = 8;
constexpr short kWeakPair = 1, kWarningPair = 2;

attr_t attributes_of(LineStyle style, bool colour) {
  switch (style) {
    case LineStyle::plain:
      return A_NORMAL;
    case LineStyle::strong:
      return A_BOLD;
    case LineStyle::heading:
      return A_REVERSE;
    case LineStyle::weak:
      return colour ? static_cast<attr_t>(COLOR_PAIR(kWeakPair)) : A_NORMAL;
    case LineStyle::warning:
      return A_BOLD | (colour ? static_cast<attr_t>(COLOR_PAIR(kWarningPair)) : A_NORMAL);
  }
  return A_NORMAL;
}

Key::Kind kind_of(int code) {
  switch (code) {
    case ERR:
      return Key::Kind::none;
    case KEY_UP:
      return Key::Kind::up;
    case KEY_DOWN:
      return Key::Kind::down;
    case KEY_LEFT:
      return Key::Kind::left;
    case KEY_RIGHT:
      return Key::Kind::right;
    case KEY_PPAGE:
      return Key::Kind::page_up;
    case KEY_NPAGE:
      return Key::Kind::page_down;
    case KEY_HOME:
      return Key::Kind::home;
    case KEY_END:
      return Key::Kind::end;
    case KEY_RESIZE:
      return Key::Kind::resize;
    case KEY_ENTER:
    case '\n':
    case '\r':
      return Key::Kind::enter;
    case KEY_BACKSPACE:
    case kDelete:
    case kControlH:
      return Key::Kind::backspace;
    case '\t':
      return Key::Kind::tab;
    case kEscape:
      return Key::Kind::escape;
    case kControlC:
      return Key::Kind::interrupt;
    default:
      return code >= ' ' && code < kDelete ? Key::Kind::character : Key::Kind::none;
  }
}

}  // namespace

Result<TerminalScreen> TerminalScreen::open(bool colour) {
  std::setlocale(LC_CTYPE, "");
  const bool is_known = ::newterm(nullptr, stdout, stdin) != nullptr;
  char cursor_address[] = "cup";
  if (!is_known || ::tigetstr(cursor_address) == nullptr) {
    if (is_known) ::endwin();
    const char* term = std::getenv("TERM");
    return Error{std::string("the terminal '") + (term == nullptr ? "" : term) +
                 "' (TERM) is not known here, or cannot be drawn on; --batch prints plain text"};
  }
  ::raw();
  ::noecho();
  ::keypad(stdscr, TRUE);
  ::set_escdelay(25);
  ::curs_set(0);
  const bool has_colour = colour && ::has_colors();
  if (has_colour) {
    ::start_color();
    ::use_default_colors();
    ::init_pair(kWeakPair, COLOR_CYAN, -1);
    ::init_pair(kWarningPair, COLOR_RED, -1);
  }
  return TerminalScreen(has_colour);
}

TerminalScreen::TerminalScreen(TerminalScreen&& other) noexcept
    : is_open_(std::exchange(other.is_open_, false)), colour_(other.colour_) {}

TerminalScreen::~TerminalScreen() {
  if (is_open_) ::endwin();
}

ScreenSize TerminalScreen::size() const { return {COLS, LINES}; }

void TerminalScreen::draw(const std::vector<ScreenLine>& lines) {
  ::erase();
  for (int row = 0; row < LINES && row < static_cast<int>(lines.size()); ++row) {
    const ScreenLine& line = lines[static_cast<std::size_t>(row)];
    const attr_t attributes = attributes_of(line.style, colour_);
    ::attrset(static_cast<int>(attributes));
    if (line.style == LineStyle::heading) ::mvhline(row, 0, ' ' | attributes, COLS);
    ::mvaddnstr(row, 0, line.text.c_str(), -1);
    ::attrset(A_NORMAL);
  }
  ::refresh();
}

Key TerminalScreen::wait(std::chrono::milliseconds time) {
  ::timeout(static_cast<int>(time.count()));
  const int code = ::getch();
  Key key{kind_of(code), 0};
  if (key.kind == Key::Kind::resize) ::clear();  // terminals move lines as they like: all are drawn again
  if (key.kind == Key::Kind::character) key.character = static_cast<char>(code);
  return key;
}

}  // namespace dpm::view
