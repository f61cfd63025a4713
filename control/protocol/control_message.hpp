// The protocol between a controller and a machine's meterdaemon (metering report 3.5.1, figure 3.6): remote procedure
// calls. Every request gets one reply; in between, the daemon reports what happens to the processes that it manages.
//
//     controller ── Request{number, ...} ──► daemon          several may be under way at a time
//     controller ◄── Reply{number, ...} ──── daemon
//     controller ◄── Report{...} ─────────── daemon          states that changed, what processes print
//
// A daemon manages the processes and filters of one user on one machine. They belong, by name, to the controller that
// created them, and outlive that controller and the daemon. The reply to Hello lists all of them.
//
// Paths are paths on the daemon's machine; "~/" at the beginning stands for the user's home there. PutFile makes missing
// folders. Files, input and output are raw bytes of any content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "control/transport/frames/filter_address.hpp"
#include "model/meter_flags.hpp"

namespace dpm::control {

// Both ends must have the same version. The refusal of another one names both.
inline constexpr std::uint32_t kControlVersion = 9;
// The bytes of a file, of input or of output in one message.
inline constexpr std::size_t kChunkBytesMax = 256 * 1024;

// The life of a process under control (metering report figure 4.2).
enum class ProcessState : std::uint8_t { fresh, acquired, running, stopped, killed };
// Their names, in messages and for users, in this order.
inline constexpr std::initializer_list<const char*> kStateNames = {"new", "acquired", "running", "stopped", "killed"};
inline std::string state_name(ProcessState state) { return kStateNames.begin()[static_cast<std::size_t>(state)]; }

// Whether a process's events reach its filter, and those of a filter its log.
struct Delivery {
  std::string problem;        // why not; empty: they do
  std::uint64_t waiting = 0;  // then: how many, on the process's machine
  std::uint64_t lost = 0;     // then: how many are kept nowhere
  std::string file;           // then: where they stay for good; empty: the meter still tries
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

// A process or a filter that a daemon manages.
struct ManagedProcess {
  enum class Kind : std::uint8_t { process, filter };
  Kind kind = Kind::process;
  std::uint32_t pid = 0;
  std::string name;        // of the filter, or of the process's file
  std::string job;         // of a process
  std::string controller;  // to which it belongs
  bool attended = false;   // its controller is connected: no other may adopt it
  ProcessState state = ProcessState::running;
  std::string reason;         // of a killed one: "normal", "exit status 3", "signal 9 (Killed)"
  bool is_unmetered = false;  // its supervisor was killed: it goes on without a meter, and the reason says so
  MeterFlags flags;
  FilterAddress filter;  // of a process: where its meter sends, with its key; of a filter: its own, with its secret
  std::string log;       // of a filter
  Delivery delivery;
  std::string source;  // of a process: how it is metered, and why
};

// The ways to meter that a user can ask for. A machine may lack some, and refuses those.
inline constexpr std::initializer_list<const char*> kSources = {"auto", "ebpf", "notify"};

// What DPM keeps for its user on the disk of a machine, until the user removes it.
struct KeptFile {
  enum class Kind : std::uint8_t { log, copy };  // the log of a filter; a file that was copied there
  Kind kind = Kind::log;
  std::string name;  // below the folder of its kind
  std::uint64_t size_bytes = 0;
  std::uint64_t age_s = 0;  // since it was last changed
  std::string used_by;      // empty: nothing uses it
};
// The name, as in KeptFile, of the log at this path.
inline std::string name_of_log(const std::string& path) { return path.substr(path.rfind('/') + 1); }
inline constexpr std::initializer_list<const char*> kKeptKindNames = {"log", "copy"};

// A file of a log that a filter may still write.
struct LogFile {
  std::string name;  // relative to the log; ".": the log is this file
  std::uint64_t size_bytes = 0;
  std::uint64_t identity = 0;  // another one: the file was replaced
  friend bool operator==(const LogFile&, const LogFile&) = default;
};

// ---- requests

// First, once; nothing else is answered before it.
struct Hello {
  std::uint32_t version = kControlVersion;
  std::string controller;  // its own name, unlike any other's
  std::string machine;     // the controller's name for this machine, which may have several
};
// The program reads the messages of all meters on its standard input. Empty: the standard filter.
struct CreateFilter {
  std::string name;
  std::string program;
  std::string descriptions, templates;          // of the standard filter; empty: the standard ones
  bool loopback_only = false;                   // every machine of the controller is this host
  std::uint16_t port_first = 0, port_last = 0;  // where its collector listens; 0: at any port
  bool through_controller = false;              // it listens nowhere
};
// Created suspended before its first instruction, in state fresh.
struct CreateProcess {
  std::string job, name;
  std::string file;  // searched in the user's PATH if it has no slash
  std::vector<std::string> arguments;
  std::string directory;  // empty or missing: the user's home
  std::string input;      // a file for its standard input; empty: from Input
  MeterFlags flags;
  FilterAddress filter;
  std::string source;  // how it is metered (kSources); empty: as the daemon's options say
};
struct AcquireProcess {
  std::string job;
  std::uint32_t pid = 0;
  MeterFlags flags;
  FilterAddress filter;
  std::string source;  // as in CreateProcess
};
struct SetFlags {
  std::uint32_t pid = 0;
  MeterFlags flags;  // the complete set, not a change
};
struct StartProcess {
  std::uint32_t pid = 0;
};
struct StopProcess {
  std::uint32_t pid = 0;
};
// Answered when the process has ended.
struct KillProcess {
  std::uint32_t pid = 0;
};
// The filter reads the end of its input, and ends. Answered by FilterFinished when its log is complete; until it is released,
// the log can be read.
struct EndFilter {
  std::uint32_t pid = 0;
};
// Forgets a killed process, stops metering an acquired one, or ends and forgets a filter.
struct Release {
  std::uint32_t pid = 0;
};
// The process belongs to the asking controller from now on, which gets its reports and kept output. Refused while its
// present controller is connected.
struct Adopt {
  std::uint32_t pid = 0;
};
// For a process's standard input.
struct Input {
  std::uint32_t pid = 0;
  std::string bytes;
  bool end = false;  // the end of the input
};
// Whether the file exists. The controller copies executables and input files that are missing or differ.
struct FindFile {
  std::string path;
};
// Writes a file, in pieces, in order. It gets its name with the last piece.
struct PutFile {
  std::string path;
  std::uint32_t mode = 0600;
  std::uint64_t offset = 0;
  std::string bytes;
  bool last = false;
};
// Reads a log: each file in pieces, in order, until a LogPiece has `last`. The filter that wrote it may be gone. Its collector
// answers for delivered.json while there is one.
struct GetLog {
  std::string log;   // its name, as in KeptFile
  std::string file;  // relative to the log; empty: asks for LogFiles, when the filter has read its input
  std::uint64_t offset = 0;
  std::uint32_t bytes_max = 0;  // of the piece; 0: as many as one message holds
};
// Asks for LogState at once, whatever the filter has still to read.
struct LookAtLog {
  std::string log;  // as in GetLog
};
// Asks for all managed processes.
struct ListManaged {};
// Asks for KeptFiles.
struct ListKept {};
// Refused while something uses it.
struct RemoveKept {
  KeptFile::Kind kind = KeptFile::Kind::log;
  std::string name;
};
// A piece of a tunnel between a meter and its filter's collector (agents/tunnel.hpp). It comes from one agent as a report
// and goes to the other as a request.
struct Relay {
  std::uint32_t pid = 0;     // of that agent's process or filter
  std::uint64_t tunnel = 0;  // the meter's agent numbers its own; the controller those that end at filters
  std::string filter;        // the id of the filter, from a meter
  std::uint64_t taken = 0;   // bytes that may be sent in addition
  bool end = false;          // nothing follows, in either direction
  std::string bytes;
};

// Events inside programs (filter/scripts). The first of these makes the daemon start the machine's event monitor, which is
// the asking controller's until EndEvents or the end of that controller.
//
// One change a line: "define LINE-OF-A-SCRIPT", "undefine process|event|region|when NAME", "on EVENT", "off EVENT", "send all",
// "send high-level" (only what is made of others). When it is answered, the programs that run record accordingly. A line
// that is refused ends it; those before it hold.
struct ChangeEvents {
  std::string changes;
};
// Asks for EventsState.
struct LookAtEvents {};
// The programs go on, and record nothing.
struct EndEvents {};

using RequestBody =
    std::variant<Hello, CreateFilter, CreateProcess, AcquireProcess, SetFlags, StartProcess, StopProcess, KillProcess,
                 EndFilter, Release, Adopt, Input, FindFile, PutFile, GetLog, LookAtLog, ListManaged, ListKept,
                 RemoveKept, Relay, ChangeEvents, LookAtEvents, EndEvents>;
struct Request {
  std::uint64_t number = 0;  // chosen by the controller, repeated in the reply
  RequestBody body;
};

// ---- replies

struct Refused {
  std::string why;  // one sentence for the user, with what to try
};
struct Done {
  std::string note;  // what the user should know, or empty
};
struct Welcome {
  std::uint32_t version = kControlVersion;
  std::string machine;                 // its own name for itself
  std::string host;                    // this daemon among all, by whatever name it was reached; begins with the boot
  std::vector<std::string> addresses;  // without loopback
  std::uint32_t user = 0;
  std::vector<ManagedProcess> managed;  // of every controller, connected or not
};
struct FilterCreated {
  std::uint32_t pid = 0;
  FilterAddress address;  // hosts: the machine's addresses; the controller puts the user's name for it first
  std::string log;        // its path
};
struct ProcessCreated {
  std::uint32_t pid = 0;
  std::string name;     // of an acquired process: its program's
  std::string warning;  // "runs without the privileges of its setuid bit", or empty
  std::string source;   // how it is metered, and why: "kernel (auto: this account may use it)"
};
struct FileFound {
  bool exists = false;
  std::uint64_t size_bytes = 0;
  std::string sha256;  // hexadecimal
};
struct LogFiles {
  std::vector<std::string> files;  // relative to the log; "." alone: the log is one file
};
struct LogState {
  std::vector<LogFile> files;
};
struct LogPiece {
  std::string bytes;
  bool last = false;           // of this file
  std::uint64_t identity = 0;  // of the file, as in LogState: it may have been replaced since that was told
};
struct ManagedList {
  std::vector<ManagedProcess> processes;
};
struct FilterFinished {
  std::string reason;  // "normal", "exit status 3", "signal 9 (Killed)"
};
struct KeptFiles {
  std::vector<KeptFile> files;  // the oldest first
  std::uint64_t unlisted = 0;   // more than one message can hold
};

struct EventsState {
  std::uint64_t definitions = 0, programs = 0;       // programs: that run and are looked at
  std::uint64_t seen = 0, lost = 0;                  // records
  std::uint64_t backlog_most = 0, backlog_last = 0;  // records that waited when they were taken (S3's monitoring load)
  std::uint64_t backlog_longest_ns = 0;              // how long the oldest had waited
  std::string lines;                                 // "event ..." and "process ...", for people
};

using ReplyBody = std::variant<Refused, Done, Welcome, FilterCreated, ProcessCreated, FileFound, LogFiles, LogState,
                               LogPiece, ManagedList, FilterFinished, KeptFiles, EventsState>;
struct Reply {
  std::uint64_t number = 0;
  ReplyBody body;
};

// ---- reports

struct StateChanged {
  std::uint32_t pid = 0;
  ProcessState state = ProcessState::running;
  std::string reason;  // as in ManagedProcess
  bool is_unmetered = false;
};
struct Output {
  std::uint32_t pid = 0;
  bool is_error = false;  // standard error
  std::string bytes;
  std::uint64_t dropped_bytes = 0;  // dropped before these, for lack of a listener and of room
};
// Of a process, also when it has been removed, until its meter ends; and of a filter, which has no job.
struct DeliveryChanged {
  std::uint32_t pid = 0;
  std::string job, name, filter;  // of the process, and of its filter when it was created
  Delivery delivery;
};
// A filter ended without being released.
struct FilterEnded {
  std::uint32_t pid = 0;
  std::string reason;
};

// An event that a definition names, or that is made of such events.
struct EventSeen {
  std::string event;
  bool is_high_level = false;
  std::uint64_t time_ns = 0;  // since 1970, by the machine's clock
  std::uint32_t pid = 0;      // of the first that made it
  std::uint64_t value = 0;    // in two's complement,
  bool is_unsigned = false;   // or without a sign
  std::string text;           // for people, without the time; several lines
};
struct EventsSeen {
  std::vector<EventSeen> events;
  std::vector<std::string> warnings;  // what the author of a definition should know
  std::uint64_t unsent = 0;           // events before these that were dropped: the controller was too slow
};

using ReportBody = std::variant<StateChanged, Output, FilterEnded, DeliveryChanged, Relay, EventsSeen>;
struct Report {
  ReportBody body;
};

using ControlMessage = std::variant<Request, Reply, Report>;

}  // namespace dpm::control
