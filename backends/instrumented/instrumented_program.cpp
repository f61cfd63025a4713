#include "backends/instrumented/instrumented_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <dpm/monitor/shared_folder.hpp>

namespace dpm {
namespace {

using namespace monitor;

std::size_t object_offset(std::size_t object) { return offsetof(Region, objects) + object * sizeof(Object); }
std::size_t ring_offset(std::size_t ring) { return offsetof(Region, rings) + ring * sizeof(Ring); }

std::string text_of(const char (&bytes)[kNameBytes]) { return {bytes, ::strnlen(bytes, kNameBytes)}; }

Kind kind_of(std::uint32_t number) {
  return number <= static_cast<std::uint32_t>(Kind::kSignal) ? static_cast<Kind>(number) : Kind::kNone;
}

}  // namespace

// What lies behind the end of a file that was cut is 0.
template <typename T>
T InstrumentedProgram::at(std::size_t offset) const {
  T value{};
  if (::pread(file_.get(), &value, sizeof value, static_cast<off_t>(offset)) != sizeof value) return T{};
  return value;
}

Result<std::optional<InstrumentedProgram>> InstrumentedProgram::open(int folder, const std::string& file_name) {
  InstrumentedProgram opened;
  opened.file_.reset(::openat(folder, file_name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status = {};
  if (!opened.file_ || ::fstat(opened.file_.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::optional<InstrumentedProgram>();
  if (opened.at<std::uint32_t>(offsetof(Header, is_whole)) == 0) return std::optional<InstrumentedProgram>();
  opened.pid_ = opened.at<std::uint32_t>(offsetof(Header, pid));
  opened.parent_ = opened.at<std::uint32_t>(offsetof(Header, parent));
  struct Name {
    char bytes[kNameBytes];
  };
  const auto name = opened.at<Name>(offsetof(Header, program));
  opened.program_ = text_of(name.bytes);
  if (opened.at<std::uint64_t>(offsetof(Header, magic)) != kMagic ||
      opened.at<std::uint32_t>(offsetof(Header, version)) != kLayoutVersion ||
      opened.at<std::uint32_t>(offsetof(Header, bytes)) != sizeof(Region))
    return Error{
        fmt::format("program {} (process {}) was built with another version of libdpm", opened.program_, opened.pid_)};
  return std::optional(std::move(opened));
}

std::size_t InstrumentedProgram::take_objects() {
  struct Stored {
    std::uint32_t wanted, kind, is_cut, is_signed;
    char name[kNameBytes], function[kNameBytes];
  };
  static_assert(sizeof(Stored) == sizeof(Object));
  const std::size_t before = objects_.size();
  const std::size_t declared = std::min(at<std::uint32_t>(offsetof(Header, objects)), kObjectsMax);
  while (objects_.size() < declared) {
    const auto stored = at<Stored>(object_offset(objects_.size()));
    objects_.push_back({kind_of(stored.kind), text_of(stored.name), text_of(stored.function), stored.is_cut != 0,
                        stored.is_signed != 0});
  }
  return objects_.size() - before;
}

void InstrumentedProgram::want(std::size_t object, std::uint32_t actions) {
  ::pwrite(file_.get(), &actions, sizeof actions, static_cast<off_t>(object_offset(object) + offsetof(Object, wanted)));
}

void InstrumentedProgram::answer() {
  const auto looked_at = static_cast<std::uint32_t>(objects_.size());
  ::pwrite(file_.get(), &looked_at, sizeof looked_at, offsetof(Header, objects_looked_at));
}

std::span<const Record> InstrumentedProgram::take_records() {
  records_.clear();
  const std::uint32_t rings = std::min(at<std::uint32_t>(offsetof(Header, rings)), kRingsMax);
  // An earlier monitor, which was killed, may have taken some.
  while (read_.size() < rings) read_.push_back(at<std::uint64_t>(ring_offset(read_.size()) + offsetof(Ring, read)));
  for (std::uint32_t ring = 0; ring < rings; ++ring) take_ring(ring);
  return records_;
}

void InstrumentedProgram::take_ring(std::uint32_t ring) {
  const auto written = at<std::uint64_t>(ring_offset(ring) + offsetof(Ring, written));
  if (written == read_[ring]) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t count = written - read_[ring];
  if (count > kRecordsPerRing) {  // the program wrote what it may not
    damaged_ += kRecordsPerRing;
  } else {
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t place = (read_[ring] + done) % kRecordsPerRing;
      const std::uint64_t run = std::min(count - done, kRecordsPerRing - place);
      const std::size_t first = records_.size();
      records_.resize(first + run);
      const auto from = ring_offset(ring) + offsetof(Ring, records) + place * sizeof(Record);
      const ssize_t got = ::pread(file_.get(), &records_[first], run * sizeof(Record), static_cast<off_t>(from));
      const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(Record);
      records_.resize(first + whole);
      damaged_ += run - whole;
      damaged_ += std::erase_if(records_, [&](const Record& record) { return !is_record(record); });
      done += run;
    }
  }
  read_[ring] = written;
  ::pwrite(file_.get(), &written, sizeof written, static_cast<off_t>(ring_offset(ring) + offsetof(Ring, read)));
}

bool InstrumentedProgram::is_record(const Record& record) const {
  return record.object < objects_.size() && std::has_single_bit(record.action) && record.action < 1u << kActionPlaces;
}

std::uint64_t InstrumentedProgram::dropped(std::size_t object, Action action) const {
  const auto place = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(action)));
  std::uint64_t sum = 0;
  for (std::size_t ring = 0; ring < read_.size(); ++ring)
    sum += at<std::uint64_t>(ring_offset(ring) + offsetof(Ring, dropped) +
                             (object * kActionPlaces + place) * sizeof(std::uint64_t));
  return sum;
}

InstrumentedLosses InstrumentedProgram::losses() const {
  return {damaged_, at<std::uint64_t>(offsetof(Header, without_ring)),
          at<std::uint32_t>(offsetof(Header, objects_refused))};
}

bool InstrumentedProgram::has_ended() const { return !is_locked(file_.get()); }

}  // namespace dpm
