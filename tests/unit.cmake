# Writes a source that includes several test sources: cmake -D UNIT=FILE -D SOURCES=FILE;… -P unit.cmake
#
# Local names of tests clash, so each source is included in a namespace of its own. Headers must not be in that namespace. So
# the written file begins with the #include lines of all sources, and the #if lines around them. When a source then includes the
# same headers inside its namespace, #pragma once and include guards leave them out.
set(headers "")
set(tests "")
set(number 0)
foreach(source IN LISTS SOURCES)
  file(STRINGS ${source} lines REGEX "^#(include|if|elif|else|endif)")
  list(JOIN lines "\n" lines)
  string(APPEND headers "${lines}\n")
  string(APPEND tests "namespace source_${number} {\n#include \"${source}\"\n}\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${UNIT} "${headers}${tests}")
