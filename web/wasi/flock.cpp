// WASI declares flock() without defining it. This definition always fails; files::atomic then works without
// locks.

#include <cerrno>
#include <sys/file.h>

extern "C" int flock(int, int) {
  errno = ENOSYS;
  return -1;
}
