#include "cli/control/line_editor.hpp"

#include <histedit.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cwchar>

#include "cli/control/progress_line.hpp"
#include "cli/control/typed_history.hpp"
#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr int kHistoryLines = 1000;

// The number of terminal columns that a text takes.
std::size_t width_of(const char* text, const char* end) {
  std::size_t width = 0;
  std::mbstate_t state{};
  while (text < end) {
    wchar_t character = 0;
    const std::size_t bytes = std::mbrtowc(&character, text, static_cast<std::size_t>(end - text), &state);
    if (bytes == 0 || bytes > static_cast<std::size_t>(end - text)) return width + static_cast<std::size_t>(end - text);
    width += static_cast<std::size_t>(std::max(wcwidth(character), 0));
    text += bytes;
  }
  return width;
}

void write_out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

class LineEditor::Library {
 public:
  Library(std::string prompt, std::string history_file)
      : prompt_(std::move(prompt)), typed_(std::move(history_file)), history_(history_init()) {
    std::setlocale(LC_CTYPE, "");  // wcwidth() needs it for characters beyond ASCII
    editor_ = el_init("dpm", stdin, stdout, stderr);
    DPM_CHECK(editor_ != nullptr && history_ != nullptr);
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(
        editor_, EL_PROMPT, +[](EditLine* editor) { return of(editor).prompt_.data(); });
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_SIGNAL, 1);
    el_set(
        editor_, EL_GETCFN, +[](EditLine* editor, wchar_t* character) { return of(editor).get(character); });
    el_set(
        editor_, EL_ADDFN, "complete", "Complete the word",
        +[](EditLine* editor, int) -> unsigned char { return of(editor).complete_word(); });
    el_set(editor_, EL_BIND, "^I", "complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event{};
    history(history_, &event, H_SETSIZE, kHistoryLines);
    history(history_, &event, H_SETUNIQUE, 1);
    el_set(editor_, EL_HIST, history, history_);
    for (const auto& line : typed_.read()) history(history_, &event, H_ENTER, line.c_str());
    el_source(editor_, nullptr);  // ~/.editrc: the user may prefer other keys
  }
  ~Library() {
    el_end(editor_);
    history_end(history_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::optional<std::string> next() {
    int count = 0;
    is_discarded_ = false;
    is_editing_ = true;
    // Before the prompt appears: otherwise the terminal itself would handle a key typed very early, such as control-R.
    el_set(editor_, EL_PREP_TERM, 1);
    const char* text = el_gets(editor_, &count);
    is_editing_ = false;
    if (text == nullptr || count <= 0) {
      write_out("\n");
      return std::nullopt;
    }
    std::string line(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    if (is_discarded_) return "";
    if (line.find_first_not_of(" \t") != std::string::npos) {
      HistEvent event{};
      history(history_, &event, H_ENTER, line.c_str());
      typed_.add(line);
    }
    return line;
  }

  void put(std::string_view text) {
    if (is_editing_ && !is_hidden_) hide();
    progress_.show("");
    write_out(std::string(text) + "\n");
  }

  ProgressLine progress_;
  WhileWaiting meanwhile_;
  std::function<control::Completion(std::string_view)> complete_;

 private:
  static Library& of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Library*>(self);
  }

  // Reads one character. What machines report meanwhile is shown above, and the line stays as it was.
  int get(wchar_t* character) {
    std::mbstate_t state{};
    while (true) {
      switch (wait_for(STDIN_FILENO, meanwhile_)) {
        case Woken::shown:
          redraw();
          continue;
        case Woken::interrupted:
          is_discarded_ = true;
          write_out("^C");
          *character = L'\n';
          return 1;
        case Woken::input:
          break;
      }
      char byte = 0;
      const ssize_t count = read(STDIN_FILENO, &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return static_cast<int>(count);
      const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // the character has more bytes
      if (used == static_cast<std::size_t>(-1)) {
        state = {};  // not a character of this encoding
        continue;
      }
      return 1;
    }
  }

  // Erases prompt and line, and leaves the cursor where the prompt began.
  void hide() {
    const LineInfo* line = el_line(editor_);
    const std::size_t before = prompt_.size() + width_of(line->buffer, line->cursor);
    const std::size_t rows = before / terminal_columns();
    write_out((rows > 0 ? "\x1b[" + std::to_string(rows) + "A" : "") + "\r\x1b[J");
    is_hidden_ = true;
  }

  void redraw() {
    if (!is_hidden_) return;
    is_hidden_ = false;
    el_set(editor_, EL_REFRESH);
  }

  unsigned char complete_word() {
    const LineInfo* line = el_line(editor_);
    const auto completion =
        complete_(std::string_view(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer)));
    const auto& candidates = completion.candidates;
    if (candidates.empty()) return CC_REFRESH_BEEP;
    std::string rest = control::common_beginning(candidates).substr(completion.word.size());
    if (candidates.size() == 1 && !candidates.front().ends_with('/')) rest += ' ';
    if (!rest.empty()) {
      el_insertstr(editor_, rest.c_str());
      return CC_REFRESH;
    }
    if (candidates.size() == 1) return CC_REFRESH;  // a folder name, completed
    std::string list;
    for (const auto& candidate : candidates) list += (list.empty() ? "" : "  ") + candidate;
    put(control::visible(list));
    redraw();
    return CC_NORM;
  }

  std::string prompt_;
  TypedHistory typed_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  bool is_editing_ = false;
  bool is_hidden_ = false;
  bool is_discarded_ = false;
};

LineEditor::LineEditor(std::string prompt, std::string history_file)
    : library_(std::make_unique<Library>(std::move(prompt), std::move(history_file))) {}
LineEditor::~LineEditor() = default;

void LineEditor::on_waiting(WhileWaiting meanwhile) { library_->meanwhile_ = std::move(meanwhile); }
void LineEditor::on_completion(std::function<control::Completion(std::string_view)> complete) {
  library_->complete_ = std::move(complete);
}
std::optional<std::string> LineEditor::next() { return library_->next(); }
void LineEditor::put(std::string_view text) { library_->put(text); }
void LineEditor::put_progress(std::string_view text) { library_->progress_.show(text); }

}  // namespace dpm::cli
