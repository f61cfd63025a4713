#include "trace/symbols/code_locations.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/trace/symbols/sample_calls.hpp"
#include "trace/symbols/function_table.hpp"

namespace dpm {
namespace {

constexpr ProcessId kProcess{0}, kThread{1}, kStranger{2};

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

// The modules of this process, as a meter would have noted them. Our own file goes by the name `own_file`.
TraceInfo own_modules(const std::string& own_file) {
  TraceInfo info;
  info.processes.resize(3);
  info.processes[kThread.value].group = kProcess;
  const std::string own = own_path();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long start = 0, end = 0, offset = 0;
    char rights[8] = "", path[4096] = "";
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %*s %4095[^\n]", &start, &end, rights, &offset, path) < 5)
      continue;
    if (path[0] == '/') info.modules.push_back({kProcess, start, end, offset, path == own ? own_file : path});
  }
  return info;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dpm-symbols-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return fmt::format("{}/{}", path_, name); }

 private:
  std::string path_;
};

std::string stripped_copy(const Folder& folder, const std::string& option) {
  const std::string copy = folder / "copy";
  const std::string command = fmt::format("objcopy {} '{}' '{}'", option, own_path(), copy);
  REQUIRE(std::system(command.c_str()) == 0);
  return copy;
}

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

TEST_CASE("symbols: a call has its function and its line", "[symbols]") {
  CodeLocations locations(own_modules(own_path()));
  const auto check = [&](const sample::Call& call, const std::string& function) {
    const CodeLocation location = locations.find(kProcess, call.pc);
    CHECK(location.function == function);
    CHECK(base_name(location.source_file) == "sample_calls.cpp");
    CHECK(location.source_file.front() == '/');
    CHECK(location.line == call.line);
    CHECK(location.module == own_path());
    CHECK(source_text(location) == "sample_calls.cpp:" + std::to_string(call.line));
    CHECK(function_text(location) == function);
  };
  check(sample::plain_call(), "sample::plain_call()");
  check(sample::call_in_inlined_function(), "inlined_helper");
  check(sample::Clock().method(1), "sample::Clock::method(int) const");
}

TEST_CASE("symbols: a thread's code is its process's, an unknown process's is not known", "[symbols]") {
  CodeLocations locations(own_modules(own_path()));
  const std::uint64_t pc = sample::plain_call().pc;
  CHECK(locations.find(kThread, pc) == locations.find(kProcess, pc));
  const CodeLocation unknown = locations.find(kStranger, pc);
  CHECK(unknown.module.empty());
  CHECK(function_text(unknown).starts_with("0x"));
  CHECK(source_text(unknown).empty());
  CHECK(function_text(locations.find(kProcess, 0)) == "0x0");
}

TEST_CASE("symbols: without debug information there is the function and the module", "[symbols]") {
  const Folder folder;
  const std::string copy = stripped_copy(folder, "--strip-debug");
  CodeLocations locations(own_modules(copy));
  const CodeLocation location = locations.find(kProcess, sample::plain_call().pc);
  CHECK(location.function == "sample::plain_call()");
  CHECK(location.line == 0);
  CHECK(source_text(location) == "copy");
}

TEST_CASE("symbols: without any symbol there is the location in the file", "[symbols]") {
  const Folder folder;
  const std::string copy = stripped_copy(folder, "--strip-all");
  CodeLocations locations(own_modules(copy));
  const CodeLocation location = locations.find(kProcess, sample::plain_call().pc);
  CHECK(location.line == 0);
  CHECK(location.module == copy);
  CHECK((function_text(location).starts_with("copy+0x") || !location.function.empty()));  // the nearest exported one
}

TEST_CASE("symbols: a function of the C library is known by its name", "[symbols]") {
  CodeLocations locations(own_modules(own_path()));
  const auto address = reinterpret_cast<std::uint64_t>(&::getppid) + 2;
  const CodeLocation location = locations.find(kProcess, address);
  CHECK(location.function.find("getppid") != std::string::npos);
  CHECK(base_name(location.module).starts_with("libc"));
}

TEST_CASE("symbols: the table of functions agrees with the symbols, and takes what is inlined for its function",
          "[symbols]") {
  CodeLocations locations(own_modules(own_path()));
  const auto table = FunctionTable::open(own_path());
  REQUIRE(table);
  const auto name_at = [&](std::uint64_t pc) { return table->find(locations.find(kProcess, pc).module_offset); };
  CHECK(name_at(sample::plain_call().pc) == "sample::plain_call()");
  CHECK(name_at(sample::Clock().method(1).pc) == "sample::Clock::method(int) const");
  CHECK(name_at(sample::call_in_inlined_function().pc) == "sample::call_in_inlined_function()");
  CHECK(table->find(0).empty());
  CHECK(table->find(UINT64_MAX).empty());
  CHECK(FunctionTable::open("/dev/null") == nullptr);
}

TEST_CASE("symbols: of overlapping modules the last loaded applies", "[symbols]") {
  TraceInfo info;
  info.processes.resize(1);
  info.modules = {{kProcess, 0x1000, 0x2000, 0, "/before"}, {kProcess, 0x1000, 0x3000, 0x500, "/after"}};
  const CodeLocation location = CodeLocations(info).find(kProcess, 0x1801);
  CHECK(location.module == "/after");
  CHECK(location.module_offset == 0xd00);
  CHECK(function_text(location) == "after+0xd00");
}

TEST_CASE("symbols: malformed files name nothing and block nothing", "[symbols]") {
  const Folder folder;
  std::ofstream(folder / "text") << "not an ELF file";
  std::ofstream(folder / "empty") << "";
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::ifstream whole(own_path(), std::ios::binary);
  std::string beginning(4096, '\0');
  whole.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  std::ofstream(folder / "cut", std::ios::binary) << beginning;
  for (const std::string name : {"text", "empty", "pipe", "cut", "missing", "."}) {
    INFO(name);
    TraceInfo info;
    info.processes.resize(1);
    info.modules = {{kProcess, 0, 0x100000, 0, folder / name}};
    const CodeLocation location = CodeLocations(info).find(kProcess, 0x1001);
    CHECK(location.module == (folder / name));
    CHECK(location.module_offset == 0x1000);
    CHECK(location.line == 0);
  }
}

TEST_CASE("symbols: names are shown as they were written", "[symbols]") {
  CHECK(demangled("_ZNK3dpm5Clock3nowEv") == "dpm::Clock::now() const");
  CHECK(demangled("main") == "main");
  CHECK(demangled("_Zbroken") == "_Zbroken");
  CHECK(demangled("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write");
}

}  // namespace dpm
