// speaking_places: sends and receives in functions whose names and lines a meter must find, by the C library's ways to
// do it. Prints each place as "function line sent received".
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#define HERE(sent, received) std::printf("%s %d %d %d\n", __func__, __LINE__ + 1, sent, received)

namespace {

int ends[2];

[[gnu::noinline]] void say_directly() {
  for (int i = 0; i < 3; ++i) {
    if (i == 0) HERE(3, 0);
    if (::write(ends[0], "hello", 5) != 5) std::abort();
  }
}

[[gnu::noinline]] void say_in_a_frame_with_arrays(int length) {
  char text[3000];
  for (int i = 0; i < length; ++i) text[i] = static_cast<char>(i);
  HERE(1, 0);
  if (::send(ends[0], text, static_cast<std::size_t>(length), 0) != length) std::abort();
}

[[gnu::noinline]] void say_through_a_stream() {
  std::FILE* stream = ::fdopen(::dup(ends[0]), "w");
  for (int i = 0; i < 100; ++i) std::fprintf(stream, "line %d\n", i);
  HERE(1, 0);
  std::fflush(stream);
  std::fclose(stream);
}

[[gnu::noinline]] void hear() {
  char text[4096];
  for (const std::size_t room : {5u, 5u, 5u, 2000u, 4096u}) {
    if (room == 2000) HERE(0, 5);
    if (::recv(ends[1], text, room, 0) <= 0) std::abort();
  }
}

}  // namespace

int main() {
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  say_directly();
  say_in_a_frame_with_arrays(2000);
  say_through_a_stream();
  std::thread(hear).join();
  return 0;
}
