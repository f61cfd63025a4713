// The protocol between a meter and a filter's collector, in frames (frame.hpp) over an authenticated connection. Events
// and names have numbers, so that after a broken connection both ends know where to continue: nothing is lost, and
// nothing comes twice.
//
//     meter ── Hello{its identity, first event it still has} ──► collector
//     meter ◄── Resume{names, events it has already} ── collector
//     meter ── Names{number}, Events{first}... ───────► collector
//     meter ◄── Ack{names, events} ──────────────────── collector     passed to the filter's standard input
//     meter ── Over{account} ─────────────────────────► collector     nothing follows
//     meter ◄── Ack{..., over} ──────────────────────── collector
//     meter ◄── FilterGone{why} ─────────────────────── collector     at any time: later events are not delivered
//
// Neither end trusts the other: parse_meter_frame() refuses anything else, and the receiver of a number checks it against
// what it knows. No I/O.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "control/transport/frames/frame.hpp"
#include "trace/meter_stream.hpp"

namespace dpm::wire {

// Both ends must have the same.
inline constexpr std::uint32_t kMeterVersion = 2;  // 1: events had 68 bytes
// Events of one frame: with its header one TLS record holds them.
inline constexpr std::size_t kEventsPerFrameMax = 240;
inline constexpr std::size_t kMeterFrameBodyBytesMax = 128 * 1024;

// Unique: drawn at random when the meter begins.
struct MeterKey {
  std::array<std::uint8_t, 16> bytes = {};
  friend auto operator<=>(const MeterKey&, const MeterKey&) = default;
};

struct Hello {
  std::uint32_t version = kMeterVersion;
  MeterKey key;
  MeterIdentity identity;
  std::uint64_t first_event = 0;  // the meter has discarded earlier events: a collector had them
};
struct Resume {
  bool known = false;                                 // the meter has connected to this collector before
  std::uint64_t names = 0, events = 0;                // the collector has these, and wants what follows,
  std::uint64_t names_passed = 0, events_passed = 0;  // and has passed these on, as in an Ack
};
struct Names {
  std::uint64_t number = 0;  // counted from 0; again from 0 for a collector that did not know the meter
  std::string text;          // trace/meter_names.hpp
};
struct Events {
  std::uint64_t first = 0;  // number of the first; counted from 0
  std::string messages;     // trace/meter_message.hpp, one after the other
  std::size_t count() const { return messages.size() / kMeterMessageBytes; }
};
struct Over {
  MeterAccount account;  // `delivered` is not yet known here: 0
};
struct Ack {
  std::uint64_t names = 0, events = 0;  // how many
  bool over = false;
};
struct FilterGone {
  std::string why;
};

using MeterFrame = std::variant<Hello, Resume, Names, Events, Over, Ack, FilterGone>;

void append_meter_frame(std::string& out, const MeterFrame& frame);
Result<MeterFrame> parse_meter_frame(Frame frame);

}  // namespace dpm::wire
