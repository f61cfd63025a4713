// The fields of every control message, once for both directions: `fields(archive, message)` shows them to an archive
// that writes or reads them (control_codec.cpp), with what is allowed in each.
#pragma once

#include <climits>
#include <cstdint>
#include <string_view>

#include "control/protocol/control_codec.hpp"

namespace dpm::control {

// What a text may be. None may hold a zero byte.
struct TextRule {
  std::size_t bytes_max = 0;
  bool may_be_empty = true;
};
inline constexpr TextRule kName = {kNameBytesMax, false}, kOptionalName = {kNameBytesMax, true};
inline constexpr TextRule kPath = {kPathBytesMax, false}, kOptionalPath = {kPathBytesMax, true};
inline constexpr TextRule kSentence = {kSentenceBytesMax, true};
inline constexpr TextRule kArgument = {128 * 1024, true};  // of a program: what Linux allows

template <typename Message>
constexpr std::string_view type_name();

#define DPM_CONTROL_TYPE(Type, name)             \
  template <>                                    \
  constexpr std::string_view type_name<Type>() { \
    return name;                                 \
  }
DPM_CONTROL_TYPE(Hello, "hello")
DPM_CONTROL_TYPE(CreateFilter, "create_filter")
DPM_CONTROL_TYPE(CreateProcess, "create_process")
DPM_CONTROL_TYPE(AcquireProcess, "acquire_process")
DPM_CONTROL_TYPE(SetFlags, "set_flags")
DPM_CONTROL_TYPE(StartProcess, "start_process")
DPM_CONTROL_TYPE(StopProcess, "stop_process")
DPM_CONTROL_TYPE(KillProcess, "kill_process")
DPM_CONTROL_TYPE(EndFilter, "end_filter")
DPM_CONTROL_TYPE(Release, "release")
DPM_CONTROL_TYPE(Adopt, "adopt")
DPM_CONTROL_TYPE(Input, "input")
DPM_CONTROL_TYPE(FindFile, "find_file")
DPM_CONTROL_TYPE(PutFile, "put_file")
DPM_CONTROL_TYPE(GetLog, "get_log")
DPM_CONTROL_TYPE(LookAtLog, "look_at_log")
DPM_CONTROL_TYPE(ListManaged, "list_managed")
DPM_CONTROL_TYPE(ListKept, "list_kept")
DPM_CONTROL_TYPE(RemoveKept, "remove_kept")
DPM_CONTROL_TYPE(Relay, "relay")
DPM_CONTROL_TYPE(ChangeEvents, "change_events")
DPM_CONTROL_TYPE(LookAtEvents, "look_at_events")
DPM_CONTROL_TYPE(EndEvents, "end_events")
DPM_CONTROL_TYPE(Refused, "refused")
DPM_CONTROL_TYPE(Done, "done")
DPM_CONTROL_TYPE(Welcome, "welcome")
DPM_CONTROL_TYPE(FilterCreated, "filter_created")
DPM_CONTROL_TYPE(ProcessCreated, "process_created")
DPM_CONTROL_TYPE(FileFound, "file_found")
DPM_CONTROL_TYPE(LogFiles, "log_files")
DPM_CONTROL_TYPE(LogState, "log_state")
DPM_CONTROL_TYPE(LogPiece, "log_piece")
DPM_CONTROL_TYPE(ManagedList, "managed_list")
DPM_CONTROL_TYPE(FilterFinished, "filter_finished")
DPM_CONTROL_TYPE(KeptFiles, "kept_files")
DPM_CONTROL_TYPE(EventsState, "events_state")
DPM_CONTROL_TYPE(EventsSeen, "events_seen")
DPM_CONTROL_TYPE(StateChanged, "state_changed")
DPM_CONTROL_TYPE(Output, "output")
DPM_CONTROL_TYPE(FilterEnded, "filter_ended")
DPM_CONTROL_TYPE(DeliveryChanged, "delivery_changed")
#undef DPM_CONTROL_TYPE

template <typename Archive>
void fields(Archive& archive, FilterAddress& address) {
  archive.texts("hosts", address.hosts, kName);
  archive.number("port", address.port, 0, 65535);
  archive.digits("secret", address.secret, 64);
  archive.text("filter", address.filter, kOptionalName);
  archive.flag("through_controller", address.through_controller);
  archive.digits("id", address.id, 32);
}

template <typename Archive>
void fields(Archive& archive, Delivery& delivery) {
  archive.text("problem", delivery.problem, kSentence);
  archive.number("waiting", delivery.waiting, 0, INT64_MAX);
  archive.number("lost", delivery.lost, 0, INT64_MAX);
  archive.text("file", delivery.file, kOptionalPath);
}

template <typename Archive>
void fields(Archive& archive, ManagedProcess& managed) {
  archive.choice("kind", managed.kind, {"process", "filter"});
  archive.pid("pid", managed.pid);
  archive.text("name", managed.name, kOptionalName);
  archive.text("job", managed.job, kOptionalName);
  archive.text("controller", managed.controller, kOptionalName);
  archive.flag("attended", managed.attended);
  archive.choice("state", managed.state, kStateNames);
  archive.text("reason", managed.reason, kSentence);
  archive.flag("unmetered", managed.is_unmetered);
  archive.meter_flags("flags", managed.flags);
  archive.object_or_none("filter", managed.filter, !managed.filter.secret.empty());
  archive.text("log", managed.log, kOptionalPath);
  archive.object_or_none("delivery", managed.delivery, managed.delivery != Delivery());
  archive.newer_text("source", managed.source, kSentence);
}

template <typename Archive>
void fields(Archive& archive, KeptFile& file) {
  archive.choice("kind", file.kind, kKeptKindNames);
  archive.text("name", file.name, kPath);
  archive.number("size_bytes", file.size_bytes, 0, INT64_MAX);
  archive.number("age_s", file.age_s, 0, INT64_MAX);
  archive.text("used_by", file.used_by, kSentence);
}

template <typename Archive>
void fields(Archive& archive, EventSeen& seen) {
  archive.text("event", seen.event, kOptionalName);
  archive.flag("high_level", seen.is_high_level);
  archive.number("time_ns", seen.time_ns, 0, UINT64_MAX);
  archive.number("pid", seen.pid, 0, INT_MAX);
  archive.number("value", seen.value, 0, UINT64_MAX);
  archive.flag("unsigned", seen.is_unsigned);
  archive.text("text", seen.text, kSentence);
}

template <typename Archive>
void fields(Archive& archive, LogFile& file) {
  archive.text("name", file.name, kPath);
  archive.number("size_bytes", file.size_bytes, 0, INT64_MAX);
  archive.number("identity", file.identity, 0, UINT64_MAX);
}

// ---- requests

template <typename Archive>
void fields(Archive& archive, Hello& hello) {
  archive.allow_unknown_fields();
  archive.number("version", hello.version, 0, UINT32_MAX);
  archive.text("controller", hello.controller, kName);
  archive.newer_text("machine", hello.machine, kOptionalName);
}
template <typename Archive>
void fields(Archive& archive, CreateFilter& create) {
  archive.text("name", create.name, kName);
  archive.text("program", create.program, kOptionalPath);
  archive.text("descriptions", create.descriptions, kOptionalPath);
  archive.text("templates", create.templates, kOptionalPath);
  archive.flag("loopback_only", create.loopback_only);
  archive.number("port_first", create.port_first, 0, 65535);
  archive.number("port_last", create.port_last, 0, 65535);
  archive.flag("through_controller", create.through_controller);
}
template <typename Archive>
void fields(Archive& archive, CreateProcess& create) {
  archive.text("job", create.job, kName);
  archive.text("name", create.name, kName);
  archive.text("file", create.file, kPath);
  archive.texts("arguments", create.arguments, kArgument);
  archive.text("directory", create.directory, kOptionalPath);
  archive.text("input", create.input, kOptionalPath);
  archive.meter_flags("flags", create.flags);
  archive.object("filter", create.filter);
  archive.newer_text("source", create.source, kOptionalName);
}
template <typename Archive>
void fields(Archive& archive, AcquireProcess& acquire) {
  archive.text("job", acquire.job, kName);
  archive.pid("pid", acquire.pid);
  archive.meter_flags("flags", acquire.flags);
  archive.object("filter", acquire.filter);
  archive.newer_text("source", acquire.source, kOptionalName);
}
template <typename Archive>
void fields(Archive& archive, SetFlags& set) {
  archive.pid("pid", set.pid);
  archive.meter_flags("flags", set.flags);
}
template <typename Archive>
void fields(Archive& archive, StartProcess& start) {
  archive.pid("pid", start.pid);
}
template <typename Archive>
void fields(Archive& archive, StopProcess& stop) {
  archive.pid("pid", stop.pid);
}
template <typename Archive>
void fields(Archive& archive, KillProcess& kill) {
  archive.pid("pid", kill.pid);
}
template <typename Archive>
void fields(Archive& archive, EndFilter& end) {
  archive.pid("pid", end.pid);
}
template <typename Archive>
void fields(Archive& archive, Release& release) {
  archive.pid("pid", release.pid);
}
template <typename Archive>
void fields(Archive& archive, Adopt& adopt) {
  archive.pid("pid", adopt.pid);
}
template <typename Archive>
void fields(Archive& archive, Input& input) {
  archive.pid("pid", input.pid);
  archive.flag("end", input.end);
  archive.raw(input.bytes);
}
template <typename Archive>
void fields(Archive& archive, FindFile& find) {
  archive.text("path", find.path, kPath);
}
template <typename Archive>
void fields(Archive& archive, PutFile& put) {
  archive.text("path", put.path, kPath);
  archive.number("mode", put.mode, 0, 0777);
  archive.number("offset", put.offset, 0, INT64_MAX);
  archive.flag("last", put.last);
  archive.raw(put.bytes);
}
template <typename Archive>
void fields(Archive& archive, GetLog& get) {
  archive.text("log", get.log, kPath);
  archive.text("file", get.file, kOptionalPath);
  archive.number("offset", get.offset, 0, INT64_MAX);
  archive.number("bytes_max", get.bytes_max, 0, kChunkBytesMax);
}
template <typename Archive>
void fields(Archive& archive, LookAtLog& look) {
  archive.text("log", look.log, kPath);
}
template <typename Archive>
void fields(Archive&, ListManaged&) {}
template <typename Archive>
void fields(Archive&, ListKept&) {}
template <typename Archive>
void fields(Archive& archive, RemoveKept& remove) {
  archive.choice("kind", remove.kind, kKeptKindNames);
  archive.text("name", remove.name, kPath);
}
template <typename Archive>
void fields(Archive& archive, Relay& relay) {
  archive.pid("pid", relay.pid);
  archive.number("tunnel", relay.tunnel, 0, UINT64_MAX);
  archive.text("filter", relay.filter, kOptionalName);
  archive.number("taken", relay.taken, 0, INT64_MAX);
  archive.flag("end", relay.end);
  archive.raw(relay.bytes);
}

template <typename Archive>
void fields(Archive& archive, ChangeEvents& change) {
  archive.raw(change.changes);
}
template <typename Archive>
void fields(Archive&, LookAtEvents&) {}
template <typename Archive>
void fields(Archive&, EndEvents&) {}

// ---- replies

template <typename Archive>
void fields(Archive& archive, Refused& refused) {
  archive.text("why", refused.why, kSentence);
}
template <typename Archive>
void fields(Archive& archive, Done& done) {
  archive.text("note", done.note, kSentence);
}
template <typename Archive>
void fields(Archive& archive, Welcome& welcome) {
  archive.allow_unknown_fields();
  archive.number("version", welcome.version, 0, UINT32_MAX);
  archive.text("machine", welcome.machine, kName);
  archive.newer_text("host", welcome.host, kSentence);
  archive.texts("addresses", welcome.addresses, kName);
  archive.number("user", welcome.user, 0, UINT32_MAX);
  archive.objects("managed", welcome.managed);
}
template <typename Archive>
void fields(Archive& archive, FilterCreated& created) {
  archive.pid("pid", created.pid);
  archive.object("address", created.address);
  archive.text("log", created.log, kOptionalPath);
}
template <typename Archive>
void fields(Archive& archive, ProcessCreated& created) {
  archive.pid("pid", created.pid);
  archive.text("name", created.name, kOptionalName);
  archive.text("warning", created.warning, kSentence);
  archive.newer_text("source", created.source, kSentence);
}
template <typename Archive>
void fields(Archive& archive, FileFound& found) {
  archive.flag("exists", found.exists);
  archive.number("size_bytes", found.size_bytes, 0, INT64_MAX);
  archive.digits("sha256", found.sha256, found.exists ? 64 : 0);
}
template <typename Archive>
void fields(Archive& archive, LogFiles& log) {
  archive.texts("files", log.files, kPath);
}
template <typename Archive>
void fields(Archive& archive, LogState& state) {
  archive.objects("files", state.files);
}
template <typename Archive>
void fields(Archive& archive, LogPiece& piece) {
  archive.flag("last", piece.last);
  archive.number("identity", piece.identity, 0, UINT64_MAX);
  archive.raw(piece.bytes);
}
template <typename Archive>
void fields(Archive& archive, ManagedList& list) {
  archive.objects("managed", list.processes);
}
template <typename Archive>
void fields(Archive& archive, FilterFinished& finished) {
  archive.text("reason", finished.reason, kSentence);
}
template <typename Archive>
void fields(Archive& archive, KeptFiles& kept) {
  archive.objects("files", kept.files);
  archive.number("unlisted", kept.unlisted, 0, INT64_MAX);
}

template <typename Archive>
void fields(Archive& archive, EventsState& state) {
  archive.number("definitions", state.definitions, 0, INT64_MAX);
  archive.number("programs", state.programs, 0, INT64_MAX);
  archive.number("seen", state.seen, 0, INT64_MAX);
  archive.number("lost", state.lost, 0, INT64_MAX);
  archive.number("backlog_most", state.backlog_most, 0, INT64_MAX);
  archive.number("backlog_last", state.backlog_last, 0, INT64_MAX);
  archive.number("backlog_longest_ns", state.backlog_longest_ns, 0, INT64_MAX);
  archive.raw(state.lines);
}

// ---- reports

template <typename Archive>
void fields(Archive& archive, StateChanged& changed) {
  archive.pid("pid", changed.pid);
  archive.choice("state", changed.state, kStateNames);
  archive.text("reason", changed.reason, kSentence);
  archive.flag("unmetered", changed.is_unmetered);
}
template <typename Archive>
void fields(Archive& archive, Output& output) {
  archive.pid("pid", output.pid);
  archive.flag("is_error", output.is_error);
  archive.number("dropped_bytes", output.dropped_bytes, 0, INT64_MAX);
  archive.raw(output.bytes);
}
template <typename Archive>
void fields(Archive& archive, FilterEnded& ended) {
  archive.pid("pid", ended.pid);
  archive.text("reason", ended.reason, kSentence);
}

template <typename Archive>
void fields(Archive& archive, DeliveryChanged& changed) {
  archive.pid("pid", changed.pid);
  archive.text("job", changed.job, kOptionalName);
  archive.text("name", changed.name, kOptionalName);
  archive.text("filter", changed.filter, kOptionalName);
  archive.object("delivery", changed.delivery);
}
template <typename Archive>
void fields(Archive& archive, EventsSeen& seen) {
  archive.objects("events", seen.events);
  archive.texts("warnings", seen.warnings, kSentence);
  archive.number("unsent", seen.unsent, 0, INT64_MAX);
}

}  // namespace dpm::control
