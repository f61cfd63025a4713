#include "formats/export/sqlite_batch.hpp"

#include <fmt/format.h>

namespace dpm {

struct SqliteBatch::Table : sqlite3_vtab {
  explicit Table(const SqliteBatch& of) : sqlite3_vtab(), batch(of) {}
  const SqliteBatch& batch;
};

struct SqliteBatch::Cursor : sqlite3_vtab_cursor {
  explicit Cursor(const SqliteBatch& of) : sqlite3_vtab_cursor(), batch(of) {}
  const SqliteBatch& batch;
  std::size_t row = 0;
};

// The table can only be read from its first row to its last, which is all that the insertion asks for.
const sqlite3_module& SqliteBatch::module() {
  static const sqlite3_module module = [] {
    sqlite3_module made{};
    made.xConnect = [](sqlite3* database, void* self, int, const char* const*, sqlite3_vtab** table, char**) {
      const auto& batch = *static_cast<const SqliteBatch*>(self);
      std::string columns;
      for (std::size_t c = 0; c < batch.columns_; ++c) columns += fmt::format("{}c{}", c == 0 ? "" : ",", c);
      const int code = sqlite3_declare_vtab(database, fmt::format("CREATE TABLE batch ({})", columns).c_str());
      if (code == SQLITE_OK) *table = std::make_unique<Table>(batch).release();
      return code;
    };
    made.xDisconnect = [](sqlite3_vtab* table) {
      const std::unique_ptr<Table> ended(static_cast<Table*>(table));
      return SQLITE_OK;
    };
    made.xBestIndex = [](sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; };
    made.xOpen = [](sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
      *cursor = std::make_unique<Cursor>(static_cast<Table*>(table)->batch).release();
      return SQLITE_OK;
    };
    made.xClose = [](sqlite3_vtab_cursor* cursor) {
      const std::unique_ptr<Cursor> ended(static_cast<Cursor*>(cursor));
      return SQLITE_OK;
    };
    made.xFilter = [](sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
      static_cast<Cursor*>(cursor)->row = 0;
      return SQLITE_OK;
    };
    made.xNext = [](sqlite3_vtab_cursor* cursor) {
      ++static_cast<Cursor*>(cursor)->row;
      return SQLITE_OK;
    };
    made.xEof = [](sqlite3_vtab_cursor* cursor) {
      const Cursor& at = *static_cast<Cursor*>(cursor);
      return at.row * at.batch.columns_ < at.batch.cells_.size() ? 0 : 1;
    };
    made.xRowid = [](sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
      *row = static_cast<sqlite3_int64>(static_cast<Cursor*>(cursor)->row);
      return SQLITE_OK;
    };
    made.xColumn = [](sqlite3_vtab_cursor* cursor, sqlite3_context* result, int column) {
      const Cursor& at = *static_cast<Cursor*>(cursor);
      const Cell& cell = at.batch.cells_[at.row * at.batch.columns_ + static_cast<std::size_t>(column)];
      if (cell.kind == Kind::number)
        sqlite3_result_int64(result, cell.number);
      else if (cell.kind == Kind::text)
        sqlite3_result_text(result, cell.text, static_cast<int>(cell.number), SQLITE_STATIC);
      else
        sqlite3_result_null(result);
      return SQLITE_OK;
    };
    return made;
  }();
  return module;
}

SqliteBatch::SqliteBatch(sqlite3* database, const std::string& table, int columns)
    : columns_(static_cast<std::size_t>(columns)) {
  cells_.reserve(kRows * columns_);
  const std::string name = "batch_of_" + table;
  sqlite3_create_module(database, name.c_str(), &module(), this);
  const std::string insert = fmt::format("INSERT INTO {} SELECT NULL, * FROM {}", table, name);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v3(database, insert.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  insert_.reset(statement);
}

bool SqliteBatch::write() {
  const bool is_done = sqlite3_step(insert_.get()) == SQLITE_DONE;
  sqlite3_reset(insert_.get());
  cells_.clear();
  return is_done;
}

}  // namespace dpm
