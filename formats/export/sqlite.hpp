// A SQLite database: tables of what the trace has, and five views with what is asked most often. docs/export.md describes the
// schema.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "formats/export/export_format.hpp"

namespace dpm {

ExportFormat make_sqlite_export_format();

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;  // NULL, INTEGER, REAL, TEXT

struct SqlRows {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
  bool are_all = true;  // false: there are more than were asked for
};

// The same tables in a temporary database, which no one else sees and which is gone with this object.
class SqlTables : public Exporter {
 public:
  // One query, which reads what has been added so far; before anything has, this tells whether it is a query. An error names the
  // character of `query` where it is wrong, if SQLite knows.
  virtual Result<SqlRows> ask(const std::string& query, std::size_t most_rows) = 0;
};

// `time` must outlive the tables.
Result<std::unique_ptr<SqlTables>> make_sql_tables(const TimeAxis& time);

}  // namespace dpm
