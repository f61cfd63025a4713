// What a meter and the collector of a filter say to each other, in frames (frame.hpp) over a connection that both have
// authenticated. Events and names have numbers, so that after a broken connection both know where to go on: nothing is
// lost, and nothing comes twice.
//
//     meter ── Hello{who, first event it still has} ──► collector
//     meter ◄── Resume{names, events it has already} ── collector
//     meter ── Names{number}, Events{first}... ───────► collector
//     meter ◄── Ack{names, events} ──────────────────── collector     passed to the filter's standard input
//     meter ── Over{account} ─────────────────────────► collector     nothing follows
//     meter ◄── Ack{..., over} ──────────────────────── collector
//     meter ◄── FilterGone{why} ─────────────────────── collector     at any time: what comes from now on goes nowhere
//
// Neither end trusts the other: parse_meter_frame() refuses what is none of these, and numbers are checked by those who
// know what they should be. No I/O.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "backends/linux/transport/frames/frame.hpp"
#include "trace/meter_stream.hpp"

namespace dpm::wire {

// Both ends must have the same.
inline constexpr std::uint32_t kMeterVersion = 1;
// Events of one frame: with its header one TLS record holds them.
inline constexpr std::size_t kEventsPerFrameMax = 240;
inline constexpr std::size_t kMeterFrameBodyBytesMax = 128 * 1024;

// Unlike any other meter's, drawn at random when it begins.
struct MeterKey {
  std::array<std::uint8_t, 16> bytes = {};
  friend auto operator<=>(const MeterKey&, const MeterKey&) = default;
};

struct Hello {
  std::uint32_t version = kMeterVersion;
  MeterKey key;
  MeterIdentity identity;
  std::uint64_t first_event = 0;  // events before this one the meter has no more: a collector had them
};
struct Resume {
  bool known = false;                                 // this collector has met the meter before
  std::uint64_t names = 0, events = 0;                // it has these, and wants what follows,
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
