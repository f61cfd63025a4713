// What a controller and the meterdaemon of a machine say to each other (metering report 3.5.1, figure 3.6). The order
// is that of a remote procedure call: every request gets one reply, and in between the daemon reports what happens to
// the processes it looks after.
//
//     controller ── Request{number, ...} ──► daemon          several may be under way at a time
//     controller ◄── Reply{number, ...} ──── daemon
//     controller ◄── Report{...} ─────────── daemon          states that changed, what processes print
//
// A daemon looks after the processes and filters of one user on one machine. They belong to the controller that made
// them, by its name, and outlive it and the daemon: who comes next with Hello is told what there is.
//
// Paths are those of the daemon's machine; "~/" at the beginning of one is the user's home there, and folders that a
// file is put in are made. Bytes of files, input and output are raw, of any content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "backends/linux/transport/frames/filter_address.hpp"
#include "model/meter_flags.hpp"

namespace dpm::control {

// Both ends must have the same; a daemon of another version is refused with a message that names both.
inline constexpr std::uint32_t kControlVersion = 1;
// A chunk of a file, of input or of output; larger ones are sent in pieces.
inline constexpr std::size_t kChunkBytesMax = 256 * 1024;

// The life of a process under control (metering report figure 4.2).
enum class ProcessState : std::uint8_t { fresh, acquired, running, stopped, killed };
// What they are called, between machines and to people, in that order.
inline constexpr std::initializer_list<const char*> kStateNames = {"new", "acquired", "running", "stopped", "killed"};
inline std::string state_name(ProcessState state) { return kStateNames.begin()[static_cast<std::size_t>(state)]; }

// A process or a filter that a daemon looks after.
struct ManagedProcess {
  enum class Kind : std::uint8_t { process, filter };
  Kind kind = Kind::process;
  std::uint32_t pid = 0;
  std::string name;        // of the filter; of the process: its file's
  std::string job;         // of a process
  std::string controller;  // whose it is
  bool attended = false;   // that controller is connected now: nobody else may adopt it
  ProcessState state = ProcessState::running;
  std::string reason;  // of a killed one: "normal", "exit status 3", "signal 9 (Killed)"
  MeterFlags flags;
  FilterAddress filter;  // of a process: where its meter sends; of a filter: its own
  std::string log;       // of a filter
};

// ---- requests

// First, once; nothing else is answered before it.
struct Hello {
  std::uint32_t version = kControlVersion;
  std::string controller;  // its name for itself, unlike any other's
};
// The program is started with the meter messages of all who connect on its standard input. Empty: the standard filter.
struct CreateFilter {
  std::string name;
  std::string program;
  std::string descriptions, templates;  // of the standard filter; empty: its own
};
// Created suspended before its first instruction, in state fresh.
struct CreateProcess {
  std::string job, name;
  std::string file;  // sought in the user's PATH if it has no slash
  std::vector<std::string> arguments;
  std::string directory;  // empty, or where there is no such one: the user's home
  std::string input;      // a file for its standard input; empty: what Input brings
  MeterFlags flags;
  FilterAddress filter;
};
struct AcquireProcess {
  std::string job;
  std::uint32_t pid = 0;
  MeterFlags flags;
  FilterAddress filter;
};
struct SetFlags {
  std::uint32_t pid = 0;
  MeterFlags flags;  // all of them, not a change
};
struct StartProcess {
  std::uint32_t pid = 0;
};
struct StopProcess {
  std::uint32_t pid = 0;
};
// Answered when it is dead.
struct KillProcess {
  std::uint32_t pid = 0;
};
// Forgets a killed process, lets an acquired one go, ends a filter that has no meters any more or is not wanted.
struct Release {
  std::uint32_t pid = 0;
};
// From now on it belongs to the controller that asks, which gets its reports and the output that was kept for it.
// Refused while the controller it belongs to is connected.
struct Adopt {
  std::uint32_t pid = 0;
};
// For a process's standard input.
struct Input {
  std::uint32_t pid = 0;
  std::string bytes;
  bool end = false;  // nothing follows
};
// Is there such a file? Executables and input files are copied where they are missing or differ.
struct FindFile {
  std::string path;
};
// A file of the user's, made as a whole: the pieces in order, under its name once the last is there.
struct PutFile {
  std::string path;
  std::uint32_t mode = 0600;
  std::uint64_t offset = 0;
  std::string bytes;
  bool last = false;
};
// The files of a filter's log: each with its pieces in order; answered by LogPiece until one says `last`.
struct GetLog {
  std::uint32_t pid = 0;  // of the filter
  std::string file;       // relative to the log; empty: which files there are
  std::uint64_t offset = 0;
};
// What this daemon looks after.
struct ListManaged {};

using RequestBody =
    std::variant<Hello, CreateFilter, CreateProcess, AcquireProcess, SetFlags, StartProcess, StopProcess, KillProcess,
                 Release, Adopt, Input, FindFile, PutFile, GetLog, ListManaged>;
struct Request {
  std::uint64_t number = 0;  // of the controller's choosing, repeated in the reply
  RequestBody body;
};

// ---- replies

struct Refused {
  std::string why;  // one sentence for a person: what to try included
};
struct Done {};
struct Welcome {
  std::uint32_t version = kControlVersion;
  std::string machine;                 // its own name for itself
  std::vector<std::string> addresses;  // without loopback
  std::uint32_t user = 0;
  std::vector<ManagedProcess> managed;  // of every controller, connected or not
};
struct FilterCreated {
  std::uint32_t pid = 0;
  FilterAddress address;  // hosts: the machine's addresses; the controller puts its own name for it before them
  std::string log;        // where it is kept
};
struct ProcessCreated {
  std::uint32_t pid = 0;
  std::string name;     // of an acquired one: its program's
  std::string warning;  // "runs without the privileges of its setuid bit", or empty
};
struct FileFound {
  bool exists = false;
  std::uint64_t size_bytes = 0;
  std::string sha256;  // hexadecimal
};
struct LogFiles {
  std::vector<std::string> files;  // relative to the log; "." alone: the log is one file
};
struct LogPiece {
  std::string bytes;
  bool last = false;  // of this file
};
struct ManagedList {
  std::vector<ManagedProcess> processes;
};

using ReplyBody =
    std::variant<Refused, Done, Welcome, FilterCreated, ProcessCreated, FileFound, LogFiles, LogPiece, ManagedList>;
struct Reply {
  std::uint64_t number = 0;
  ReplyBody body;
};

// ---- reports

struct StateChanged {
  std::uint32_t pid = 0;
  ProcessState state = ProcessState::running;
  std::string reason;  // as in ManagedProcess
};
struct Output {
  std::uint32_t pid = 0;
  bool is_error = false;  // standard error
  std::string bytes;
  std::uint64_t dropped_bytes = 0;  // before these: nobody listened, and no more could be kept
};
// A filter ended that had not been released.
struct FilterEnded {
  std::uint32_t pid = 0;
  std::string reason;
};

using ReportBody = std::variant<StateChanged, Output, FilterEnded>;
struct Report {
  ReportBody body;
};

using ControlMessage = std::variant<Request, Reply, Report>;

}  // namespace dpm::control
