#include "formats/export/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "formats/export/message_join.hpp"
#include "formats/export/names.hpp"

namespace dpm {
namespace {

constexpr const char* kSchema = R"(
PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
CREATE TABLE trace (key TEXT PRIMARY KEY, value);
CREATE TABLE machine (id INTEGER PRIMARY KEY, name TEXT, speed REAL, cores INTEGER);
CREATE TABLE process (id INTEGER PRIMARY KEY, name TEXT, program TEXT, machine INTEGER, pid INTEGER, tid INTEGER,
  main_thread INTEGER, in_computation INTEGER);
CREATE TABLE channel (id INTEGER PRIMARY KEY, name TEXT, receiver INTEGER);
CREATE TABLE event (id INTEGER PRIMARY KEY, type TEXT, process INTEGER, machine INTEGER, time_ns INTEGER,
  axis_ns INTEGER, cpu_ns INTEGER, ready_ns INTEGER, disk_ns INTEGER, peer INTEGER, channel INTEGER, sequence INTEGER,
  bytes INTEGER, code INTEGER, is_message INTEGER, inferred INTEGER);
CREATE TABLE message (id INTEGER PRIMARY KEY, sender INTEGER, receiver INTEGER, channel INTEGER, bytes INTEGER,
  sent_event INTEGER, received_event INTEGER, sent_ns INTEGER, received_ns INTEGER);
CREATE TABLE clock_offset (machine INTEGER, other INTEGER, at_ns INTEGER, low_ns INTEGER, high_ns INTEGER);
CREATE TABLE loss (reason TEXT, events INTEGER);
CREATE TABLE warning (text TEXT);
CREATE VIEW who_talks_to_whom AS
  SELECT s.name AS sender, r.name AS receiver, count(*) AS messages, sum(m.bytes) AS bytes
  FROM message m JOIN process s ON s.id = m.sender JOIN process r ON r.id = m.receiver
  GROUP BY m.sender, m.receiver ORDER BY messages DESC;
CREATE VIEW cpu_by_process AS
  SELECT p.name AS process, max(e.cpu_ns) / 1e9 AS cpu_s, count(*) AS events
  FROM event e JOIN process p ON p.id = e.process GROUP BY e.process ORDER BY cpu_s DESC;
CREATE VIEW slowest_messages AS
  SELECT s.name AS sender, r.name AS receiver, (m.received_ns - m.sent_ns) / 1e6 AS taken_ms, m.bytes, m.sent_ns
  FROM message m JOIN process s ON s.id = m.sender JOIN process r ON r.id = m.receiver ORDER BY taken_ms DESC;
CREATE VIEW messages_by_second AS
  SELECT sent_ns / 1000000000 AS second, count(*) AS messages, sum(bytes) AS bytes FROM message GROUP BY second;
CREATE VIEW machine_summary AS
  SELECT m.name AS machine, e.axis_ns,
    CASE e.code WHEN 0 THEN 'load' WHEN 1 THEN 'runnable_tasks' WHEN 2 THEN 'memory_bytes' WHEN 3 THEN 'available_bytes'
      WHEN 4 THEN 'swap_used_bytes' WHEN 5 THEN 'major_faults' WHEN 6 THEN 'swapped_in_bytes'
      WHEN 7 THEN 'swapped_out_bytes' WHEN 8 THEN 'disk_read_bytes' WHEN 9 THEN 'disk_written_bytes'
      WHEN 10 THEN 'disk_busy_ns' ELSE e.code END AS quantity,
    e.sequence AS value, e.bytes AS covered_ms
  FROM event e JOIN machine m ON m.id = e.machine WHERE e.type = 'SUMMARY';
CREATE VIEW sends_not_received AS
  SELECT p.name AS sender, q.name AS receiver, e.axis_ns, e.bytes, e.id AS event
  FROM event e JOIN process p ON p.id = e.process LEFT JOIN process q ON q.id = e.peer
  WHERE e.type = 'SEND' AND e.is_message AND e.id NOT IN (SELECT sent_event FROM message);
BEGIN;
)";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

// One row at a time: values in the order of the columns, then add().
class Rows {
 public:
  Rows(sqlite3* database, const char* insert) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(database, insert, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    statement_.reset(statement);
  }

  // SQLite's numbers are signed: 2^63 and more would be negative.
  void number(std::uint64_t value) {
    ++at_;
    if (value > INT64_MAX)
      sqlite3_bind_null(statement_.get(), at_);
    else
      sqlite3_bind_int64(statement_.get(), at_, static_cast<sqlite3_int64>(value));
  }
  void time(std::int64_t ns) { sqlite3_bind_int64(statement_.get(), ++at_, ns); }
  void real(double value) { sqlite3_bind_double(statement_.get(), ++at_, value); }
  void none() { sqlite3_bind_null(statement_.get(), ++at_); }
  // `value` lives until add().
  void text(std::string_view value) {
    sqlite3_bind_text(statement_.get(), ++at_, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  template <typename IdType>
  void id(IdType value) {
    ++at_;
    if (value.is_none())
      sqlite3_bind_null(statement_.get(), at_);
    else
      sqlite3_bind_int64(statement_.get(), at_, value.value);
  }
  bool add() {
    at_ = 0;
    const bool is_done = sqlite3_step(statement_.get()) == SQLITE_DONE;
    sqlite3_reset(statement_.get());
    return is_done;
  }

 private:
  Statement statement_;
  int at_ = 0;
};

class SqliteExporter : public SqlTables {
 public:
  SqliteExporter(Database database, std::string path, const TimeAxis& time)
      : database_(std::move(database)),
        path_(std::move(path)),
        time_(time),
        events_(database_.get(), "INSERT INTO event VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
        messages_(database_.get(), "INSERT INTO message VALUES (NULL,?,?,?,?,?,?,?,?)") {}

  void on_begin(const TraceInfo& /*info*/) override {}

  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) add(event);
  }

  Result<void> finish(const TraceInfo& info, const Ledger& ledger) override {
    add_names(info);
    add_clock_offsets();
    add_ledger(info, ledger);
    if (sqlite3_exec(database_.get(), "COMMIT; ANALYZE", nullptr, nullptr, nullptr) != SQLITE_OK) note_error();
    return status_;
  }

  Result<SqlRows> ask(const std::string& query, std::size_t most_rows) override {
    sqlite3_stmt* prepared = nullptr;
    const char* rest = nullptr;
    sqlite3_set_authorizer(database_.get(), only_reads, nullptr);
    const int code = sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &prepared, &rest);
    const Statement statement(prepared);
    if (code == SQLITE_AUTH) return Error{"only queries that read are possible: SELECT, or WITH and SELECT"};
    if (code != SQLITE_OK) {
      const int at = sqlite3_error_offset(database_.get());
      return Error{(at < 0 ? "" : fmt::format("character {}: ", at + 1)) + sqlite3_errmsg(database_.get())};
    }
    if (statement == nullptr) return Error{"the query is empty"};
    if (const std::string_view more = rest; more.find_first_not_of("; \t\r\n") != std::string_view::npos)
      return Error{fmt::format("character {}: one query at a time", rest - query.c_str() + 1)};
    return rows_of(statement.get(), most_rows);
  }

 private:
  static int only_reads(void* /*unused*/, int action, const char* name, const char* /*argument*/,
                        const char* /*database*/, const char* /*view*/) {
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_READ:
      case SQLITE_FUNCTION:
      case SQLITE_RECURSIVE:
        return SQLITE_OK;
      case SQLITE_PRAGMA:  // pragma_table_info(), which says what the columns are, and first declares itself in the schema
        return std::string_view(name) == "table_info" ? SQLITE_OK : SQLITE_DENY;
      case SQLITE_UPDATE:  // SQLite refuses the statements of a user that would do so
        return std::string_view(name) == "sqlite_master" ? SQLITE_OK : SQLITE_DENY;
      default:
        return SQLITE_DENY;
    }
  }

  static SqlValue value_in(sqlite3_stmt* row, int column) {
    switch (sqlite3_column_type(row, column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(row, column)};
      case SQLITE_FLOAT:
        return sqlite3_column_double(row, column);
      default: {
        const auto* text = static_cast<const char*>(sqlite3_column_blob(row, column));
        return std::string(text == nullptr ? "" : text, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
      }
    }
  }

  Result<SqlRows> rows_of(sqlite3_stmt* statement, std::size_t most_rows) {
    SqlRows found;
    const int columns = sqlite3_column_count(statement);
    for (int c = 0; c < columns; ++c) found.columns.emplace_back(sqlite3_column_name(statement, c));
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (found.rows.size() == most_rows) {
        found.are_all = false;
        return found;
      }
      auto& row = found.rows.emplace_back();
      for (int c = 0; c < columns; ++c) row.push_back(value_in(statement, c));
    }
    if (code != SQLITE_DONE) return Error{sqlite3_errmsg(database_.get())};
    return found;
  }

  void note_error() {
    if (status_) status_ = Error{fmt::format("write {}: {}", path_, sqlite3_errmsg(database_.get()))};
  }
  void add(Rows& rows) {
    if (!rows.add()) note_error();
  }

  void add(const Event& event) {
    const std::int64_t axis_ns = time_.ns(event);
    const bool is_message = (event.type == EventType::send || event.type == EventType::receive) &&
                            (event.flags & event_flags::kNoMessage) == 0;
    ++last_event_;  // the id, which SQLite counts, too
    events_.text(name_of(event.type));
    events_.id(event.process);
    events_.id(event.machine);
    events_.time(event.local_time.ns);
    events_.time(axis_ns);
    events_.number(event.proc_time_ns);
    events_.number(event.ready_time_ns);
    events_.number(event.disk_time_ns);
    events_.id(event.peer);
    events_.id(event.channel);
    events_.number(event.sequence);
    events_.number(event.length_bytes);
    events_.number(event.code);
    events_.number(is_message ? 1 : 0);
    events_.number(event.evidence == Evidence::inferred ? 1 : 0);
    add(events_);
    if (const auto message = join_.add(event, static_cast<std::uint32_t>(last_event_), axis_ns)) add(*message, event);
  }

  void add(const JoinedMessage& message, const Event& either_end) {
    messages_.number(message.sent.process);
    messages_.number(message.received.process);
    messages_.id(either_end.channel);
    messages_.number(either_end.length_bytes);
    messages_.number(message.sent.event);
    messages_.number(message.received.event);
    messages_.time(message.sent.time_ns);
    messages_.time(message.received.time_ns);
    add(messages_);
  }

  void add_names(const TraceInfo& info) {
    Rows machines(database_.get(), "INSERT INTO machine VALUES (?,?,?,?)");
    for (std::size_t m = 0; m < info.machines.size(); ++m) {
      const std::string name = clean_text(info.machines[m].name);
      machines.number(m);
      machines.text(name);
      machines.real(info.machines[m].speed);
      machines.number(info.machines[m].cores);
      add(machines);
    }
    Rows processes(database_.get(), "INSERT INTO process VALUES (?,?,?,?,?,?,?,?)");
    for (std::size_t p = 0; p < info.processes.size(); ++p) {
      const ProcessInfo& process = info.processes[p];
      const std::string name = clean_text(process.name), program = clean_text(process.program);
      processes.number(p);
      processes.text(name);
      processes.text(program);
      processes.id(process.machine);
      processes.number(process.pid);
      processes.number(process.tid);
      processes.id(process.group);
      processes.number(process.in_computation ? 1 : 0);
      add(processes);
    }
    Rows channels(database_.get(), "INSERT INTO channel VALUES (?,?,?)");
    for (std::size_t c = 0; c < info.channels.size(); ++c) {
      const ChannelId channel{static_cast<std::uint32_t>(c)};
      const std::string name = channel_label(info, channel);
      channels.number(c);
      channels.text(name);
      channels.id(info[channel].owner);
      add(channels);
    }
  }

  void add_clock_offsets() {
    Rows offsets(database_.get(), "INSERT INTO clock_offset VALUES (?,?,?,?,?)");
    for (const ClockRelation& known : time_.relations()) {
      offsets.id(known.a);
      offsets.id(known.b);
      offsets.time(known.at.ns);
      for (const bool is_high : {false, true}) {
        if (std::isfinite(is_high ? known.offset.more.high : known.offset.more.low))
          offsets.time(is_high ? known.offset.high_ns() : known.offset.low_ns());
        else
          offsets.none();
      }
      add(offsets);
    }
  }

  void add_ledger(const TraceInfo& info, const Ledger& ledger) {
    Rows facts(database_.get(), "INSERT INTO trace VALUES (?,?)");
    for (const auto& [key, value] :
         {std::pair{"source", &info.source}, {"scenario", &info.scenario}, {"placement", &info.placement}}) {
      const std::string text = clean_text(*value);
      facts.text(key);
      facts.text(text);
      add(facts);
    }
    for (const auto& [key, value] : {std::pair{"events_seen", ledger.seen},
                                     {"events_kept", ledger.kept},
                                     {"events_filtered", ledger.filtered},
                                     {"events_lost", ledger.lost}}) {
      facts.text(key);
      facts.number(value);
      add(facts);
    }
    Rows losses(database_.get(), "INSERT INTO loss VALUES (?,?)");
    for (const Loss& loss : ledger.losses) {
      const std::string reason = clean_text(loss.reason);
      losses.text(reason);
      losses.number(loss.events);
      add(losses);
    }
    Rows warnings(database_.get(), "INSERT INTO warning VALUES (?)");
    for (const std::string& warning : ledger.warnings) {
      const std::string text = clean_text(warning);
      warnings.text(text);
      add(warnings);
    }
  }

  Database database_;
  std::string path_;
  const TimeAxis& time_;
  Rows events_, messages_;
  MessageJoin join_;
  std::uint64_t last_event_ = 0;
  Result<void> status_;
};

// An empty path: a temporary database.
Result<std::unique_ptr<SqlTables>> make_tables(const std::string& path, const TimeAxis& time) {
  sqlite3* opened = nullptr;
  constexpr int kFlags =  // one thread uses it, so each call goes without a lock
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &opened, kFlags, nullptr);
  Database database(opened);
  const std::string name = path.empty() ? "a temporary database" : path;
  if (code != SQLITE_OK || sqlite3_exec(opened, kSchema, nullptr, nullptr, nullptr) != SQLITE_OK)
    return Error{fmt::format("write {}: {}", name, opened == nullptr ? "no memory" : sqlite3_errmsg(opened))};
  return std::unique_ptr<SqlTables>(std::make_unique<SqliteExporter>(std::move(database), name, time));
}

Result<std::unique_ptr<Exporter>> start_sqlite(const std::string& path, const TimeAxis& time,
                                               const ExportOptions& /*options*/) {
  auto tables = make_tables(path, time);
  if (!tables) return tables.error();
  return std::unique_ptr<Exporter>(*std::move(tables));
}

}  // namespace

ExportFormat make_sqlite_export_format() {
  return {"sqlite", "a database with tables and five ready-made queries; needs -o", false, true, start_sqlite};
}

Result<std::unique_ptr<SqlTables>> make_sql_tables(const TimeAxis& time) { return make_tables("", time); }

}  // namespace dpm
