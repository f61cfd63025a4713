// A function of a library.
extern "C" int in_library(int value) { return value + 1; }
