// links: dpm_instrumented dpm_monitor dpm_os
// A program may write anything into what it shares with its monitor, at any moment. The reader takes what fits, counts what does not,
// and is not led out of its own memory.
//
// The input is a list of changes to a file that was made well: a place, a length and bytes. They are made in two halves, and the file is
// read after each.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "backends/instrumented/instrumented_program.hpp"
#include "model/check.hpp"

namespace {

using namespace dpm;
using namespace dpm::monitor;

constexpr const char* kName = "7-1";

// A folder with one file, for the length of one input.
class SharedFile {
 public:
  SharedFile() {
    DPM_CHECK(::mkdtemp(path_.data()) != nullptr);
    folder_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    file_ = ::openat(folder_, kName, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    DPM_CHECK(folder_ >= 0 && file_ >= 0 && ::ftruncate(file_, sizeof(Region)) == 0);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    ::unlinkat(folder_, kName, 0);
    ::close(file_);
    ::close(folder_);
    ::rmdir(path_.c_str());
  }
  int folder() const { return folder_; }
  void put(std::size_t place, const void* bytes, std::size_t size) const {
    DPM_CHECK(::pwrite(file_, bytes, size, static_cast<off_t>(place)) == static_cast<ssize_t>(size));
  }
  void cut(std::size_t bytes) const { DPM_CHECK(::ftruncate(file_, static_cast<off_t>(bytes)) == 0); }

 private:
  std::string path_ = "/dev/shm/dpm-fuzz-XXXXXX";
  int folder_ = -1, file_ = -1;
};

template <typename T>
void put(const SharedFile& file, std::size_t place, T value) {
  file.put(place, &value, sizeof value);
}

void make_well(const SharedFile& file) {
  put(file, offsetof(Header, magic), kMagic);
  put(file, offsetof(Header, version), kLayoutVersion);
  put(file, offsetof(Header, bytes), static_cast<std::uint32_t>(sizeof(Region)));
  put(file, offsetof(Header, objects), 3u);
  put(file, offsetof(Header, rings), 2u);
  put(file, offsetof(Header, is_whole), 1u);
  put(file, offsetof(Region, objects) + offsetof(Object, kind), static_cast<std::uint32_t>(Kind::kInteger));
  const std::size_t ring = offsetof(Region, rings);
  put(file, ring + offsetof(Ring, written), std::uint64_t{2});
  put(file, ring + offsetof(Ring, records) + offsetof(Record, action), 1u);
}

// Where a change goes: the parts that the reader looks at, each as likely as the others.
std::size_t place_of(std::uint8_t part, std::uint16_t within) {
  const std::size_t ring = offsetof(Region, rings) + (part / 8 % 2) * sizeof(Ring);
  switch (part % 5) {
    case 0:
      return within % sizeof(Header);
    case 1:
      return offsetof(Region, objects) + within % (4 * sizeof(Object));
    case 2:
      return ring + within % 192;  // the cursors
    case 3:
      return ring + offsetof(Ring, records) + within % (8 * sizeof(Record));
    default:
      return ring + offsetof(Ring, dropped) + within % 512;
  }
}

void change(const SharedFile& file, std::span<const std::uint8_t> input) {
  while (input.size() > 4) {
    const std::uint8_t part = input[0];
    const auto within = static_cast<std::uint16_t>(input[1] | input[2] << 8);
    const std::size_t size = std::min<std::size_t>(input[3] % 16 + 1, input.size() - 4);
    if (part == 255) file.cut(std::size_t{within} << 8);
    if (part != 255) file.put(place_of(part, within), &input[4], size);
    input = input.subspan(4 + size);
  }
}

void read(InstrumentedProgram& program) {
  const std::size_t added = program.take_objects();
  DPM_CHECK(added <= program.objects().size() && program.objects().size() <= kObjectsMax);
  for (std::size_t object = 0; object < std::min<std::size_t>(program.objects().size(), 8); ++object)
    program.want(object, 1);
  program.answer();
  for (const Record& record : program.take_records())
    DPM_CHECK(record.object < program.objects().size() && std::has_single_bit(record.action));
  for (std::size_t object = 0; object < std::min<std::size_t>(program.objects().size(), 8); ++object)
    program.dropped(object, Action::kAssign);
  program.losses();
  program.has_ended();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SharedFile file;
  make_well(file);
  const std::span<const std::uint8_t> input(data, size);
  change(file, input.first(size / 2));
  auto program = InstrumentedProgram::open(file.folder(), kName);
  if (!program || !*program) return 0;
  read(**program);
  change(file, input.subspan(size / 2));
  read(**program);
  return 0;
}
