#include "formats/export/sqlite_batch.hpp"

#include <fmt/format.h>

#include "model/ids.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

Database database_with(const char* schema) {
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open(":memory:", &opened) == SQLITE_OK);
  REQUIRE(sqlite3_exec(opened, schema, nullptr, nullptr, nullptr) == SQLITE_OK);
  return Database(opened);
}

// The first value of the answer.
std::string answer(sqlite3* database, const char* query) {
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, query, -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  const std::string text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return text;
}

TEST_CASE("sqlite batch: each row arrives once and in its order, also those of the last batch", "[export]") {
  for (const int rows : {0, 1, 127, 128, 129, 1000}) {
    const Database database = database_with("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT)");
    SqliteBatch batch(database.get(), "t", 2);
    for (int row = 0; row < rows; ++row) {
      batch.number(static_cast<std::uint64_t>(row));
      batch.text(row % 2 == 0 ? "even" : "odd");
      REQUIRE(batch.add());
    }
    REQUIRE(batch.write());
    const auto is_right =
        "SELECT count(*) FROM t WHERE id = a + 1 AND b = CASE a % 2 WHEN 0 THEN 'even' ELSE 'odd' END";
    CHECK(answer(database.get(), is_right) == std::to_string(rows));
  }
}

TEST_CASE("sqlite batch: what is not there and what SQLite's numbers cannot hold is NULL", "[export]") {
  const Database database = database_with("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d)");
  SqliteBatch batch(database.get(), "t", 4);
  batch.id(ProcessId{});
  batch.id(ProcessId{7});
  batch.number(std::uint64_t{1} << 63);
  batch.time(-5);
  REQUIRE(batch.add());
  REQUIRE(batch.write());
  CHECK(answer(database.get(), "SELECT ifnull(a, '-') || ' ' || b || ' ' || ifnull(c, '-') || ' ' || d FROM t") ==
        "- 7 - -5");
}

TEST_CASE("sqlite batch: an error of the database is reported", "[export]") {
  const Database database = database_with("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER CHECK (a < 5))");
  SqliteBatch batch(database.get(), "t", 1);
  batch.number(5);
  REQUIRE(batch.add());
  CHECK_FALSE(batch.write());
}

}  // namespace
}  // namespace dpm
