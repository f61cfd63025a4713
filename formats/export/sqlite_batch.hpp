// Rows for a table of SQLite, a batch at a time.
//
// Of the 0.6 us that SQLite takes to insert a row of 16 columns, two fifths are for the statement: begin, bind, find the end of the
// table, end. So rows wait here, and SQLite takes all of them in one statement, from a virtual table of this connection only.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dpm {

class SqliteBatch {
 public:
  // `table` has an id, which SQLite counts from 1, and then `columns`. `database` lives longer.
  SqliteBatch(sqlite3* database, const std::string& table, int columns);
  SqliteBatch(const SqliteBatch&) = delete;
  SqliteBatch& operator=(const SqliteBatch&) = delete;

  // The values of a row, in the order of the columns.
  void null() { cells_.push_back({Kind::null}); }
  void time(std::int64_t value) { cells_.push_back({Kind::number, value}); }
  // SQLite's numbers are signed: 2^63 and more would be negative.
  void number(std::uint64_t value) {
    if (value > INT64_MAX) return null();
    time(static_cast<std::int64_t>(value));
  }
  template <typename IdType>
  void id(IdType value) {
    if (value.is_none()) return null();
    number(value.value);
  }
  // `value` lives until the batch is written.
  void text(std::string_view value) {
    cells_.push_back({Kind::text, static_cast<std::int64_t>(value.size()), value.data()});
  }

  // Ends a row. False: the database reports an error.
  bool add() { return cells_.size() < kRows * columns_ || write(); }
  // Writes the rows that wait.
  bool write();

 private:
  static constexpr std::size_t kRows = 128;  // of 16 columns, they fit into the second cache

  enum class Kind : std::uint8_t { null, number, text };
  struct Cell {
    Kind kind = Kind::null;
    std::int64_t number = 0;  // of a text, its bytes
    const char* text = nullptr;
  };
  struct Table;
  struct Cursor;
  struct EndStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  static const sqlite3_module& module();

  std::size_t columns_;
  std::vector<Cell> cells_;  // row by row
  std::unique_ptr<sqlite3_stmt, EndStatement> insert_;
};

}  // namespace dpm
