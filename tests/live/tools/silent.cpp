// A program without a system call that a meter is notified of, if it is linked statically.
int main() { return 0; }
