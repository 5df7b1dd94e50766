// A source for targets that only precompile standard.hpp.
