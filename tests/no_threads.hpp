#pragma once

#include <cstddef>
#include <pthread.h>
#include <stdexcept>

/// While this object exists, no thread can be started: new threads ask for a stack of half the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t huge;
    if (pthread_getattr_default_np(&before_) != 0 || pthread_getattr_default_np(&huge) != 0 ||
        pthread_attr_setstacksize(&huge, std::size_t{1} << 46) != 0 ||
        pthread_setattr_default_np(&huge) != 0) {
      throw std::runtime_error("cannot change the stack size of new threads");
    }
  }
  ~NoThreads() { pthread_setattr_default_np(&before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};
